// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "base/mutex.hpp"
#include "trace/event_writer.hpp"
#include "trace/output_file.hpp"
#include "trace/registry.hpp"
#include "trace/summary.hpp"
#include "trace/thread_log.hpp"
#include "trace/tick_clock.hpp"

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <sys/types.h>
#include <vector>

namespace clotho::trace {

/// The trace of one process. Threads record into logs of their own and wait for no other; a thread of the recorder's
/// turns that into events and writes them to the file some times a second, and `flush` does so at once. Never destroyed
/// once the process's threads know it.
class Recorder {
 public:
  /// Opens the file (OutputFile). Throws Error if it cannot be written, std::bad_alloc. `mostChunks`: of 32 KiB each,
  /// the memory for what is not written yet.
  explicit Recorder(std::string_view path, std::size_t mostChunks = 8192);
  ~Recorder();
  Recorder(const Recorder&) = delete;
  Recorder& operator=(const Recorder&) = delete;

  Registry& registry() noexcept { return registry_; }
  /// The process that it belongs to, which is not a forked child.
  pid_t owner() const noexcept { return owner_; }

  /// Starts the thread that writes. Without one, only `flush` writes.
  void startWriting() noexcept;
  /// Records for the calling thread.
  void add(const Record& record) noexcept;
  /// Writes what was recorded before the call. Some arrows are left to the next one.
  void flush() noexcept EXCLUDES(writing_);
  /// `flush`, then the summary as a text. Leaves no file without events.
  std::string finish() noexcept EXCLUDES(writing_);
  /// In a forked child: closes the file.
  void abandon() noexcept NO_THREAD_SAFETY_ANALYSIS { file_.close(); }

 private:
  static constexpr std::size_t kBlock = std::size_t{1} << 20; ///< bytes of events that are written at once
  static constexpr std::int64_t kPeriod = 100'000'000;        ///< ns between two looks at the logs

  void takeFile() noexcept EXCLUDES(writing_);
  /// A log for the calling thread; null if there is no memory.
  ThreadLog* makeLog() noexcept EXCLUDES(logsMutex_);
  static void* threadMain(void* recorder) noexcept;
  std::vector<ThreadLog*> logs() EXCLUDES(logsMutex_);
  void forget(const ThreadLog& log) EXCLUDES(logsMutex_);
  /// Takes what all threads have recorded until the clock's last sample, in the order of time: a queue's commands end
  /// on many threads.
  void takeAll(const TickClock& clock) REQUIRES(writing_);
  void write(const ThreadLog& log, const Record& record) REQUIRES(writing_);
  Summary::Row& rowOf(NameId name) REQUIRES(writing_);
  IntervalUnion& timesOf(std::uint32_t queue) REQUIRES(writing_);
  /// Whether there is an event beside the first, which names the process.
  bool hasEvents() const REQUIRES(writing_) { return events_.events() > 1; }
  /// Brings what was written as text to the file, if there are events.
  void put() REQUIRES(writing_);

  const pid_t owner_;
  Registry registry_;
  ChunkPool chunks_;
  std::atomic<std::uint64_t> lost_{0};
  std::atomic<bool> hasFile_{false}; ///< some thread takes it

  Mutex logsMutex_;
  std::vector<std::unique_ptr<ThreadLog>> logs_ GUARDED_BY(logsMutex_);

  Mutex writing_;
  OutputFile file_ GUARDED_BY(writing_);
  TickClock clock_ GUARDED_BY(writing_);
  EventWriter events_ GUARDED_BY(writing_);
  Summary summary_ GUARDED_BY(writing_);
  std::vector<Summary::Row*> rows_ GUARDED_BY(writing_);    // the summary's, by name
  std::vector<IntervalUnion*> queues_ GUARDED_BY(writing_); // the summary's, by queue
  std::vector<Arrow> arrows_ GUARDED_BY(writing_); // to commands that may be in a log which was looked at before
};

} // namespace clotho::trace
