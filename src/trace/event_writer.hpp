// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "trace/record.hpp"
#include "trace/registry.hpp"
#include "trace/text_buffer.hpp"

#include <array>
#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <vector>

namespace clotho::trace {

/// A thread as the trace shows it.
struct ThreadTrack {
  std::uint32_t number;
  std::string_view name;
};

/// Turns records into events of Chrome's trace format, one a line, each with a comma behind it. "Processes" of the
/// format are the program with its threads, and each device with its queues. Commands of one queue that overlap in time
/// go to different lines of the queue's track, because events of one line may not.
class EventWriter {
 public:
  /// Times count from `epoch`.
  EventWriter(Registry& registry, std::uint64_t epoch, std::string_view processName);

  void write(const ThreadTrack& thread, const Record& record);

  /// Text that was written since it was cleared.
  std::string_view text() const noexcept { return text_.text(); }
  void clearText() noexcept { text_.clear(); }
  std::uint64_t events() const noexcept { return events_; }
  std::string_view labelOf(std::uint32_t queue) { return queueTrack(queue).label; }

 private:
  static constexpr std::uint32_t kProgram = 1, kFirstDevice = 2; ///< "processes" of the format

  /// One line of a queue's track.
  struct Lane {
    std::uint32_t track;
    std::uint64_t freeFrom; ///< the end of its last command
  };
  /// In which line a command is, of those that were written last.
  struct Placed {
    std::uint32_t place = 0, lane = 0;
  };
  struct QueueTrack {
    std::uint32_t device = 0;
    std::string label;
    std::vector<Lane> lanes;
    std::array<Placed, 1024> placed{}; // by `place`, which counts from 1 on
  };
  struct Place {
    std::uint32_t process, track;
  };

  void writeCommand(const ThreadTrack& thread, const CommandRun& run);
  /// Leaves out what is as in the last launch of a kernel of that name.
  void writeWork(const CommandRun& run);
  void writeShare(const ThreadTrack& thread, const Share& share);
  void writeSpan(const ThreadTrack& thread, const Span& span);
  void writeInstant(const ThreadTrack& thread, const Instant& instant);
  void writeArrow(const Arrow& arrow);

  QueueTrack& queueTrack(std::uint32_t queue);
  /// The first line of its queue that has room for a command.
  Place laneFor(CommandId id, std::uint64_t begin, std::uint64_t end);
  Place placeOf(CommandId id);
  void nameProcess(std::uint32_t process, std::string_view name);
  void nameTrack(Place place, std::string_view name);
  void announce(const ThreadTrack& thread);

  // Parts of an event. The longest has some numbers and three names of kLongestName.
  static constexpr std::size_t kLongestEvent = 8192;
  void open(char phase, Place place, std::uint64_t at);
  void close() {
    text_ += "},\n";
    ++events_;
  }
  void duration(std::uint64_t begin, std::uint64_t end);
  void name(NameId name);
  void number(std::uint64_t value) { text_.addNumber(value); }
  void microseconds(std::uint64_t ns);
  std::string_view escaped(NameId name);

  Registry& registry_;
  const std::uint64_t epoch_;
  TextBuffer text_;
  std::uint64_t events_ = 0;
  /// The work that was written for a kernel's last launch.
  struct Work {
    float flops = -1, bytes = -1;
  };
  std::vector<std::string> names_; // escaped, by number
  std::vector<Work> work_;         // by the kernel's name
  std::vector<bool> announced_;    // threads, by track
  std::vector<bool> devices_;      // that have a name
  std::deque<QueueTrack> queues_;  // by number
};

/// The text as the contents of a string of JSON; no more than kLongestName characters of it.
inline constexpr std::size_t kLongestName = 300;
std::string escapedForJson(std::string_view text);

} // namespace clotho::trace
