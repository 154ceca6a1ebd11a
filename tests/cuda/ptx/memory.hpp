// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Addresses of a thread.
#pragma once

#include "assembler.hpp"
#include "thread.hpp"

namespace ptx {

enum class Space : std::uint8_t { Generic, Global, Constant, Shared, Local, Parameter };

/// Takes the space's modifier.
Space takeSpace(Modifiers& m);
/// Takes what tells order, scope and caching.
bool takeOrder(Modifiers& m);

/// The place of the bytes in the host's memory; null, with the launch failed, if the address is wrong.
template <Space space> std::uint8_t* placeOf(Thread& t, std::uint64_t address, std::size_t bytes);
std::uint8_t* outside(Thread& t, const char* space, std::uint64_t address, std::size_t bytes);
std::uint8_t* misaligned(Thread& t, std::uint64_t address, std::size_t bytes);

template <Space space> std::uint8_t* placeOf(Thread& t, std::uint64_t address, std::size_t bytes) {
  if (address % bytes != 0) [[unlikely]]
    return misaligned(t, address, bytes);
  if constexpr (space == Space::Generic) {
    if (address < kSharedWindow) return placeOf<Space::Global>(t, address, bytes);
    if (address < kSharedWindow + kWindow) return placeOf<Space::Shared>(t, address - kSharedWindow, bytes);
    if (address - kLocalWindow < kWindow) return placeOf<Space::Local>(t, address - kLocalWindow, bytes);
    if (address - kParameterWindow < kWindow) return placeOf<Space::Parameter>(t, address - kParameterWindow, bytes);
    return outside(t, "generic", address, bytes);
  } else if constexpr (space == Space::Shared) {
    if (address + bytes > t.block->sharedSize || address + bytes < address) [[unlikely]]
      return outside(t, "shared", address, bytes);
    return reinterpret_cast<std::uint8_t*>(t.block->shared.data()) + address;
  } else if constexpr (space == Space::Local) {
    if (address + bytes > t.localTop || address + bytes < address) [[unlikely]]
      return outside(t, "local", address, bytes);
    return t.local.data() + address;
  } else if constexpr (space == Space::Parameter) {
    if (address + bytes > t.parameterStack.size() || address + bytes < address) [[unlikely]]
      return outside(t, "param", address, bytes);
    return t.parameters + address;
  } else {
    if (address < 4096 || address >= kSharedWindow) [[unlikely]]
      return outside(t, "global", address, bytes);
    return reinterpret_cast<std::uint8_t*>(address);
  }
}

/// The handler that a callable makes for a space as a constant.
template <class Make> Handler forSpace(Space space, Make make) {
  switch (space) {
  case Space::Generic: return make(std::integral_constant<Space, Space::Generic>{});
  case Space::Global:
  case Space::Constant: return make(std::integral_constant<Space, Space::Global>{});
  case Space::Shared: return make(std::integral_constant<Space, Space::Shared>{});
  case Space::Local: return make(std::integral_constant<Space, Space::Local>{});
  case Space::Parameter: return make(std::integral_constant<Space, Space::Parameter>{});
  }
  return nullptr;
}

} // namespace ptx
