// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "trace/summary.hpp"

#include <algorithm>
#include <cstdio>
#include <vector>

namespace clotho::trace {

namespace {

constexpr std::size_t kMostRows = 20, kNameWidth = 32;

template <class Map> auto& at(Map& map, std::string_view key) {
  const auto found = map.find(key);
  return found != map.end() ? found->second : map.emplace(key, typename Map::mapped_type()).first->second;
}

/// Three digits and a unit.
std::string duration(double ns) {
  const char* const units[] = {"ns", "us", "ms", "s"};
  std::size_t unit = 0;
  while (ns >= 999.5 && unit < 3) {
    ns /= 1000;
    ++unit;
  }
  char text[32];
  std::snprintf(text, sizeof text, "%.*f %s", ns < 10 ? 2 : ns < 100 ? 1 : 0, ns, units[unit]);
  return text;
}

/// A rate, or a dash if it is not known.
std::string rate(double value) {
  char text[32];
  if (value < 0) return "-";
  std::snprintf(text, sizeof text, "%.*f", value < 10 ? 2 : value < 100 ? 1 : 0, value);
  return text;
}

std::string cut(std::string_view name) {
  return name.size() <= kNameWidth ? std::string(name) : std::string(name.substr(0, kNameWidth - 3)) + "...";
}

template <class... Parts> std::string line(const char* format, Parts... parts) {
  char text[256];
  const int length = std::snprintf(text, sizeof text, format, parts...);
  return {text, std::min(static_cast<std::size_t>(std::max(length, 0)), sizeof text - 1)};
}

} // namespace

Summary::Row& Summary::row(std::string_view name) { return at(rows_, name); }

IntervalUnion& Summary::queue(std::string_view label) { return at(queues_, label); }

void Summary::addCommand(Row& row, IntervalUnion& queue, const CommandRun& run) {
  const std::uint64_t time = run.started ? run.ended - run.started : 0;
  row.isKernel |= run.isLaunch;
  ++row.calls;
  row.failures += run.status < 0;
  row.time += time;
  if (run.status < 0 || time == 0) return;
  if (run.isLaunch && run.flops >= 0) {
    row.flops += static_cast<double>(run.flops);
    row.flopsTime += time;
  }
  const double bytes = run.isLaunch ? static_cast<double>(run.bytes) : static_cast<double>(run.amount);
  if (run.isLaunch ? bytes >= 0 : bytes > 0) {
    row.bytes += bytes;
    row.bytesTime += time;
  }
  queue.add(run.started, run.ended);
}

void Summary::addShare(Row& row, const Share& share) {
  if (share.counters.cycles == 0) return;
  CounterValues& sum = row.counters;
  sum.cycles += share.counters.cycles;
  sum.instructions += share.counters.instructions;
  sum.cacheMisses += share.counters.cacheMisses;
}

std::string Summary::text() const { return commandTable() + counterTable() + queueTable(); }

std::string Summary::commandTable() const {
  using Entry = std::map<std::string, Row, std::less<>>::value_type;
  std::vector<const Entry*> sorted;
  std::uint64_t total = 0;
  for (const Entry& each : rows_) {
    if (each.second.calls == 0) continue;
    sorted.push_back(&each);
    total += each.second.time;
  }
  std::ranges::sort(sorted, [](const Entry* a, const Entry* b) { return a->second.time > b->second.time; });
  std::string result = line("%-*s %9s %10s %10s %6s %8s %8s\n", static_cast<int>(kNameWidth), "command", "calls",
                            "time", "mean", "share", "GB/s", "GFLOP/s");
  std::size_t shown = 0;
  for (const Entry* each : sorted) {
    if (shown++ == kMostRows) {
      result += line("... and %zu more\n", sorted.size() - kMostRows);
      break;
    }
    const Row& row = each->second;
    result += line("%-*s %9llu %10s %10s %5.1f%% %8s %8s", static_cast<int>(kNameWidth), cut(each->first).c_str(),
                   static_cast<unsigned long long>(row.calls), duration(static_cast<double>(row.time)).c_str(),
                   duration(static_cast<double>(row.time) / static_cast<double>(row.calls)).c_str(),
                   total ? 100 * static_cast<double>(row.time) / static_cast<double>(total) : 0.0,
                   rate(row.gigabytes()).c_str(), rate(row.gflops()).c_str());
    if (row.failures) result += line("  %llu failed", static_cast<unsigned long long>(row.failures));
    result += '\n';
  }
  return result;
}

std::string Summary::counterTable() const {
  std::string result;
  for (const auto& [name, row] : rows_) {
    const CounterValues& sum = row.counters;
    if (sum.cycles == 0) continue;
    if (result.empty())
      result = line("\n%-*s %14s %14s %6s %14s\n", static_cast<int>(kNameWidth), "counters", "cycles", "instructions",
                    "IPC", "cache misses");
    result += line("%-*s %14llu %14llu %6.2f %14llu\n", static_cast<int>(kNameWidth), cut(name).c_str(),
                   static_cast<unsigned long long>(sum.cycles), static_cast<unsigned long long>(sum.instructions),
                   static_cast<double>(sum.instructions) / static_cast<double>(sum.cycles),
                   static_cast<unsigned long long>(sum.cacheMisses));
  }
  return result;
}

std::string Summary::queueTable() const {
  std::string result;
  for (const auto& [name, intervals] : queues_) {
    if (intervals.span() == 0) continue;
    if (result.empty())
      result = line("\n%-*s %10s %10s %6s\n", static_cast<int>(kNameWidth), "queue", "busy", "idle", "idle");
    const auto span = static_cast<double>(intervals.span()), busy = static_cast<double>(intervals.covered());
    result += line("%-*s %10s %10s %5.1f%%\n", static_cast<int>(kNameWidth), cut(name).c_str(), duration(busy).c_str(),
                   duration(span - busy).c_str(), span > 0 ? 100 * (span - busy) / span : 0.0);
  }
  return result;
}

} // namespace clotho::trace
