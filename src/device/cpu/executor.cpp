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

std::size_t pageSize() noexcept { return static_cast<std::size_t>(sysconf(_SC_PAGESIZE)); }

std::size_t toPages(std::size_t size) noexcept { return (size + pageSize() - 1) / pageSize() * pageSize(); }

} // namespace

Arena::~Arena() { unmap(); }

void Arena::unmap() noexcept {
  if (memory_) munmap(memory_ - pageSize(), size_ + 3 * pageSize());
}

std::byte* Arena::grow(std::size_t size) noexcept {
  if (size > SIZE_MAX / 4) return nullptr;
  std::size_t page = pageSize(), wanted = toPages(std::max(size, size_ * 2));
  void* fresh =
      mmap(nullptr, wanted + 3 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (fresh == MAP_FAILED) return nullptr;
  auto* memory = static_cast<std::byte*>(fresh) + page;
  // Vector accesses reach into the margins in lanes that are masked off. That faults nowhere, but where there is no
  // page the CPU takes a thousand cycles to find out, each time.
  memory[-1] = memory[wanted] = std::byte{0};
  mprotect(memory + wanted + page, page, PROT_NONE);
  unmap();
  memory_ = memory;
  size_ = wanted;
  return memory_;
}

GuardedStack::~GuardedStack() {
  if (base_) munmap(base_, guard_ + size_);
}

bool GuardedStack::map(std::size_t size, std::size_t guard) noexcept {
  void* memory = mmap(nullptr, guard + size, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
  if (memory == MAP_FAILED) return false;
  if (mprotect(memory, guard, PROT_NONE) != 0) {
    munmap(memory, guard + size);
    return false;
  }
  base_ = static_cast<std::byte*>(memory);
  guard_ = guard;
  size_ = size;
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
  if (!signalStack_.mapped() && !signalStack_.map(toPages(signalRoom()), pageSize())) return false;
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

bool Executor::hasStack() noexcept {
  if (stack_.mapped()) [[likely]]
    return true;
  for (std::size_t size : kStackSizes)
    if (stack_.map(size, kGuardSize)) return true;
  return false;
}

} // namespace clotho::cpu
