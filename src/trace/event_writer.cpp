// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "trace/event_writer.hpp"

#include "base/overloaded.hpp"

#include <algorithm>
#include <cstdio>
#include <tuple>

namespace clotho::trace {

namespace {

/// The number of an arrow, which both of its ends compute.
std::uint64_t arrowNumber(CommandId from, CommandId to) {
  const auto mix = [](std::uint64_t value) { return (value ^ (value >> 29)) * 0xbf58476d1ce4e5b9U; };
  const std::uint64_t source = std::uint64_t{from.queue} << 32 | from.place;
  const std::uint64_t target = std::uint64_t{to.queue} << 32 | to.place;
  return mix(mix(source) + target) >> 16; // short in the file
}

} // namespace

std::string escapedForJson(std::string_view text) {
  std::string result;
  for (const char each : text.substr(0, kLongestName)) {
    const auto byte = static_cast<unsigned char>(each);
    if (each == '"' || each == '\\') {
      result += '\\';
      result += each;
    } else if (byte < 0x20 || byte >= 0x7f) { // a name may be cut within a character, or have none of UTF-8
      char code[8];
      std::snprintf(code, sizeof code, "\\u%04x", byte);
      result += code;
    } else {
      result += each;
    }
  }
  return result;
}

EventWriter::EventWriter(Registry& registry, std::uint64_t epoch, std::string_view processName)
    : registry_(registry), epoch_(epoch) {
  nameProcess(kProgram, processName);
}

// --- Events ---

void EventWriter::write(const ThreadTrack& thread, const Record& record) {
  std::visit(Overloaded{
                 [&](const CommandRun& run) { writeCommand(thread, run); },
                 [&](const Share& share) { writeShare(thread, share); },
                 [&](const Span& span) { writeSpan(thread, span); },
                 [&](const Instant& instant) { writeInstant(thread, instant); },
                 [&](const Arrow& arrow) { writeArrow(arrow); },
             },
             record);
}

// "queued" and "submit" are microseconds before the start.
void EventWriter::writeCommand(const ThreadTrack& thread, const CommandRun& run) {
  const std::uint64_t started = run.started ? run.started : run.ended;
  const Place place = laneFor(run.id, started, run.ended);
  open('X', place, started);
  duration(started, run.ended);
  name(run.name);
  text_ += ",\"args\":{\"queued\":";
  microseconds(started - std::min(started, run.queued));
  if (run.submitted != run.queued) {
    text_ += ",\"submit\":";
    microseconds(started - std::min(started, run.submitted));
  }
  if (run.amount) {
    text_ += run.isLaunch ? ",\"items\":" : ",\"bytes\":";
    number(run.amount);
  }
  if (run.isLaunch) writeWork(run);
  if (run.version) {
    text_ += ",\"version\":\"";
    text_ += escaped(run.version);
    text_ += '"';
  }
  if (run.status < 0) {
    text_ += ",\"error\":-";
    number(static_cast<std::uint64_t>(-std::int64_t{run.status}));
  }
  text_ += '}';
  close();
  if (run.ranHere) writeShare(thread, Share{.begin = started, .end = run.ended, .name = run.name});
}

void EventWriter::writeWork(const CommandRun& run) {
  constexpr int kDigits = 4;
  if (work_.size() <= run.name) work_.resize(run.name + 1);
  Work& last = work_[run.name];
  for (const auto& [key, now, before] : {std::tuple{",\"flop\":", run.flops, &last.flops}, //
                                         std::tuple{",\"bytes\":", run.bytes, &last.bytes}}) {
    if (now == *before) continue;
    text_ += key;
    text_.addNumber(now, kDigits);
    *before = now;
  }
}

void EventWriter::writeShare(const ThreadTrack& thread, const Share& share) {
  announce(thread);
  open('X', {kProgram, thread.number}, share.begin);
  duration(share.begin, share.end);
  name(share.name);
  if (share.units || share.counters.cycles) {
    text_ += ",\"args\":{";
    if (share.units) {
      text_ += "\"chunks\":";
      number(share.units);
    }
    if (share.counters.cycles) {
      text_ += share.units ? ",\"cycles\":" : "\"cycles\":";
      number(share.counters.cycles);
      text_ += ",\"instructions\":";
      number(share.counters.instructions);
      text_ += ",\"misses\":";
      number(share.counters.cacheMisses);
    }
    text_ += '}';
  }
  close();
}

void EventWriter::writeSpan(const ThreadTrack& thread, const Span& span) {
  announce(thread);
  open('X', {kProgram, thread.number}, span.begin);
  duration(span.begin, span.end);
  name(span.name);
  if (span.detail) {
    text_ += ",\"args\":{\"of\":\"";
    text_ += escaped(span.detail);
    text_ += "\"}";
  }
  close();
}

void EventWriter::writeInstant(const ThreadTrack& thread, const Instant& instant) {
  announce(thread);
  open('i', {kProgram, thread.number}, instant.at);
  text_ += ",\"s\":\"t\"";
  name(instant.name);
  close();
}

// Viewers look for the event around the time of an arrow's end: the last ns of the predecessor, and the first of the
// successor.
void EventWriter::writeArrow(const Arrow& arrow) {
  const std::uint64_t at = arrow.isHead || arrow.at == 0 ? arrow.at : arrow.at - 1;
  open(arrow.isHead ? 'f' : 's', placeOf(arrow.isHead ? arrow.to : arrow.from), at);
  if (arrow.isHead) text_ += ",\"bp\":\"e\"";
  text_ += ",\"id\":\"";
  text_.addNumber(arrowNumber(arrow.from, arrow.to), 16);
  text_ += "\",\"cat\":\"wait\",\"name\":\"wait\"";
  close();
}

// --- Tracks ---

EventWriter::QueueTrack& EventWriter::queueTrack(std::uint32_t queue) {
  if (queue >= queues_.size()) queues_.resize(queue + 1);
  QueueTrack& track = queues_[queue];
  if (!track.label.empty()) return track;
  Registry::Queue known = registry_.queue(queue);
  track.device = known.device;
  track.label = std::move(known.label);
  if (devices_.size() <= track.device) devices_.resize(track.device + 1);
  if (!devices_[track.device]) nameProcess(kFirstDevice + track.device, registry_.deviceName(track.device));
  devices_[track.device] = true;
  return track;
}

EventWriter::Place EventWriter::laneFor(CommandId id, std::uint64_t begin, std::uint64_t end) {
  QueueTrack& queue = queueTrack(id.queue);
  auto lane = std::ranges::find_if(queue.lanes, [&](const Lane& each) { return each.freeFrom <= begin; });
  const auto index = static_cast<std::uint32_t>(lane - queue.lanes.begin());
  if (lane == queue.lanes.end()) {
    lane = queue.lanes.insert(lane, {registry_.newTrack(), 0});
    nameTrack({kFirstDevice + queue.device, lane->track}, queue.label);
  }
  lane->freeFrom = end;
  queue.placed[id.place % queue.placed.size()] = {id.place, index};
  return {kFirstDevice + queue.device, lane->track};
}

EventWriter::Place EventWriter::placeOf(CommandId id) {
  const QueueTrack& queue = queueTrack(id.queue);
  const Placed& placed = queue.placed[id.place % queue.placed.size()];
  const std::uint32_t lane = placed.place == id.place ? placed.lane : 0;
  return {kFirstDevice + queue.device, lane < queue.lanes.size() ? queue.lanes[lane].track : 0};
}

void EventWriter::nameProcess(std::uint32_t process, std::string_view name) {
  text_.reserve(kLongestEvent);
  text_ += R"({"ph":"M","pid":)";
  number(process);
  text_ += R"(,"name":"process_name","args":{"name":")" + escapedForJson(name) + '"';
  if (process == kProgram) text_ += ",\"clock\":" + std::to_string(epoch_); // for traces that are shown together
  text_ += '}';
  close();
}

void EventWriter::nameTrack(Place place, std::string_view name) {
  for (const char* what : {"thread_name", "thread_sort_index"}) {
    text_.reserve(kLongestEvent);
    text_ += R"({"ph":"M","pid":)";
    number(place.process);
    text_ += ",\"tid\":";
    number(place.track);
    text_ += ",\"name\":\"";
    text_ += what;
    if (what == std::string_view("thread_name")) {
      text_ += R"(","args":{"name":")" + escapedForJson(name) + "\"}";
    } else {
      text_ += R"(","args":{"sort_index":)";
      number(place.track);
      text_ += '}';
    }
    close();
  }
}

void EventWriter::announce(const ThreadTrack& thread) {
  if (thread.number < announced_.size() && announced_[thread.number]) [[likely]]
    return;
  if (announced_.size() <= thread.number) announced_.resize(thread.number + 1);
  announced_[thread.number] = true;
  nameTrack({kProgram, thread.number}, thread.name);
}

// --- Parts of an event ---

void EventWriter::open(char phase, Place place, std::uint64_t at) {
  text_.reserve(kLongestEvent);
  text_ += "{\"ph\":\"";
  text_ += phase;
  text_ += "\",\"pid\":";
  number(place.process);
  text_ += ",\"tid\":";
  number(place.track);
  text_ += ",\"ts\":";
  microseconds(at - std::min(at, epoch_));
}

void EventWriter::duration(std::uint64_t begin, std::uint64_t end) {
  text_ += ",\"dur\":";
  microseconds(end - std::min(end, begin));
}

void EventWriter::name(NameId name) {
  text_ += ",\"name\":\"";
  text_ += escaped(name);
  text_ += '"';
}

void EventWriter::microseconds(std::uint64_t ns) {
  number(ns / 1000);
  const auto rest = static_cast<unsigned>(ns % 1000);
  const char digits[4] = {'.', static_cast<char>('0' + rest / 100), static_cast<char>('0' + rest / 10 % 10),
                          static_cast<char>('0' + rest % 10)};
  text_ += std::string_view(digits, sizeof digits);
}

std::string_view EventWriter::escaped(NameId name) {
  if (name >= names_.size()) names_.resize(name + 1);
  std::string& known = names_[name];
  if (known.empty()) known = escapedForJson(registry_.text(name));
  return known;
}

} // namespace clotho::trace
