// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/objects/queue.hpp"

#include "command/semaphore.hpp"
#include "runtime/process.hpp"
#include "trace/trace.hpp"

#include <utility>

namespace clotho {

Queue::Queue(Context& context, Device& device, cl_command_queue_properties properties,
             std::vector<cl_queue_properties> propertyList)
    : context_(context), device_(device),
      deviceQueue_(device.makeQueue({.isInOrder = !(properties & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE),
                                     .isTimed = (properties & CL_QUEUE_PROFILING_ENABLE) != 0 || trace::isOn()})),
      home_(context.homes().of(device.memory())), properties_(properties), propertyList_(std::move(propertyList)),
      traceNumber_(trace::addQueue(&device, device.properties().name, isInOrder() ? "in order" : "out of order")) {
  context.add(*this);
}

Queue::~Queue() { context_->remove(*this); }

void Queue::destroy() noexcept { Process::get().slab<Queue>().destroy(this); }

void Queue::apiHoldChanged() noexcept {
  {
    MutexLock lock(mutex_);
    isOrphan_.store(apiRefs() == 0, std::memory_order_seq_cst);
  }
  leaveToCommands();
}

// The newest commands refer to their queue and the queue to them, which has to end when the application cannot enqueue
// any more. But it may come back to the queue by way of an event (CL_EVENT_COMMAND_QUEUE), and what it enqueues then
// comes after what is not done yet. So the queue knows its newest command until that is done.
void Queue::leaveToCommands() noexcept {
  Ref<Event> last, barrier, join;
  bool isPaidBack = false;
  {
    MutexLock lock(mutex_);
    if (!isOrphan()) return;
    if (join_) { // it stands for all earlier commands; some may point to it
      join_->addPredecessors(std::exchange(joined_, 0));
      join_->close();
      join_->setSequence(++sequence_);
      join = join_;
      last_ = std::move(join_);
    }
    if (const std::int64_t lent = std::exchange(lent_, 0)) {
      const std::int64_t returned = returned_.fetch_sub(lent, std::memory_order_acq_rel);
      // All have come back. Or commands from an earlier time are out, too: one reference does for them and these.
      isPaidBack = returned == lent || returned < 0;
    }
  }
  if (join) join->arm();
  {
    MutexLock lock(mutex_);
    // One that is not done yet sees that the queue is an orphan when it is: see Event::finish.
    if (isOrphan() && last_ && last_->isDone()) {
      last = std::move(last_);
      barrier = std::move(barrier_);
    }
  }
  if (isPaidBack) release();
}

void Queue::forget(Event& event) noexcept {
  Ref<Event> last, barrier;
  MutexLock lock(mutex_);
  if (!isOrphan() || last_.get() != &event) return;
  last = std::move(last_);
  barrier = std::move(barrier_);
}

Ref<Event> Queue::makeEvent(HomeId home, cl_command_type type, Command&& command) {
  Ref<Event> event = make<Event>(*context_, this, type, std::move(command));
  if (context_->homes().count() > 1) event->setHome(home);
  if (SharedMemory& shared = context_->sharedMemory(); shared.isGuarded())
    event->setGuardedUse(shared.guardedUse(event->command(), home));
  return event;
}

Ref<Event> Queue::submitTo(HomeId home, cl_command_type type, Command&& command, WaitList deps, bool isWanted) {
  return add(makeEvent(home, type, std::move(command)), deps, isWanted);
}

Ref<Event> Queue::submitAfter(HomeId home, cl_command_type type, Command&& command, Event& before) {
  Ref<Event> event = makeEvent(home, type, std::move(command));
  event->endAsPredecessor();
  Event* const deps[] = {&before};
  return add(std::move(event), deps, true);
}

Ref<Event> Queue::add(Ref<Event> event, WaitList deps, bool isWanted) {
  if (isWanted) event->setWatched();
  const auto* semaphores = std::get_if<UseSemaphores>(&event->command());
  event->reserveDependencies(deps.size() + 1 + (semaphores ? semaphores->use->size() : 0));
  Ref<Event> before;
  {
    MutexLock lock(mutex_);
    if (!isInOrder()) openJoin();
    check(event->holdArguments(isInOrder() ? last_.get() : nullptr), CL_INVALID_MEM_OBJECT,
          "a buffer that is an argument was released");
    // From here on nothing fails: others point to the event.
    lendTo(*event);
    if (isWanted) event->holdItself();
    event->setSequence(++sequence_);
    if (isInOrder()) {
      before = std::exchange(last_, Ref<Event>::toUnshared(*event));
      if (before) event->dependOn(*before, false);
    } else {
      precedeJoin(*event);
      if (barrier_) event->dependOn(*barrier_, false);
    }
    // Signals and waits of threads that enqueue at once meet in the order of the queue, too.
    if (auto* semaphores = std::get_if<UseSemaphores>(&event->command())) semaphores->use->enqueued(*event);
  }
  // If the event is not wanted, our reference becomes the one that the event holds to itself.
  launch(isWanted ? *event : *event.detach(), deps);
  return event;
}

void Queue::launch(Event& event, WaitList deps) noexcept {
  const bool isTraced = traceNumber_ != 0;
  if (isTraced && !deps.empty()) event.noteTracedWaits(deps);
  for (Event* dependency : deps) {
    const bool isDone = !event.dependOn(*dependency, true);
    if (isTraced && isDone && dependency->traceId().queue != 0) dependency->traceSuccessor(event);
  }
  event.arm();
  if (isOrphan()) [[unlikely]]
    leaveToCommands();
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
  event->setWatched();
  event->reserveDependencies(deps.size() + 1);
  {
    MutexLock lock(mutex_);
    openJoin();
    lendTo(*event);
    event->holdItself();
    event->setSequence(++sequence_);
    precedeJoin(*event);
    if (barrier_) event->dependOn(*barrier_, false);
    barrier_ = event;
  }
  launch(*event, deps);
  return event;
}

void Queue::finish() {
  static constinit const trace::Name kFinish("clFinish");
  const trace::Scope traced(kFinish);
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

void Queue::openJoin() {
  if (join_) return;
  join_ = make<Event>(*context_, this, CL_COMMAND_MARKER, Nothing{});
  join_->setWatched();
  joined_ = 0;
  lendTo(*join_);
  join_->holdItself();
  join_->setDependsOnWholeQueue();
  if (last_) join_->reserveDependencies(1);
  join_->openForPredecessors();
  if (last_) { // what there was when the queue was an orphan
    join_->dependOn(*last_, false);
    last_ = nullptr;
  }
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
  const std::uint64_t now = isTimed() ? device_->now() : 0;
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
    event->setQueuedAt(now);
    event->setSequence(++sequence_);
    precedeJoin(*event); // what is earlier than this is earlier than the next join
    if (isBarrier) barrier_ = event;
  }
  launch(*event, {});
  return event;
}

} // namespace clotho
