// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "trace/trace_file.hpp"

#include "trace/summary.hpp"

#include <llvm/Support/JSON.h>
#include <llvm/Support/LineIterator.h>
#include <llvm/Support/MemoryBuffer.h>

#include <cmath>
#include <utility>

namespace clotho::tools {

namespace {

using llvm::json::Object;

std::uint64_t nanoseconds(const Object& object, llvm::StringRef key) {
  const auto value = object.getNumber(key);
  return value ? static_cast<std::uint64_t>(std::llround(std::abs(*value) * 1000)) : 0;
}

std::uint64_t whole(const Object& object, llvm::StringRef key) {
  return static_cast<std::uint64_t>(object.getInteger(key).value_or(0));
}

/// Whole thousands: 32 bits are enough for hours.
std::uint32_t thousands(const Object& object, llvm::StringRef key) {
  return static_cast<std::uint32_t>((whole(object, key) + 500) / 1000);
}

struct Work {
  std::optional<double> flops, bytes;
};

/// Work that a launch does not state is that of its kernel's last launch; a negative number is not known any more.
void completeWork(Slice& slice, Work& last) {
  if (slice.flops) last.flops = *slice.flops < 0 ? std::nullopt : slice.flops;
  if (slice.bytes) last.bytes = *slice.bytes < 0 ? std::nullopt : slice.bytes;
  slice.flops = last.flops;
  slice.bytes = last.bytes;
}

/// The ends of a file's arrows, which are put together once all of its commands are known.
class Arrows {
 public:
  void add(const Object& event, std::uint32_t track, std::uint64_t at, bool isHead) {
    const llvm::StringRef id = event.getString("id").value_or("");
    if (!id.empty()) (isHead ? heads_ : tails_).insert_or_assign(id.str(), End{track, at});
  }
  /// Adds the arrows between the commands from `first` on.
  void addTo(std::vector<Dependency>& found, const std::vector<Slice>& slices, std::size_t first) const {
    if (tails_.empty()) return;
    std::map<std::pair<std::uint32_t, std::uint64_t>, std::size_t> byBegin, byEnd;
    for (std::size_t i = first; i < slices.size(); ++i) {
      byBegin.insert_or_assign({slices[i].track, slices[i].begin}, i);
      byEnd.insert_or_assign({slices[i].track, slices[i].begin + slices[i].length}, i);
    }
    for (const auto& [id, tail] : tails_) {
      const auto head = heads_.find(id);
      if (head == heads_.end()) continue;
      // An arrow begins in the last nanosecond of its command (src/trace/event_writer.cpp).
      const auto from = byEnd.find({tail.track, tail.at + 1});
      const auto to = byBegin.find({head->second.track, head->second.at});
      if (from != byEnd.end() && to != byBegin.end() && from->second != to->second)
        found.push_back({from->second, to->second});
    }
  }

 private:
  struct End {
    std::uint32_t track;
    std::uint64_t at;
  };
  std::map<std::string, End> tails_, heads_; // by the arrow's number
};

} // namespace

std::uint32_t TraceFiles::nameOf(llvm::StringRef text) {
  const auto known = nameNumbers_.find(std::string_view(text));
  if (known != nameNumbers_.end()) return known->second;
  names_.push_back(text.str());
  const auto number = static_cast<std::uint32_t>(names_.size() - 1);
  nameNumbers_.emplace(text.str(), number);
  return number;
}

llvm::Error TraceFiles::read(const std::string& path) {
  auto file = llvm::MemoryBuffer::getFile(path);
  if (!file) return llvm::createStringError(file.getError(), "cannot read " + path);
  if (!(*file)->getBuffer().starts_with("["))
    return llvm::createStringError(llvm::inconvertibleErrorCode(), path + " is no trace");
  constexpr std::uint64_t kProgram = 1; // the "process" that has the threads
  std::map<std::uint64_t, std::string> processes;
  std::map<std::pair<std::uint64_t, std::uint64_t>, std::uint32_t> tracks;
  std::map<std::uint32_t, Work> work; // of each kernel's last launch
  Arrows arrows;
  const std::size_t firstSlice = slices_.size();
  std::uint64_t shift = 0;
  for (llvm::line_iterator line(**file); !line.is_at_end(); ++line) {
    llvm::StringRef text = line->trim();
    text.consume_back(",");
    if (!text.starts_with("{")) continue;
    auto parsed = llvm::json::parse(text);
    if (!parsed) { // cut
      llvm::consumeError(parsed.takeError());
      continue;
    }
    const Object* event = parsed->getAsObject();
    if (event == nullptr) continue;
    const llvm::StringRef phase = event->getString("ph").value_or(""), name = event->getString("name").value_or("");
    const Object* found = event->getObject("args");
    const Object none;
    const Object& args = found != nullptr ? *found : none;
    const std::uint64_t process = whole(*event, "pid"), track = whole(*event, "tid");
    if (phase == "M") {
      if (name == "process_name") {
        processes[process] = args.getString("name").value_or("").str();
        const std::uint64_t clock = whole(args, "clock");
        if (process == kProgram && !clock_) clock_ = clock;
        // Files are read in any order; what began before the first one begins with it.
        if (process == kProgram) shift = clock > *clock_ ? clock - *clock_ : 0;
      } else if (name == "thread_name") {
        tracks[{process, track}] = static_cast<std::uint32_t>(tracks_.size());
        tracks_.push_back({processes[process], args.getString("name").value_or("").str(), process != kProgram});
      } else if (name == "clotho_trace") {
        lost_ += whole(args, "lost");
      }
      continue;
    }
    const auto place = tracks.find({process, track});
    if (place == tracks.end()) continue;
    if (phase == "s" || phase == "f")
      arrows.add(*event, place->second, nanoseconds(*event, "ts") + shift, phase == "f");
    if (phase != "X") continue;
    Slice slice;
    slice.track = place->second;
    slice.name = nameOf(name);
    slice.begin = nanoseconds(*event, "ts") + shift;
    slice.length = nanoseconds(*event, "dur");
    slice.queued = nanoseconds(args, "queued");
    if (const auto items = args.getInteger("items")) slice.items = static_cast<std::uint64_t>(*items);
    slice.flops = args.getNumber("flop");
    slice.bytes = args.getNumber("bytes");
    if (slice.items) completeWork(slice, work[slice.name]);
    slice.error = args.getInteger("error").value_or(0);
    slice.cycles = thousands(args, "cycles");
    slice.instructions = thousands(args, "instructions");
    slice.misses = thousands(args, "misses");
    for (const char* key : {"version", "of"})
      if (const auto note = args.getString(key)) slice.note = note->str();
    slices_.push_back(std::move(slice));
  }
  arrows.addTo(dependencies_, slices_, firstSlice);
  return llvm::Error::success();
}

std::string TraceFiles::summary() const {
  trace::Summary summary;
  for (const Slice& slice : slices_) {
    const Track& track = tracks_[slice.track];
    const std::string& name = names_[slice.name];
    if (track.isQueue) {
      trace::CommandRun run{.started = slice.begin + 1, // 0 would be a command that has not begun
                            .ended = slice.begin + 1 + slice.length,
                            .status = static_cast<std::int32_t>(slice.error),
                            .isLaunch = slice.items.has_value()};
      run.flops = static_cast<float>(slice.flops.value_or(-1));
      run.bytes = static_cast<float>(slice.bytes.value_or(-1));
      run.amount = static_cast<std::uint64_t>(run.isLaunch ? static_cast<double>(*slice.items)
                                                           : std::max(slice.bytes.value_or(0), 0.0));
      trace::Summary::addCommand(summary.row(name), summary.queue(track.name), run);
    } else if (slice.cycles != 0) {
      trace::Share share{.begin = slice.begin, .end = slice.begin + slice.length};
      share.counters = {slice.cycles * std::uint64_t{1000}, slice.instructions * std::uint64_t{1000},
                        slice.misses * std::uint64_t{1000}};
      trace::Summary::addShare(summary.row(name), share);
    }
  }
  return summary.isEmpty() ? "no commands\n" : summary.text();
}

} // namespace clotho::tools
