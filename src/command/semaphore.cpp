// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "command/semaphore.hpp"

#include "command/work_list.hpp"

#include <utility>

namespace clotho {

// --- The semaphore ---

bool BinarySemaphore::isSignaled() const {
  MutexLock lock(mutex_);
  return raised_ > 0;
}

void BinarySemaphore::setRaised(SemaphorePulse& pulse, bool isRaised) noexcept {
  if (pulse.isRaised_ == isRaised) return;
  pulse.isRaised_ = isRaised;
  raised_ += isRaised ? 1U : ~std::uint64_t{0};
}

Ref<SemaphorePulse> BinarySemaphore::takeUnsignaled() noexcept {
  Ref<SemaphorePulse> first = std::move(firstUnsignaled_);
  if (!first) return first;
  firstUnsignaled_ = std::move(first->next_);
  if (!firstUnsignaled_) lastUnsignaled_ = nullptr;
  return first;
}

Ref<SemaphorePulse> BinarySemaphore::addSignal(Ref<SemaphorePulse> fresh) noexcept {
  Ref<SemaphorePulse> replaced; // released without the lock
  MutexLock lock(mutex_);
  Ref<SemaphorePulse> pulse = takeUnsignaled();
  if (!pulse) {
    pulse = std::move(fresh);
    replaced = std::exchange(unwaited_, pulse);
    if (replaced) {
      replaced->isReplaced_ = true;
      setRaised(*replaced, false);
    }
  }
  pulse->signal_ = ++signals_;
  return pulse;
}

Ref<SemaphorePulse> BinarySemaphore::addWait(Ref<SemaphorePulse> fresh) noexcept {
  MutexLock lock(mutex_);
  if (unwaited_) return std::move(unwaited_);
  if (lastUnsignaled_)
    lastUnsignaled_->next_ = fresh;
  else
    firstUnsignaled_ = fresh;
  lastUnsignaled_ = fresh.get();
  return fresh;
}

void BinarySemaphore::signalEnds(SemaphorePulse& pulse, cl_int status) noexcept {
  Ref<SemaphorePulse> failed; // released without the lock
  MutexLock lock(mutex_);
  if (status >= 0)
    setRaised(pulse, !pulse.isReplaced_);
  else if (unwaited_.get() == &pulse)
    failed = std::move(unwaited_);
}

void BinarySemaphore::endSignal(SemaphorePulse& pulse, cl_int status) noexcept {
  signalEnds(pulse, status);
  WorkList list;
  pulse.end(status, list);
  list.run();
}

Ref<SemaphorePulse> BinarySemaphore::waitEnds(SemaphorePulse& pulse, cl_int status) noexcept {
  MutexLock lock(mutex_);
  const bool staysSignaled = status < 0 && pulse.isRaised_ && pulse.signal_ == signals_;
  Ref<SemaphorePulse> next = staysSignaled ? takeUnsignaled() : nullptr;
  if (staysSignaled && !next) {
    unwaited_ = Ref<SemaphorePulse>(pulse);
    return nullptr;
  }
  setRaised(pulse, false);
  if (next) {
    next->signal_ = pulse.signal_;
    setRaised(*next, true);
  }
  return next;
}

// --- Commands ---

SemaphoreList::SemaphoreList(const std::vector<Ref<BinarySemaphore>>& semaphores) {
  used_.reserve(semaphores.size());
  for (const Ref<BinarySemaphore>& semaphore : semaphores)
    used_.push_back({semaphore, Ref<SemaphorePulse>::adopt(new SemaphorePulse)});
}

void SemaphoreSignal::enqueued(Node&) noexcept {
  for (Used& used : used_)
    used.pulse = used.semaphore->addSignal(std::move(used.pulse));
}

void SemaphoreSignal::ends(cl_int status) noexcept {
  for (Used& used : used_)
    used.semaphore->signalEnds(*used.pulse, status);
}

void SemaphoreSignal::ended(cl_int status, WorkList& list) noexcept {
  for (Used& used : used_)
    used.pulse->end(status, list);
}

void SemaphoreWait::enqueued(Node& command) noexcept {
  for (Used& used : used_) {
    used.pulse = used.semaphore->addWait(std::move(used.pulse));
    command.dependOn(*used.pulse, true);
  }
}

void SemaphoreWait::ends(cl_int status) noexcept {
  for (Used& used : used_)
    used.pulse = used.semaphore->waitEnds(*used.pulse, status);
}

void SemaphoreWait::ended(cl_int, WorkList& list) noexcept {
  for (Used& used : used_)
    if (used.pulse) used.pulse->end(CL_COMPLETE, list);
}

} // namespace clotho
