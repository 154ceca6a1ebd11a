// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "node/fabric/hmac.hpp"

#include <llvm/ADT/ArrayRef.h>
#include <llvm/ADT/StringRef.h>
#include <llvm/Support/SHA256.h>

#include <algorithm>
#include <cassert>

namespace clotho::node {

Mac hmac(std::span<const std::uint8_t> key, std::string_view text) {
  constexpr std::size_t kBlock = 64;
  assert(key.size() <= kBlock);
  std::array<std::uint8_t, kBlock> inner{}, outer{};
  std::ranges::copy(key, inner.begin());
  outer = inner;
  for (std::uint8_t& byte : inner)
    byte ^= 0x36;
  for (std::uint8_t& byte : outer)
    byte ^= 0x5c;
  llvm::SHA256 hash;
  hash.update(llvm::ArrayRef(inner));
  hash.update(llvm::StringRef(text.data(), text.size()));
  const Mac ofText = hash.final();
  hash.init();
  hash.update(llvm::ArrayRef(outer));
  hash.update(llvm::ArrayRef(ofText));
  return hash.final();
}

bool areEqual(const Mac& one, const Mac& other) noexcept {
  volatile std::uint8_t difference = 0;
  for (std::size_t i = 0; i < one.size(); ++i)
    difference = difference | (one[i] ^ other[i]);
  return difference == 0;
}

} // namespace clotho::node
