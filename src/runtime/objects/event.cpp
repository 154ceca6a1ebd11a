// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/objects/event.hpp"

#include "base/spin.hpp"
#include "runtime/background_threads.hpp"
#include "runtime/process.hpp"

#include <algorithm>
#include <utility>

namespace clotho {

namespace {

/// Whether a thread that waits for `context` may run it: only commands the wait depends on for certain. Anything
/// else could keep the thread after its wait is over.
bool isWantedBy(const Node& candidate, const void* context) {
  const Event& target = *static_cast<const Event*>(context);
  const Node& whole = candidate.whole();
  if (&whole == &target) return true;
  if (!target.queue()->isInOrder() && !target.dependsOnWholeQueue()) return false;
  // Each queue has a device queue of its own, and numbers its commands by itself.
  return whole.deviceQueue() == target.deviceQueue() && whole.sequence() <= target.sequence();
}

} // namespace

/// A callback that waits for its state, and then for its turn on the callback thread.
struct Event::CallbackEntry final : Work {
  CallbackEntry(Event& event, cl_int status, Callback function, void* userData)
      : event(event), status(status), function(function), userData(userData) {}
  void run() override {
    static constinit const trace::Name kCallback("callback");
    const trace::Scope traced(kCallback);
    function(static_cast<cl_event>(event.get()), status, userData);
  }

  /// Gives it to the callback thread. An error takes the place of the state that was waited for (section 5.11,
  /// clSetEventCallback).
  static void post(std::unique_ptr<CallbackEntry> entry, cl_int reached) noexcept {
    if (reached < 0) entry->status = reached;
    Process::get().callbacks().post(std::unique_ptr<Work>(std::move(entry)));
  }

  const Ref<Event> event; // the handle stays valid until the callback has run
  cl_int status;
  const Callback function;
  void* const userData;
  std::unique_ptr<CallbackEntry> next;
};

Event::Event(Context& context, Queue* queue, cl_command_type type, Command&& command)
    : Node(queue ? &queue->deviceQueue() : nullptr, work_, state_, queue && queue->isTimed()), context_(&context),
      queue_(queue), type_(type), work_(std::move(command)) {
  if (!queue) ownContext_ = Ref<Context>(context);
  if (isTimed()) stamp(Queued);
  if (queue) setTraced(queue->traceNumber());
}

Event::~Event() = default;

void Event::destroy() noexcept {
  Queue* queue = holdsQueue_ ? queue_ : nullptr;
  Process::get().slab<Event>().destroy(this);
  if (queue) queue->giveBack();
}

void Event::stamp(Stamp stamp) noexcept {
  // A trace alone does not want to know how long a call takes, and reads the cheapest clock.
  if (queue_->isProfiled())
    stamps_[stamp] = queue_->device().now();
  else
    stamps_[stamp] = stamp == Submitted ? stamps_[Queued] : trace::stampNow();
  // A command that has enqueued nothing ends when it is complete.
  if (stamp == Completed && stamps_[Ended] == 0) stamps_[Ended] = stamps_[Completed];
}

// A clock that is the host's but for some microseconds may put them before the call.
void Event::storeTimes(std::uint64_t started, std::uint64_t ended) noexcept {
  const bool isComparable = (stamps_[Submitted] & trace::kTicksBit) == 0;
  stamps_[Started] = isComparable ? std::max(started, stamps_[Submitted]) : started;
  stamps_[Ended] = stamps_[Completed] = std::max(ended, stamps_[Started]);
}

void Event::ended(cl_int, WorkList&) noexcept {
  if (holdsQueue_ && queue_->isOrphan()) [[unlikely]]
    queue_->forget(*this);
}

void Event::runOnHost() noexcept {
  // The application frees memory on the thread on which it is told of events, since that is what the call is for it.
  if (std::get_if<FreeShared>(&command()))
    return Process::get().callbacks().post([this] {
      setRunsHere();
      begin();
      FreeShared& free = *std::get_if<FreeShared>(&command());
      void** pointers = free.pointers.empty() ? nullptr : free.pointers.data();
      free.function(queue_, static_cast<cl_uint>(free.pointers.size()), pointers, free.userData);
      complete(CL_COMPLETE);
    });
  Process::get().nativeKernels().post(
      [this] {
        setRunsHere();
        begin();
        const HostCall& call = *std::get_if<HostCall>(&command());
        call.function(call.args.get());
        complete(CL_COMPLETE);
      },
      queue_);
}

void Event::freeShared(const FreeShared& free) noexcept {
  for (void* pointer : free.pointers)
    context_->sharedMemory().free(pointer);
}

void Event::report(std::string message, LogLevel level) noexcept { context_->report(std::move(message), level); }

cl_int Event::wait() {
  const auto isOver = [](const void* event) { return static_cast<const Event*>(event)->isDone(); };
  if (!isDone()) {
    if (Helping* helping = queue_ ? queue_->device().helping() : nullptr)
      helping->help(isWantedBy, isOver, this);
    else
      spinUntil(isOver, this);
  }
  if (!isDone()) sleepUntilDone();
  return status();
}

bool Event::setUserStatus(cl_int status) noexcept {
  if (userStatusSet_.exchange(true, std::memory_order_acq_rel)) return false;
  retain(); // complete() gives it back
  complete(status);
  return true;
}

void Event::addCallback(cl_int status, Callback function, void* userData) {
  auto entry = std::make_unique<CallbackEntry>(*this, status, function, userData);
  cl_int now;
  {
    MutexLock lock(callbackMutex_);
    setObserved();
    // A state that is reached after this line finds the entry; one reached before it is seen here.
    now = this->status();
    if (now > status) {
      entry->next = std::move(callbacks_);
      callbacks_ = std::move(entry);
      return;
    }
  }
  CallbackEntry::post(std::move(entry), now);
}

void Event::reached(cl_int status) noexcept {
  std::unique_ptr<CallbackEntry> due; // oldest first
  {
    MutexLock lock(callbackMutex_);
    for (std::unique_ptr<CallbackEntry>* place = &callbacks_; *place;) {
      if ((*place)->status < status) {
        place = &(*place)->next;
        continue;
      }
      std::unique_ptr<CallbackEntry> taken = std::move(*place);
      *place = std::exchange(taken->next, std::move(due));
      due = std::move(taken);
    }
  }
  while (due) {
    std::unique_ptr<CallbackEntry> entry = std::move(due);
    due = std::move(entry->next);
    CallbackEntry::post(std::move(entry), status);
  }
}

bool Event::hasProfiling() const { return queue_ && queue_->isProfiled() && isTimedByAll_ && status() == CL_COMPLETE; }

std::uint64_t Event::profilingTime(cl_profiling_info what) const {
  switch (what) {
  case CL_PROFILING_COMMAND_QUEUED: return stamps_[Queued];
  case CL_PROFILING_COMMAND_SUBMIT: return stamps_[Submitted];
  case CL_PROFILING_COMMAND_START: return stamps_[Started];
  case CL_PROFILING_COMMAND_END: return stamps_[Ended];
  case CL_PROFILING_COMMAND_COMPLETE: return stamps_[Completed];
  default: throw Error{CL_INVALID_VALUE, "unknown cl_profiling_info"};
  }
}

} // namespace clotho
