// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "device/cpu/executor.hpp"

#include "device/cpu/faults.hpp"

#include <algorithm>
#include <cfenv>
#include <new>
#include <pthread.h>
#include <sys/mman.h>
#include <unistd.h>
#include <utility>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace clotho::cpu {

namespace {

/// Large private arrays are legal OpenCL. Only touched pages cost memory.
constexpr std::size_t kStackSizes[] = {std::size_t{8} << 20, std::size_t{1} << 20};
/// Wide, since code may step over a page or two of its frame before it writes.
constexpr std::size_t kGuardSize = std::size_t{1} << 20;
/// A larger arena is as large as was asked for.
constexpr std::size_t kLargeArena = std::size_t{1} << 20;

} // namespace

Arena::~Arena() { range_.release(); }

void Arena::unmap() noexcept {
  range_.release();
  memory_ = nullptr;
  size_ = 0;
}

std::byte* Arena::grow(std::size_t size) noexcept {
  if (size > SIZE_MAX / 4) return nullptr;
  // Small ones grow faster than they must, so that they seldom do.
  if (size < kLargeArena) size = std::max(size, size_ * 2);
  const std::size_t page = ReservedMemory::pageSize(), wanted = ReservedMemory::toPages(size);
  ReservedMemory fresh = ReservedMemory::reserve(wanted + 3 * page);
  if (!fresh.base()) return nullptr;
  if (!fresh.makeUsable(0, wanted + 2 * page)) {
    fresh.release();
    return nullptr;
  }
  std::byte* memory = fresh.base() + page;
  // Vector accesses reach into the margins in lanes that are masked off, and work-groups without a live lane never
  // write to local memory. That faults nowhere, but where there is no page the CPU takes hundreds of cycles to find
  // out, each time. The compiler counts on a page behind all local memory
  // (compiler/transform/groups/promote_local_arrays.cpp).
  memory[-1] = memory[wanted] = std::byte{0};
  for (std::size_t at = 0; at < wanted && wanted < kLargeArena; at += page)
    memory[at] = std::byte{0};
  range_.release();
  range_ = fresh;
  memory_ = memory;
  size_ = wanted;
  return memory_;
}

GuardedStack::~GuardedStack() { range_.release(); }

bool GuardedStack::map(std::size_t size, std::size_t guard) noexcept {
  ReservedMemory fresh = ReservedMemory::reserve(guard + size, MAP_STACK);
  if (!fresh.base()) return false;
  if (!fresh.makeUsable(guard, size)) {
    fresh.release();
    return false;
  }
  range_.release();
  range_ = fresh;
  guard_ = guard;
  return true;
}

#if defined(__x86_64__)

FloatEnvironment FloatEnvironment::save() noexcept {
  FloatEnvironment now;
  now.mxcsr_ = _mm_getcsr();
  __asm__ volatile("fnstcw %0" : "=m"(now.x87_));
  return now;
}

void FloatEnvironment::setStandard() noexcept {
  constexpr std::uint32_t kMxcsr = 0x1f80;
  constexpr std::uint16_t kX87 = 0x037f;
  _mm_setcsr(kMxcsr);
  __asm__ volatile("fldcw %0" : : "m"(kX87));
}

void FloatEnvironment::flushDenormals() noexcept { _mm_setcsr(_mm_getcsr() | _MM_FLUSH_ZERO_ON); }

// Kernels use no x87 instruction, so its flags and registers are as they were.
void FloatEnvironment::restore() const noexcept {
  _mm_setcsr(mxcsr_);
  __asm__ volatile("fldcw %0" : : "m"(x87_));
}

#else

static_assert(sizeof(std::fenv_t) <= 64);

FloatEnvironment FloatEnvironment::save() noexcept {
  FloatEnvironment now;
  std::fegetenv(new (now.environment_) std::fenv_t);
  return now;
}
void FloatEnvironment::setStandard() noexcept { std::fesetenv(FE_DFL_ENV); }
void FloatEnvironment::flushDenormals() noexcept {} // leave to do so, not a duty
void FloatEnvironment::restore() const noexcept {
  std::fesetenv(std::launder(reinterpret_cast<const std::fenv_t*>(environment_)));
}

#endif

bool Executor::enter() noexcept {
  using Pages = ReservedMemory;
  if (!signalStack_.mapped() && !signalStack_.map(Pages::toPages(signalRoom()), Pages::pageSize())) return false;
  stack_t ours{};
  ours.ss_sp = signalStack_.bottom();
  ours.ss_size = signalStack_.size();
  if (sigaltstack(&ours, &previousSignalStack_) != 0) return false;
  hasSignalStack_ = true;
  own_ = {};
  previousFloats_ = FloatEnvironment::save();
  FloatEnvironment::setStandard();
  return true;
}

void Executor::enterOnOwnStack(const CallersStack& own) noexcept {
  own_ = own;
  previousFloats_ = FloatEnvironment::save();
  FloatEnvironment::setStandard();
}

void Executor::leave() noexcept {
  previousFloats_.restore();
  if (std::exchange(hasSignalStack_, false)) sigaltstack(&previousSignalStack_, nullptr);
  if (!wereTrapsOpen_) pthread_sigmask(SIG_SETMASK, &previousSignals_, nullptr);
  areTrapsOpen_ = false;
  wereTrapsOpen_ = true;
}

/// A trap whose signal is blocked ends the process. Once for each time that a thread runs kernels, since there is no
/// cheaper way to know.
void Executor::openTraps() noexcept {
  sigset_t traps;
  sigemptyset(&traps);
  for (int signal : kTraps)
    sigaddset(&traps, signal);
  pthread_sigmask(SIG_UNBLOCK, &traps, &previousSignals_);
  areTrapsOpen_ = true;
  for (int signal : kTraps)
    wereTrapsOpen_ = wereTrapsOpen_ && sigismember(&previousSignals_, signal) == 0;
}

bool Executor::mapStack(std::size_t privateBytes) noexcept {
  if (privateBytes > SIZE_MAX / 4) return false;
  const std::size_t needed = privateBytes == 0 ? 0 : ReservedMemory::toPages(privateBytes + kBesidesVariables);
  for (std::size_t size : kStackSizes)
    if (size >= needed && stack_.map(size, kGuardSize)) return true;
  return needed != 0 && stack_.map(needed, kGuardSize);
}

void Executor::shrink() noexcept {
  frame.unmap();
  fibres.unmap();
  if (stack_.size() > kStackSizes[0]) stack_.unmap();
}

} // namespace clotho::cpu
