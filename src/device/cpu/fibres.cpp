// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "device/cpu/fibres.hpp"

#include "base/uninstrumented.hpp"
#include "device/cpu/guarded_call.hpp"

#include <bit>
#include <memory>
#include <new>
#include <sched.h>
#include <sys/mman.h>
#include <utility>

namespace clotho::cpu {

namespace {

/// How often a sub-group looks in vain, when all others have ended or wait for it, before it lets other threads run:
/// what it waits for comes from one of them.
constexpr std::uint32_t kIdleYields = 64;

/// Wide, since code may step over a page or two of its frame before it writes.
constexpr std::size_t kGuardBytes = std::size_t{64} << 10;
/// A process can have some 65,000 mappings, of which each guard makes two: many stacks share their guards.
constexpr std::size_t kGuardedAlone = 256, kSharingGuard = 32;

} // namespace

#if defined(CLOTHO_PORTABLE_GUARD)

struct Fibres::Fibre {
  ucontext_t place;
  State state;
};

#else

struct Fibres::Fibre {
  void* place; ///< its stack pointer; the registers that a callee keeps lie there
  State state;
};

extern "C" {
/// Saves where the caller is in `*from` and goes on at `to`. fibre_switch_x86_64.S
void clothoSwitchFibre(void** from, void* to);
/// Entry point of a new fibre: calls r13 with r12.
void clothoBeginFibre();
}

#endif

Fibres::~Fibres() {
  unmap();
  delete caller_;
}

void Fibres::unmap() noexcept {
  range_.release();
  delete[] std::exchange(fibres_, nullptr);
  count_ = stackBytes_ = 0;
}

bool Fibres::reserve(std::size_t count, std::size_t stackBytes) noexcept {
  stackBytes = ReservedMemory::toPages(stackBytes);
  if (count <= count_ && stackBytes <= stackBytes_) [[likely]]
    return true;
  count = count > count_ ? count : count_;
  stackBytes = stackBytes > stackBytes_ ? stackBytes : stackBytes_;
  const std::size_t each = kGuardBytes + stackBytes;
  std::size_t all;
  if (__builtin_mul_overflow(each, count, &all)) return false;
  std::unique_ptr<Fibre[]> fibres(new (std::nothrow) Fibre[count]);
  if (!caller_) caller_ = new (std::nothrow) Fibre;
  if (!fibres || !caller_) return false;
  ReservedMemory fresh = ReservedMemory::reserve(all, MAP_STACK);
  if (!fresh.base()) return false;
  // Stacks that share a guard are made usable together with the bounds between them.
  const std::size_t step = count <= kGuardedAlone ? 1 : kSharingGuard;
  for (std::size_t i = 0; i < count; i += step) {
    const std::size_t begin = each * i + kGuardBytes, end = each * (count - i > step ? i + step : count);
    if (fresh.makeUsable(begin, end - begin)) continue;
    // There may be too many mappings already. Without a guard a stack is as good; only an overflow goes unnoticed.
    if (fresh.makeUsable(0, fresh.size())) break;
    fresh.release();
    return false;
  }
  range_.release();
  range_ = fresh;
  delete[] fibres_;
  fibres_ = fibres.release();
  count_ = count;
  stackBytes_ = stackBytes;
  guardBytes_ = kGuardBytes;
  return true;
}

bool Fibres::guardHas(std::uintptr_t address) const noexcept {
  const std::uintptr_t offset = address - reinterpret_cast<std::uintptr_t>(begin());
  if (!begin() || offset >= static_cast<std::size_t>(end() - begin())) return false;
  return offset % (guardBytes_ + stackBytes_) < guardBytes_;
}

#if defined(CLOTHO_PORTABLE_GUARD)

void Fibres::mainPortable(unsigned high, unsigned low) noexcept {
  main(std::bit_cast<Fibres*>(std::uintptr_t{high} << 32 | low));
}

void Fibres::prepare(Fibre& fibre, std::byte* top) noexcept {
  getcontext(&fibre.place);
  fibre.place.uc_stack.ss_sp = top - stackBytes_;
  fibre.place.uc_stack.ss_size = stackBytes_;
  fibre.place.uc_link = nullptr;
  const auto self = reinterpret_cast<std::uintptr_t>(this);
  makecontext(&fibre.place, reinterpret_cast<void (*)()>(&mainPortable), 2, static_cast<unsigned>(self >> 32),
              static_cast<unsigned>(self));
}

#else

CLOTHO_UNINSTRUMENTED void Fibres::prepare(Fibre& fibre, std::byte* top) noexcept {
  // As clothoSwitchFibre leaves a stack: r15, r14, r13, r12, rbx, rbp, and where to return to. Aligned so that the call
  // of r13 pushes its return address below a multiple of 16.
  constexpr int kR13 = 2, kR12 = 3, kReturn = 6, kWords = 9;
  auto* words = reinterpret_cast<std::uintptr_t*>(top) - kWords;
  for (int i = 0; i < kWords; ++i)
    words[i] = 0;
  words[kR12] = reinterpret_cast<std::uintptr_t>(this);
  words[kR13] = reinterpret_cast<std::uintptr_t>(&main);
  words[kReturn] = reinterpret_cast<std::uintptr_t>(&clothoBeginFibre);
  fibre.place = words;
}

#endif

/// On the running fibre's stack; `used_` is the caller.
CLOTHO_UNINSTRUMENTED void Fibres::switchTo(std::uint64_t next) noexcept {
  Fibre& from = running_ == used_ ? *caller_ : fibres_[running_];
  Fibre& to = next == used_ ? *caller_ : fibres_[next];
  running_ = next;
  if (to.state == State::Unborn) {
    to.state = State::Ready;
    prepare(to, begin() + (guardBytes_ + stackBytes_) * (next + 1));
  }
#if defined(CLOTHO_PORTABLE_GUARD)
  swapcontext(&from.place, &to.place);
#else
  clothoSwitchFibre(&from.place, to.place);
#endif
}

CLOTHO_UNINSTRUMENTED void Fibres::main(Fibres* self) noexcept {
  const std::uint64_t index = self->running_;
  self->function_(self->arguments_, index);
  self->fibres_[index].state = State::Ended;
  --self->live_;
  // A work-item that has returned counts as arrived.
  std::uint64_t next = self->used_;
  if (self->live_) next = self->arrived_ == self->live_ ? self->release() : self->nextReady();
  self->switchTo(next);
  __builtin_unreachable();
}

/// The next after the running one that can go on, or the running one itself when no other can.
CLOTHO_UNINSTRUMENTED std::uint64_t Fibres::nextReady() const noexcept {
  for (std::uint64_t i = running_ + 1; i < used_; ++i)
    if (fibres_[i].state <= State::Ready) return i;
  for (std::uint64_t i = 0; i < running_; ++i)
    if (fibres_[i].state <= State::Ready) return i;
  return running_;
}

/// Returns the first of those that can go on now. In their order: work-group functions count on it
/// (compiler/transform/lower/lower_work_group_functions.hpp).
CLOTHO_UNINSTRUMENTED std::uint64_t Fibres::release() noexcept {
  std::uint64_t first = used_;
  for (std::uint64_t i = used_; i-- > 0;)
    if (fibres_[i].state == State::AtBarrier) {
      fibres_[i].state = State::Ready;
      first = i;
    }
  arrived_ = 0;
  return first;
}

CLOTHO_UNINSTRUMENTED bool Fibres::run(SubGroupFunction* function, void* arguments, std::uint64_t count) noexcept {
  if (count == 0) return true;
  // A kernel's rare parts may have been made for fewer work-items at once than the launch has counted with.
  if (count > count_ && !reserve(count, stackBytes_)) return false;
  function_ = function;
  arguments_ = arguments;
  used_ = live_ = count;
  arrived_ = 0;
  idleYields_ = 0;
  for (std::uint64_t i = 0; i < count; ++i)
    fibres_[i].state = State::Unborn;
  caller_->state = State::Ready;
  running_ = used_;
  switchTo(0);
  return true;
}

CLOTHO_UNINSTRUMENTED void Fibres::yield() noexcept {
  const std::uint64_t next = nextReady();
  if (next != running_) {
    idleYields_ = 0;
    return switchTo(next);
  }
  if (++idleYields_ < kIdleYields) {
#if defined(__x86_64__)
    __builtin_ia32_pause();
#endif
    return;
  }
  idleYields_ = 0;
  sched_yield();
}

CLOTHO_UNINSTRUMENTED void Fibres::barrier() noexcept {
  fibres_[running_].state = State::AtBarrier;
  if (++arrived_ < live_) return switchTo(nextReady());
  const std::uint64_t first = release();
  if (first != running_) switchTo(first);
}

constexpr SubGroupServices kSubGroupServices = {
    [](WorkerContext* context, SubGroupFunction* function, void* arguments, std::uint64_t count) {
      if (static_cast<Fibres*>(context->subGroupState)->run(function, arguments, count)) return;
      Fault fault;
      fault.lacksMemory = true;
      leaveGuardedCall(fault);
    },
    [](WorkerContext* context) { static_cast<Fibres*>(context->subGroupState)->yield(); },
    [](WorkerContext* context) { static_cast<Fibres*>(context->subGroupState)->barrier(); },
};

} // namespace clotho::cpu
