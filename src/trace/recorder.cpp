// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "trace/recorder.hpp"

#include "base/clock.hpp"
#include "base/log.hpp"
#include "base/not_cancelled.hpp"
#include "base/options.hpp"
#include "base/overloaded.hpp"
#include "base/signals_blocked.hpp"
#include "base/thread_affinity.hpp"
#include "trace/trace.hpp"
#include "trace/transfer_queues.hpp"

#include <cerrno>
#include <cstdlib>
#include <ctime>
#include <functional>
#include <new>
#include <pthread.h>
#include <queue>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <utility>

namespace clotho::trace {

constinit std::atomic<Recorder*> currentRecorder{nullptr};

namespace {

/// The calling thread's log, and the recorder that it belongs to: a forked child has another one. Read for each record,
/// so it must cost no call: initial-exec.
struct OwnLog {
  const Recorder* recorder = nullptr;
  ThreadLog* log = nullptr;
};
constinit thread_local OwnLog own __attribute__((tls_model("initial-exec")));

// Tells of threads that end.
pthread_key_t threadKey;
pthread_once_t threadKeyOnce = PTHREAD_ONCE_INIT;
bool hasThreadKey = false;

void threadEnds(void* log) {
  closeCounters();
  own = {};
  static_cast<ThreadLog*>(log)->end();
}

/// As debuggers show it, with its number.
std::string nameOfThread() {
  char name[32] = "";
  pthread_getname_np(pthread_self(), name, sizeof name);
  return std::string(name) + " (thread " + std::to_string(syscall(SYS_gettid)) + ")";
}

std::string nameOfProcess() {
  return std::string(program_invocation_short_name) + " (process " + std::to_string(getpid()) + ")";
}

/// Calls `use` with each time of a record.
template <class Use> void forEachTime(Record& record, Use&& use) {
  std::visit(Overloaded{
                 [&](CommandRun& run) {
                   for (std::uint64_t* each : {&run.queued, &run.submitted, &run.started, &run.ended})
                     use(*each);
                 },
                 [&](Share& share) {
                   use(share.begin);
                   use(share.end);
                 },
                 [&](Span& span) {
                   use(span.begin);
                   use(span.end);
                 },
                 [&](Instant& instant) { use(instant.at); },
                 [&](Arrow& arrow) { use(arrow.at); },
             },
             record);
}

/// The stamp of about when it was recorded.
std::uint64_t timeOf(const Record& record) {
  return std::visit(Overloaded{
                        [](const CommandRun& run) { return run.ended; },
                        [](const Share& share) { return share.end; },
                        [](const Span& span) { return span.end; },
                        [](const Instant& instant) { return instant.at; },
                        [](const Arrow& arrow) { return arrow.at; },
                    },
                    record);
}

} // namespace

Recorder::Recorder(std::string_view path, std::size_t mostChunks)
    : owner_(getpid()), chunks_(mostChunks), file_(path), events_(registry_, hostTime(), nameOfProcess()) {
  pthread_once(&threadKeyOnce, [] { hasThreadKey = pthread_key_create(&threadKey, threadEnds) == 0; });
}

// Only of recorders that no other thread knows.
Recorder::~Recorder() {
  if (own.recorder == this) own = {};
  MutexLock lock(logsMutex_);
  for (const std::unique_ptr<ThreadLog>& log : logs_)
    log->giveBackChunks(chunks_);
}

// --- Recording ---

void Recorder::add(const Record& record) noexcept {
  if (own.recorder != this) [[unlikely]] {
    ThreadLog* const made = makeLog();
    own = {made ? this : nullptr, made};
  }
  if (!own.log || !own.log->add(record, chunks_)) lost_.fetch_add(1, std::memory_order_relaxed);
}

ThreadLog* Recorder::makeLog() noexcept {
  try {
    auto made = std::make_unique<ThreadLog>(nameOfThread(), registry_.newTrack());
    ThreadLog* const log = made.get();
    {
      MutexLock lock(logsMutex_);
      logs_.push_back(std::move(made));
    }
    takeFile();
    if (hasThreadKey) pthread_setspecific(threadKey, log);
    return log;
  } catch (const std::bad_alloc&) {
    return nullptr;
  }
}

// By the first record, so that the file is of the process that uses a device first, and not of one that starts others.
void Recorder::takeFile() noexcept {
  if (hasFile_.exchange(true, std::memory_order_relaxed)) return;
  const NotCancelled here;
  const MutexLock lock(writing_);
  file_.take();
}

// --- Writing ---

void Recorder::startWriting() noexcept {
  pthread_attr_t attributes;
  if (pthread_attr_init(&attributes) != 0) return;
  pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
  const SignalsBlocked blocked;
  pthread_t thread;
  if (pthread_create(&thread, &attributes, threadMain, this) != 0)
    CLOTHO_LOG(Runtime, Warn, "there is no thread to write the trace, so that all of it is written at the end");
  pthread_attr_destroy(&attributes);
}

// Kernels go before: what waits to be written is in memory meanwhile.
void* Recorder::threadMain(void* rawRecorder) noexcept {
  constexpr int kLeastPriority = 19;
  takeAffinityOfProcess();
  takeScheduling(schedulingOfProcess());
  setpriority(PRIO_PROCESS, static_cast<id_t>(syscall(SYS_gettid)), kLeastPriority);
  pthread_setname_np(pthread_self(), "clotho-trace");
  for (;;) {
    const timespec period{0, kPeriod};
    nanosleep(&period, nullptr);
    static_cast<Recorder*>(rawRecorder)->flush();
  }
}

void Recorder::flush() noexcept {
  const NotCancelled here;
  const MutexLock lock(writing_);
  try {
    const std::vector<Arrow> arrows = std::exchange(arrows_, {});
    clock_.sample();
    takeAll(clock_);
    for (const Arrow& arrow : arrows)
      events_.write({}, arrow);
    put();
  } catch (const std::bad_alloc&) {
    lost_.fetch_add(1, std::memory_order_relaxed);
  }
}

void Recorder::takeAll(const TickClock& clock) {
  const std::uint64_t until = clock.last();
  using Next = std::pair<std::uint64_t, ThreadLog*>; // a log, with the time of its oldest record
  std::priority_queue<Next, std::vector<Next>, std::greater<>> next;
  const auto push = [&](ThreadLog* log) {
    const Record* const record = log->front(chunks_);
    if (!record) return;
    if (const std::uint64_t time = clock.nsOf(timeOf(*record)); time <= until) next.emplace(time, log);
  };
  std::vector<ThreadLog*> over;
  for (ThreadLog* log : logs()) {
    if (log->isOver()) over.push_back(log); // before the last of it is taken
    push(log);
  }
  while (!next.empty()) {
    ThreadLog* const log = next.top().second;
    next.pop();
    Record record = *log->front(chunks_);
    log->pop();
    forEachTime(record, [&](std::uint64_t& time) { time = clock.nsOf(time); });
    write(*log, record);
    push(log);
  }
  for (ThreadLog* log : over) {
    if (log->front(chunks_)) continue; // what is later than `until`
    log->giveBackChunks(chunks_);
    forget(*log);
  }
}

std::string Recorder::finish() noexcept {
  flush();
  flush(); // the arrows
  const NotCancelled here;
  const MutexLock lock(writing_);
  try {
    const std::uint64_t events = events_.events();
    if (!hasEvents()) {
      file_.removeIfEmpty();
      return "\nclotho: trace: nothing to show of " + nameOfProcess() + ", so it writes no " + file_.path() + "\n";
    }
    std::string text = "\nclotho: trace: " + std::to_string(events) + " events in " + file_.path();
    if (events) text += ", " + std::to_string(file_.size() / events) + " bytes each";
    if (const std::uint64_t lost = lost_.load(std::memory_order_relaxed))
      text += "; " + std::to_string(lost) + " were lost for want of memory";
    text += '\n';
    if (!summary_.isEmpty()) text += summary_.text();
    return text;
  } catch (const std::bad_alloc&) {
    return {};
  }
}

std::vector<ThreadLog*> Recorder::logs() {
  MutexLock lock(logsMutex_);
  std::vector<ThreadLog*> result;
  result.reserve(logs_.size());
  for (const std::unique_ptr<ThreadLog>& log : logs_)
    result.push_back(log.get());
  return result;
}

void Recorder::forget(const ThreadLog& log) {
  MutexLock lock(logsMutex_);
  std::erase_if(logs_, [&](const std::unique_ptr<ThreadLog>& each) { return each.get() == &log; });
}

void Recorder::write(const ThreadLog& log, const Record& record) {
  if (const auto* arrow = std::get_if<Arrow>(&record)) {
    arrows_.push_back(*arrow);
    return;
  }
  events_.write({log.track(), log.name()}, record);
  if (const auto* run = std::get_if<CommandRun>(&record))
    Summary::addCommand(rowOf(run->name), timesOf(run->id.queue), *run);
  else if (const auto* share = std::get_if<Share>(&record); share && share->counters.cycles != 0)
    Summary::addShare(rowOf(share->name), *share);
  if (events_.text().size() >= kBlock) put();
}

Summary::Row& Recorder::rowOf(NameId name) {
  if (rows_.size() <= name) rows_.resize(name + 1);
  if (!rows_[name]) rows_[name] = &summary_.row(registry_.text(name));
  return *rows_[name];
}

IntervalUnion& Recorder::timesOf(std::uint32_t queue) {
  if (queues_.size() <= queue) queues_.resize(queue + 1);
  if (!queues_[queue]) queues_[queue] = &summary_.queue(events_.labelOf(queue));
  return *queues_[queue];
}

void Recorder::put() {
  const std::string_view text = events_.text();
  if (text.empty() || !hasEvents()) return;
  std::string last = R"({"ph":"M","pid":1,"name":"clotho_trace","args":{"events":)" + std::to_string(events_.events()) +
                     ",\"lost\":" + std::to_string(lost_.load(std::memory_order_relaxed)) + "}}\n]\n";
  file_.append(text, last);
  events_.clearText();
}

// --- The process's trace ---

namespace {

// The recorder that a forked child has inherited and must not use; kept so that it is not taken for a leak.
Recorder* inherited = nullptr;
bool isToFinish = false; // an exit handler is registered

void finishTrace() {
  Recorder* const recorder = currentRecorder.load(std::memory_order_acquire);
  if (!recorder || recorder->owner() != getpid()) return;
  const std::string summary = recorder->finish();
  [[maybe_unused]] const ssize_t written = ::write(STDERR_FILENO, summary.data(), summary.size());
}

} // namespace

void start() noexcept {
  try {
    if (options().trace.empty()) return;
    auto recorder = std::make_unique<Recorder>(options().trace);
    recorder->startWriting();
    stampsAreTicks.store(TickClock::isUsable(), std::memory_order_relaxed);
    currentRecorder.store(recorder.release(), std::memory_order_release);
    if (isToFinish) return; // by the parent, whose handlers a child has
    isToFinish = true;
    // atexit would tie the handler to this library's unloading (tests/guest/library.sh).
    on_exit([](int, void*) { finishTrace(); }, nullptr);
  } catch (...) {
    // The file cannot be written, which the log has; or there is no memory, which the call finds out, too.
  }
}

void afterForkInChild() noexcept {
  Recorder* const parents = currentRecorder.exchange(nullptr, std::memory_order_relaxed);
  if (!parents) return;
  closeCounters();
  parents->abandon();
  inherited = parents;
}

void add(const Record& record) noexcept {
  if (Recorder* const recorder = currentRecorder.load(std::memory_order_acquire)) recorder->add(record);
}

NameId nameOf(std::string_view text) noexcept {
  Recorder* const recorder = currentRecorder.load(std::memory_order_acquire);
  if (!recorder) return 0;
  try {
    return recorder->registry().nameOf(text);
  } catch (const std::bad_alloc&) {
    return 0;
  }
}

std::uint32_t CachedName::generation() noexcept {
  const Recorder* const recorder = currentRecorder.load(std::memory_order_acquire);
  return recorder ? static_cast<std::uint32_t>(recorder->owner()) : 0;
}

std::uint32_t addQueue(const void* device, std::string_view deviceName, std::string_view label) noexcept {
  Recorder* const recorder = currentRecorder.load(std::memory_order_acquire);
  if (!recorder) return 0;
  try {
    return recorder->registry().addQueue(device, deviceName, label);
  } catch (const std::bad_alloc&) {
    return 0;
  }
}

std::uint32_t transferQueue(const void* owner) noexcept {
  Recorder* const recorder = currentRecorder.load(std::memory_order_acquire);
  if (!recorder) return 0;
  try {
    return recorder->registry().transferQueue(owner);
  } catch (const std::bad_alloc&) {
    return 0;
  }
}

void addTransferQueue(const void* owner, const void* device, std::string_view deviceName) noexcept {
  Recorder* const recorder = currentRecorder.load(std::memory_order_acquire);
  if (!recorder) return;
  try {
    recorder->registry().addTransferQueue(owner, device, deviceName);
  } catch (const std::bad_alloc&) {
    // Its transfers are in a queue of memory then.
  }
}

void endPart(const PartBegin& begin, NameId name, std::uint32_t chunks) noexcept {
  const CounterValues counted = countersSince(begin.counters);
  add(Share{.begin = begin.time, .end = stampNow(), .name = name, .units = chunks, .counters = counted});
}

void note(std::string_view text) noexcept {
  if (isOn()) add(Instant{.at = stampNow(), .name = nameOf(text)});
}

} // namespace clotho::trace
