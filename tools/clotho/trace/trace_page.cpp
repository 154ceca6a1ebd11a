// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "trace/trace_page.hpp"

#include "trace_page_html.hpp"

#include <llvm/ADT/STLExtras.h>
#include <llvm/Support/JSON.h>
#include <llvm/Support/raw_ostream.h>

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

namespace clotho::tools {

namespace {

/// More slices make browsers slow; the longest are kept.
constexpr std::size_t kMostSlices = 250'000;

std::vector<const Slice*> shownSlices(const TraceFiles& trace) {
  std::vector<const Slice*> shown;
  shown.reserve(trace.slices().size());
  for (const Slice& slice : trace.slices())
    shown.push_back(&slice);
  if (shown.size() > kMostSlices) {
    std::ranges::nth_element(shown, shown.begin() + kMostSlices,
                             [](const Slice* a, const Slice* b) { return a->length > b->length; });
    shown.resize(kMostSlices);
  }
  // A slice comes before those that lie in it.
  llvm::sort(shown, [](const Slice* a, const Slice* b) {
    return a->begin != b->begin ? a->begin < b->begin : a->length > b->length;
  });
  return shown;
}

/// The arrows between shown slices, by their places among these; of many, the first ones.
std::vector<std::pair<std::size_t, std::size_t>> shownArrows(const TraceFiles& trace,
                                                             const std::vector<const Slice*>& shown) {
  std::vector<std::pair<std::size_t, std::size_t>> arrows;
  if (trace.dependencies().empty()) return arrows;
  constexpr std::size_t kHidden = SIZE_MAX;
  std::vector<std::size_t> places(trace.slices().size(), kHidden);
  for (std::size_t i = 0; i < shown.size(); ++i)
    places[static_cast<std::size_t>(shown[i] - trace.slices().data())] = i;
  for (const Dependency& each : trace.dependencies())
    if (places[each.from] != kHidden && places[each.to] != kHidden)
      arrows.emplace_back(places[each.from], places[each.to]);
  std::ranges::sort(arrows);
  if (arrows.size() > kMostSlices) arrows.resize(kMostSlices);
  return arrows;
}

void writeData(llvm::raw_ostream& out, const TraceFiles& trace, const MachineSpeed& machine) {
  llvm::json::OStream json(out);
  const std::vector<const Slice*> shown = shownSlices(trace);
  std::uint64_t first = UINT64_MAX;
  for (const Slice* slice : shown)
    first = std::min(first, slice->begin);
  json.object([&] {
    json.attribute("threads", machine.threads);
    json.attribute("gflops", machine.gflops);
    json.attribute("gigabytes", machine.gigabytes);
    json.attribute("lost", static_cast<std::int64_t>(trace.lost()));
    json.attribute("hidden", static_cast<std::int64_t>(trace.slices().size() - shown.size()));
    json.attributeArray("names", [&] {
      for (const std::string& name : trace.names())
        json.value(name);
    });
    json.attributeArray("tracks", [&] {
      for (const Track& track : trace.tracks())
        json.array([&] {
          json.value(track.process);
          json.value(track.name);
          json.value(track.isQueue);
        });
    });
    json.attributeArray("arrows", [&] {
      for (const auto& [from, to] : shownArrows(trace, shown))
        json.array([&] {
          json.value(static_cast<std::int64_t>(from));
          json.value(static_cast<std::int64_t>(to));
        });
    });
    // [track, name, begin, length, and of commands: queued, items, flop, bytes, error, note], times in ns
    json.attributeArray("slices", [&] {
      for (const Slice* slice : shown)
        json.array([&] {
          for (const std::uint64_t number :
               {std::uint64_t{slice->track}, std::uint64_t{slice->name}, slice->begin - first, slice->length})
            json.value(static_cast<std::int64_t>(number));
          const bool isCommand = trace.tracks()[slice->track].isQueue;
          if (!isCommand && slice->note.empty()) return;
          json.value(static_cast<std::int64_t>(slice->queued));
          slice->items ? json.value(static_cast<std::int64_t>(*slice->items)) : json.value(nullptr);
          slice->flops ? json.value(*slice->flops) : json.value(nullptr);
          slice->bytes ? json.value(*slice->bytes) : json.value(nullptr);
          json.value(slice->error);
          json.value(slice->note);
        });
    });
  });
}

} // namespace

std::string tracePage(const TraceFiles& trace, const MachineSpeed& machine) {
  std::string data;
  llvm::raw_string_ostream out(data);
  writeData(out, trace, machine);
  // Text that ends the script would do so within a string, too.
  for (std::size_t at = 0; (at = data.find("</", at)) != std::string::npos; at += 3)
    data.replace(at, 2, "<\\/");
  std::string page = kTracePage;
  constexpr std::string_view kPlace = "/*DATA*/null";
  page.replace(page.find(kPlace), kPlace.size(), data);
  return page;
}

} // namespace clotho::tools
