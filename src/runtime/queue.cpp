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
  std::uint32_t joined = 0;
  {
    MutexLock lock(mutex_);
    lent = lent_;
    joined = joined_;
    last = std::move(last_);
    barrier = std::move(barrier_);
    join = std::move(join_);
  }
  if (join) { // commands may still point to it
    join->addPredecessors(joined);
    join->close();
    join->arm();
  }
  if (lent && returned_.fetch_sub(lent, std::memory_order_acq_rel) == lent) release();
}

Ref<Event> Queue::submit(cl_command_type type, Command&& command, WaitList deps) {
  Ref<Event> event = make<Event>(*context_, this, type, std::move(command));
  event->reserveDependencies(deps.size() + 1);
  {
    MutexLock lock(mutex_);
    if (!isInOrder()) openJoin();
    // From here on nothing fails: others point to the event.
    lendTo(*event);
    event->setSequence(++sequence_);
    if (isInOrder()) {
      follow(*event);
    } else {
      precedeJoin(*event);
      if (barrier_) event->dependOn(*barrier_, false);
      event->holdArguments(nullptr);
    }
  }
  for (Event* dependency : deps)
    event->dependOn(*dependency, true);
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
  event->reserveDependencies(deps.size() + 1);
  {
    MutexLock lock(mutex_);
    openJoin();
    lendTo(*event);
    event->setSequence(++sequence_);
    precedeJoin(*event);
    if (barrier_) event->dependOn(*barrier_, false);
    barrier_ = event;
  }
  for (Event* dependency : deps)
    event->dependOn(*dependency, true);
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

void Queue::openJoin() {
  if (join_) return;
  join_ = make<Event>(*context_, this, CL_COMMAND_MARKER, Nothing{});
  joined_ = 0;
  lendTo(*join_);
  join_->setDependsOnWholeQueue();
  join_->openForPredecessors();
}

void Queue::precedeJoin(Event& event) noexcept {
  // An application may never need a join, however many commands it enqueues; the join's count must not wrap.
  constexpr std::uint32_t kMostUncounted = 1U << 16;
  event.precede(*join_);
  if (++joined_ < kMostUncounted) return;
  join_->addPredecessors(joined_);
  joined_ = 0;
}

Ref<Event> Queue::join(cl_command_type type, bool isBarrier) {
  Ref<Event> event;
  {
    MutexLock lock(mutex_);
    openJoin();
    event = std::move(join_);
    std::uint32_t predecessors = joined_;
    try {
      openJoin(); // the next one
    } catch (...) {
      join_ = std::move(event);
      joined_ = predecessors;
      throw;
    }
    event->addPredecessors(predecessors);
    event->close();
    event->setType(type);
    event->setSequence(++sequence_);
    precedeJoin(*event); // what is earlier than this is earlier than the next join
    if (isBarrier) barrier_ = event;
  }
  event->arm();
  return event;
}

} // namespace clotho
