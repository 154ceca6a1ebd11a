// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/event.hpp"

#include "base/spin.hpp"
#include "runtime/background_threads.hpp"
#include "runtime/process.hpp"

#include <utility>

namespace clotho {

namespace {

/// Marks a successor list to which nothing can be added any more: the event is done.
constinit Edge sealedMark;
Edge* const kSealed = &sealedMark;

/// Which commands a thread that waits for `context` may run: those the wait depends on for certain. Running anything
/// else could keep the thread after its wait is over.
bool isWantedBy(const Event& candidate, const void* context) {
  const Event& target = *static_cast<const Event*>(context);
  if (&candidate == &target) return true;
  const Queue* queue = target.queue();
  if (!queue || candidate.queue() != queue || candidate.sequence() > target.sequence()) return false;
  return queue->isInOrder() || target.dependsOnWholeQueue();
}

} // namespace

/// A callback that waits for its state, and then for its turn on the callback thread.
struct Event::CallbackEntry final : Work {
  CallbackEntry(Event& event, cl_int status, Callback function, void* userData)
      : event(event), status(status), function(function), userData(userData) {}
  void run() override { function(static_cast<cl_event>(event.get()), status, userData); }

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

/// Events whose dependencies are met or whose end is to be spread: a list instead of recursion.
class WorkList {
 public:
  void push(Event& event) {
    event.nextReady_ = nullptr;
    (last_ ? last_->nextReady_ : first_) = &event;
    last_ = &event;
  }
  void run() noexcept {
    while (Event* event = first_) {
      first_ = event->nextReady_;
      if (!first_) last_ = nullptr;
      if (event->inheritedFailure_.load(std::memory_order_relaxed) < 0) {
        event->finish(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST, *this);
      } else if (std::holds_alternative<Nothing>(event->command_)) {
        event->begin();
        event->finish(CL_COMPLETE, *this);
      } else {
        event->queue_->device().start(*event);
      }
    }
  }

 private:
  Event* first_ = nullptr;
  Event* last_ = nullptr;
};

Event::Event(Context& context, Queue* queue, cl_command_type type, Command&& command)
    : context_(&context), queue_(queue), type_(type), status_(queue ? CL_QUEUED : CL_SUBMITTED),
      profiled_(queue && (queue->properties() & CL_QUEUE_PROFILING_ENABLE)), command_(std::move(command)) {
  if (!queue) ownContext_ = Ref<Context>(context);
  if (profiled_) stamps_[Queued] = queue->device().now();
}

Event::~Event() = default;

void Event::destroy() noexcept {
  Queue* queue = holdsQueue_ ? queue_ : nullptr;
  Process::get().slab<Event>().destroy(this);
  if (queue) queue->giveBack();
}

bool Event::link(Edge& edge, Event& successor, bool passesFailure) noexcept {
  edge.successor = &successor;
  edge.passesFailure = passesFailure;
  // An armed command keeps itself alive. A user event is kept by the first command that waits for it (section 5.11,
  // clReleaseEvent), until finish().
  if (!queue_) retain();
  Edge* head = successors_.load(std::memory_order_acquire);
  do {
    if (head == kSealed) break; // done in the meantime
    edge.next = head;
  } while (!successors_.compare_exchange_weak(head, &edge, std::memory_order_release, std::memory_order_acquire));
  if (!queue_ && head) release();
  return head != kSealed;
}

void Event::reserveDependencies(std::size_t count) {
  if (count > kInlineEdges) moreEdges_ = std::make_unique<Edge[]>(count - kInlineEdges);
  reserved_ = static_cast<std::uint32_t>(count);
  unmet_.store(1 + reserved_, std::memory_order_relaxed);
}

void Event::dependOn(Event& predecessor, bool passesFailure) noexcept {
  if (predecessor.successors_.load(std::memory_order_acquire) != kSealed) {
    Edge& edge = usedEdges_ < kInlineEdges ? inlineEdges_[usedEdges_] : moreEdges_[usedEdges_ - kInlineEdges];
    if (predecessor.link(edge, *this, passesFailure)) {
      ++usedEdges_;
      return;
    }
  }
  cl_int status = predecessor.status();
  if (passesFailure && status < 0) inheritedFailure_.store(status, std::memory_order_relaxed);
}

void Event::precede(Event& join) noexcept {
  joinEdge_.successor = &join;
  successors_.store(&joinEdge_, std::memory_order_relaxed);
}

bool Event::holdArguments(Event* predecessor) noexcept {
  const auto* launch = std::get_if<Launch>(&command_);
  if (!launch) return true;
  referencesId_ = launch->referencesId;
  bool taken = predecessor && referencesId_ && predecessor->referencesId_ == referencesId_ &&
               predecessor->holdsArguments_.exchange(false, std::memory_order_acq_rel);
  if (!taken && !launch->tryRetainReferences()) return false;
  holdsArguments_.store(true, std::memory_order_relaxed);
  return true;
}

void Event::arm() noexcept {
  if (profiled_) stamps_[Submitted] = queue_->device().now();
  status_.store(CL_SUBMITTED, std::memory_order_release);
  const std::uint32_t notToCome = 1 + reserved_ - usedEdges_;
  if (unmet_.fetch_sub(notToCome, std::memory_order_acq_rel) == notToCome) {
    WorkList list;
    list.push(*this);
    list.run();
  }
}

/// While this command runs, the memory of the next one is fetched from the core that has enqueued it.
void Event::prefetchSuccessor() const noexcept {
  constexpr std::ptrdiff_t kLine = 64, kBefore = 2, kBehind = 8;
  Edge* edge = successors_.load(std::memory_order_relaxed);
  if (!edge || edge == kSealed) return;
  // An edge of a long wait list is elsewhere; then this fetches something else, which does no harm.
  const auto* middle = reinterpret_cast<const std::byte*>(edge);
  for (std::ptrdiff_t line = -kBefore; line <= kBehind; ++line)
    __builtin_prefetch(middle + line * kLine, 1);
}

void Event::begin() noexcept {
  std::uint32_t expected = CL_SUBMITTED;
  if (!status_.compare_exchange_strong(expected, CL_RUNNING, std::memory_order_acq_rel)) return;
  if (profiled_) stamps_[Started] = queue_->device().now();
  prefetchSuccessor();
  reached(CL_RUNNING);
}

void Event::complete(cl_int status) noexcept {
  WorkList list;
  finish(status, list);
  list.run();
}

void Event::finish(cl_int status, WorkList& list) noexcept {
  if (profiled_) stamps_[Ended] = queue_->device().now();
  // What the command kept alive goes first: whoever sees the command complete finds its own references the last ones.
  if (holdsArguments_.exchange(false, std::memory_order_acq_rel)) std::get_if<Launch>(&command_)->releaseReferences();
  command_ = Nothing{};
  status_.store(static_cast<std::uint32_t>(status), std::memory_order_seq_cst);
  if (waiters_.load(std::memory_order_seq_cst)) Parking::wakeAll(status_);
  reached(status);
  if (holdsQueue_ && queue_->isOrphan()) [[unlikely]]
    queue_->forget(*this);

  Edge* edge = successors_.exchange(kSealed, std::memory_order_acq_rel);
  if (edge && !queue_) release(); // see link(); there is a reference left
  while (edge) {
    Edge* next = edge->next; // the edge may be gone once its successor is ready
    Event& successor = *edge->successor;
    if (edge->passesFailure && status < 0) successor.inheritedFailure_.store(status, std::memory_order_relaxed);
    if (successor.dependencyMet()) list.push(successor);
    edge = next;
  }
  release();
}

cl_int Event::wait() {
  const auto isOver = [](const void* event) { return static_cast<const Event*>(event)->isDone(); };
  if (!isDone()) {
    if (queue_)
      queue_->device().help(isWantedBy, isOver, this);
    else
      spinUntil(isOver, this);
  }
  if (!isDone()) {
    waiters_.fetch_add(1, std::memory_order_seq_cst);
    for (std::uint32_t now = status_.load(std::memory_order_seq_cst); static_cast<cl_int>(now) > CL_COMPLETE;
         now = status_.load(std::memory_order_seq_cst))
      Parking::wait(status_, now);
    waiters_.fetch_sub(1, std::memory_order_relaxed);
  }
  return status();
}

bool Event::setUserStatus(cl_int status) noexcept {
  if (userStatusSet_.exchange(true, std::memory_order_acq_rel)) return false;
  retain(); // finish() gives it back
  complete(status);
  return true;
}

void Event::addCallback(cl_int status, Callback function, void* userData) {
  auto entry = std::make_unique<CallbackEntry>(*this, status, function, userData);
  cl_int now;
  {
    MutexLock lock(callbackMutex_);
    hasCallbacks_.store(true, std::memory_order_seq_cst);
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
  if (!hasCallbacks_.load(std::memory_order_seq_cst)) return;
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

std::uint64_t Event::profilingTime(cl_profiling_info what) const {
  switch (what) {
  case CL_PROFILING_COMMAND_QUEUED: return stamps_[Queued];
  case CL_PROFILING_COMMAND_SUBMIT: return stamps_[Submitted];
  case CL_PROFILING_COMMAND_START: return stamps_[Started];
  case CL_PROFILING_COMMAND_END:
  // No command has children before device-side enqueue exists, so completion is the end.
  case CL_PROFILING_COMMAND_COMPLETE: return stamps_[Ended];
  default: throw Error{CL_INVALID_VALUE, "unknown cl_profiling_info"};
  }
}

} // namespace clotho
