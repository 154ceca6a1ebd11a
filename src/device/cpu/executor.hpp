// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "abi/checks.h"
#include "base/reserved_memory.hpp"
#include "device/cpu/callers_stack.hpp"
#include "device/cpu/fibres.hpp"

#include <csignal>
#include <cstddef>
#include <cstdint>

namespace clotho::cpu {

/// Memory that only grows until it is unmapped: local memory and context arrays. A page of margin is on each side, and
/// an inaccessible page behind.
class Arena {
 public:
  constexpr Arena() = default;
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;
  ~Arena();

  void unmap() noexcept;
  /// At least `size` bytes, page-aligned, with any content; null without memory. Invalidates what it gave before.
  std::byte* reserve(std::size_t size) noexcept {
    if (size <= size_) [[likely]]
      return memory_;
    return grow(size);
  }
  std::size_t size() const { return size_; }

 private:
  std::byte* grow(std::size_t size) noexcept;

  ReservedMemory range_;
  std::byte* memory_ = nullptr;
  std::size_t size_ = 0;
};

/// A stack with an inaccessible range below it.
class GuardedStack {
 public:
  constexpr GuardedStack() = default;
  GuardedStack(const GuardedStack&) = delete;
  GuardedStack& operator=(const GuardedStack&) = delete;
  ~GuardedStack();

  bool map(std::size_t size, std::size_t guard) noexcept;
  void unmap() noexcept { range_.release(); }
  bool mapped() const { return range_.base() != nullptr; }
  /// The address just above the stack.
  std::byte* top() const { return range_.base() + range_.size(); }
  std::byte* bottom() const { return range_.base() + guard_; }
  std::size_t size() const { return mapped() ? range_.size() - guard_ : 0; }
  bool guardHas(std::uintptr_t address) const {
    return address - reinterpret_cast<std::uintptr_t>(range_.base()) < guard_;
  }

 private:
  ReservedMemory range_;
  std::size_t guard_ = 0; // whole pages
};

/// The floating-point environment that OpenCL wants: round to nearest, denormals kept, exceptions masked.
class FloatEnvironment {
 public:
  /// The calling thread's control words and sticky flags.
  static FloatEnvironment save() noexcept;
  static void setStandard() noexcept;
  /// Until setStandard() or restore(): results that are denormal become zero. Denormals in memory stay what they are,
  /// on which functions of the builtin library count that scale their arguments.
  static void flushDenormals() noexcept;
  void restore() const noexcept;

 private:
#if defined(__x86_64__)
  std::uint32_t mxcsr_;
  std::uint16_t x87_;
#else
  alignas(16) std::byte environment_[64];
#endif
};

/// A thread's means to run tasks: a guarded stack for kernels, a signal stack for their faults, and the memory of
/// the running work-group. Each worker has one; a waiting host thread borrows one while it helps, for the memory alone:
/// such a thread runs kernels on its own stack, since its host may be one that looks through the stacks of its threads.
class Executor {
 public:
  constexpr Executor() = default;

  /// Sets the calling thread up; false when its signal stack cannot be replaced (it is in use) or there is no memory.
  bool enter() noexcept;
  /// Sets up a thread of the application's, which keeps its stack and its signal stack. It may run kernels that take no
  /// more than `own` has room for.
  void enterOnOwnStack(const CallersStack& own) noexcept;
  /// Makes the thread as it was.
  void leave() noexcept;

  /// Before guardedCall(): lets this thread's traps through and chooses the stack for a kernel. `stackBytes`: what it
  /// takes (0: unknown). `privateBytes`: what its variables take of that. False without memory for a stack.
  bool prepareCall(std::uint64_t stackBytes, std::size_t privateBytes = 0) noexcept {
    if (!areTrapsOpen_) openTraps();
    runsOnOwnStack_ = stackBytes != 0 && stackBytes <= own_.room;
    return runsOnOwnStack_ || hasStack(privateBytes);
  }
  /// The kernel stack, mapped at the first use; false without memory. `privateBytes`: what a kernel's variables take of
  /// it, for which a larger one is made if need be.
  bool hasStack(std::size_t privateBytes = 0) noexcept {
    if (stack_.mapped() && (privateBytes == 0 || privateBytes + kBesidesVariables <= stack_.size())) [[likely]]
      return true;
    return mapStack(privateBytes);
  }
  /// The guarded stack that kernels run on; null: they run on the thread's own.
  const GuardedStack* kernelStack() const { return runsOnOwnStack_ ? nullptr : &stack_; }
  const CallersStack& ownStack() const { return own_; }
  /// Gives back what the last work-group has made large.
  void shrink() noexcept;

  Arena local;
  Arena frame;
  Fibres fibres;
  Arena checkCells; ///< for local memory of checked kernels
  CheckedGroup checkedGroup{};
  std::uint64_t checkEpoch = 0; ///< CheckPhases::epoch of what is in these two
  std::uint32_t index = 0;      ///< of the worker
  Executor* nextFree = nullptr; ///< in the list of those that helpers may borrow

 private:
  void openTraps() noexcept;
  /// Bytes of a stack for the calls and spilled registers of kernels that have private variables.
  static constexpr std::size_t kBesidesVariables = std::size_t{1} << 20;
  bool mapStack(std::size_t privateBytes) noexcept;

  GuardedStack stack_;
  GuardedStack signalStack_;
  CallersStack own_;
  bool runsOnOwnStack_ = false;
  bool hasSignalStack_ = false; ///< this thread's was replaced
  bool areTrapsOpen_ = false;
  bool wereTrapsOpen_ = true; ///< before; else `previousSignals_` is to be restored
  sigset_t previousSignals_{};
  stack_t previousSignalStack_{};
  FloatEnvironment previousFloats_{};
};

} // namespace clotho::cpu
