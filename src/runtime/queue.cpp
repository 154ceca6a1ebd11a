// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/queue.hpp"

#include "runtime/process.hpp"

namespace clotho {

Queue::Queue(Context& context, Device& device, cl_command_queue_properties properties,
             std::vector<cl_queue_properties> propertyList)
    : context_(context), device_(device), properties_(properties), propertyList_(std::move(propertyList)) {}

void Queue::destroy() noexcept { Process::get().slab<Queue>().destroy(this); }

// The newest commands refer to their queue and the queue to them. Once the application cannot enqueue any more the
// queue needs them no longer, and this breaks the circle.
void Queue::lastApiRelease() noexcept {
  Ref<Event> last, barrier, join;
  std::int64_t lent = 0;
  {
    MutexLock lock(mutex_);
    lent = lent_;
    last = std::move(last_);
    barrier = std::move(barrier_);
    join = std::move(join_);
  }
  if (join) join->arm(); // commands may still point to it
  if (lent && returned_.fetch_sub(lent, std::memory_order_acq_rel) == lent) release();
}

Ref<Event> Queue::submit(cl_command_type type, Command&& command, WaitList deps) {
  Ref<Event> event = make<Event>(*context_, this, type, std::move(command));
  for (Event* dependency : deps)
    event->dependOn(*dependency, true);
  {
    MutexLock lock(mutex_);
    lendTo(*event);
    event->setSequence(++sequence_);
    if (isInOrder()) {
      follow(*event);
    } else {
      if (barrier_) event->dependOn(*barrier_, false);
      event->precede(*openJoin());
      event->holdArguments(nullptr);
    }
  }
  event->arm();
  return event;
}

Ref<Event> Queue::marker(cl_command_type type, WaitList deps) {
  if (isInOrder() || !deps.empty()) return submit(type, Nothing{}, deps);
  return join(type, false);
}

Ref<Event> Queue::barrier(cl_command_type type, WaitList deps) {
  if (isInOrder()) return submit(type, Nothing{}, deps);
  if (deps.empty()) return join(type, true);

  // With a list it waits for that list alone, and still holds back every later command (section 5.12).
  Ref<Event> event = make<Event>(*context_, this, type, Nothing{});
  for (Event* dependency : deps)
    event->dependOn(*dependency, true);
  {
    MutexLock lock(mutex_);
    lendTo(*event);
    event->setSequence(++sequence_);
    if (barrier_) event->dependOn(*barrier_, false);
    event->precede(*openJoin());
    barrier_ = event;
  }
  event->arm();
  return event;
}

void Queue::finish() {
  Ref<Event> target;
  if (isInOrder()) {
    MutexLock lock(mutex_);
    target = last_;
  } else {
    target = join(CL_COMMAND_MARKER, false);
  }
  if (target) target->wait();
}

void Queue::lendTo(Event& event) {
  if (lent_++ == 0) retain();
  event.holdQueue();
}

void Queue::giveBack() noexcept {
  // Positive or negative until the last command of a released queue.
  if (returned_.fetch_add(1, std::memory_order_acq_rel) == -1) release();
}

void Queue::follow(Event& event) {
  if (last_) event.dependOn(*last_, false);
  event.holdArguments(last_.get());
  last_ = Ref<Event>(event);
}

Ref<Event>& Queue::openJoin() {
  if (!join_) {
    join_ = make<Event>(*context_, this, CL_COMMAND_MARKER, Nothing{});
    lendTo(*join_);
    join_->setDependsOnWholeQueue();
  }
  return join_;
}

Ref<Event> Queue::join(cl_command_type type, bool isBarrier) {
  Ref<Event> event;
  {
    MutexLock lock(mutex_);
    event = openJoin();
    join_ = nullptr;
    event->setType(type);
    event->setSequence(++sequence_);
    event->precede(*openJoin()); // what is earlier than this is earlier than the next join
    if (isBarrier) barrier_ = event;
  }
  event->arm();
  return event;
}

} // namespace clotho
