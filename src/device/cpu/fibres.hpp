// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "abi/cpu_kernel.h"
#include "base/reserved_memory.hpp"

#include <cstddef>
#include <cstdint>

namespace clotho::cpu {

/// Runs the sub-groups of one work-group in turn on one thread, each on a stack of its own: for kernels in which one
/// may wait for another (OpenCL 2.2, section 3.2.2, independent forward progress). They switch where the kernel calls
/// `yield` or `barrier`, of any depth and place.
///
/// Everything here but `reserve` runs on kernel stacks and in the middle of kernels, so it is not instrumented, takes
/// no lock and allocates nothing. A trap in one sub-group abandons all of them with the guarded call.
class Fibres {
 public:
  constexpr Fibres() = default;
  Fibres(const Fibres&) = delete;
  Fibres& operator=(const Fibres&) = delete;
  ~Fibres();

  /// Gives all memory back.
  void unmap() noexcept;
  /// Memory for `count` sub-groups with stacks of `stackBytes` each, rounded up to pages; false without memory.
  bool reserve(std::size_t count, std::size_t stackBytes) noexcept;

  /// Calls `function(arguments, i)` for each i < count; returns when all have returned. False without memory for more
  /// of them than are reserved, and then none has run.
  bool run(SubGroupFunction* function, void* arguments, std::uint64_t count) noexcept;
  /// Lets the others run. Returns soon when there is no other that can.
  void yield() noexcept;
  /// Returns when every sub-group that has not returned is in it.
  void barrier() noexcept;

  /// Whether the address is below a stack, where nothing is mapped.
  bool guardHas(std::uintptr_t address) const noexcept;
  /// All stacks, for generic pointers.
  std::byte* begin() const { return range_.base(); }
  std::byte* end() const { return range_.base() + (stackBytes_ + guardBytes_) * count_; }

 private:
  enum class State : std::uint8_t { Unborn, Ready, AtBarrier, Ended };
  struct Fibre;

  void switchTo(std::uint64_t next) noexcept;
  std::uint64_t nextReady() const noexcept;
  std::uint64_t release() noexcept;
  void prepare(Fibre& fibre, std::byte* top) noexcept;
  static void main(Fibres* self) noexcept;
  static void mainPortable(unsigned high, unsigned low) noexcept;

  Fibre* fibres_ = nullptr;
  ReservedMemory range_;
  std::size_t count_ = 0, stackBytes_ = 0, guardBytes_ = 0;

  Fibre* caller_ = nullptr;
  SubGroupFunction* function_ = nullptr;
  void* arguments_ = nullptr;
  std::uint64_t running_ = 0, used_ = 0, live_ = 0, arrived_ = 0;
  std::uint32_t idleYields_ = 0;
};

/// Services for kernels of the fibres at WorkerContext::subGroupState. Lack of memory ends the guarded call.
extern const SubGroupServices kSubGroupServices;

} // namespace clotho::cpu
