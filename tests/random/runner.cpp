// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runner.hpp"

#include "generator.hpp"
#include "printer.hpp"

#include <algorithm>
#include <cinttypes>
#include <cstdio>
#include <deque>
#include <memory>
#include <poll.h>
#include <sstream>
#include <stdexcept>

namespace clotho::fuzz {
namespace {

/// Children at work on a list of tasks.
class Pool {
 public:
  explicit Pool(const Options& options) : options_(options) {}

  void add(const Way& way, const Work& work) { tasks_.push_back({&way, work}); }
  std::map<const Way*, Outcomes> run();

 private:
  struct Task {
    const Way* way;
    Work work;
  };
  struct Crash {
    const Way* way;
    std::uint64_t first, last;
    std::string why;
  };
  void ended(Child& child);
  void blame();

  const Options& options_;
  std::deque<Task> tasks_;
  std::vector<std::unique_ptr<Child>> children_;
  std::vector<Crash> crashes_;
  std::map<const Way*, Outcomes> outcomes_;
};

std::map<const Way*, Outcomes> Pool::run() {
  while (!tasks_.empty() || !children_.empty()) {
    while (!tasks_.empty() && int(children_.size()) < options_.jobs) {
      const Task task = tasks_.front();
      tasks_.pop_front();
      children_.push_back(std::make_unique<Child>(options_, *task.way, task.work));
    }
    std::vector<pollfd> waiting;
    for (const auto& child : children_)
      waiting.push_back({child->pipe(), POLLIN, 0});
    poll(waiting.data(), waiting.size(), 1000);
    std::vector<std::unique_ptr<Child>> still;
    for (std::size_t i = 0; i < waiting.size(); ++i) {
      Child& child = *children_[i];
      if (waiting[i].revents && !child.read(outcomes_[&child.way])) {
        ended(child);
        continue;
      }
      if (child.silence() > options_.timeout) child.kill();
      still.push_back(std::move(children_[i]));
    }
    children_ = std::move(still);
  }
  blame();
  return std::move(outcomes_);
}

/// After a crash the programs of the batch run one by one, and the rest as before.
void Pool::ended(Child& child) {
  const std::string why = child.wait();
  if (why.empty()) return;
  if (child.batchFirst > child.batchLast) throw std::runtime_error("a child process for " + child.way.name + " " + why);
  if (child.batchLast < child.work.last) {
    Work rest = child.work;
    rest.first = child.batchLast + 1;
    tasks_.push_front({&child.way, rest});
  }
  if (child.batchFirst == child.batchLast) {
    Outcome& outcome = outcomes_[&child.way][child.batchFirst];
    if (outcome.failure.empty()) outcome.failure = why;
    return;
  }
  crashes_.push_back({&child.way, child.batchFirst, child.batchLast, why});
  for (std::uint64_t seed = child.batchLast + 1; seed-- > child.batchFirst;) {
    outcomes_[&child.way].erase(seed);
    Work one = child.work;
    one.first = one.last = seed;
    tasks_.push_front({&child.way, one});
  }
}

/// What only happens to programs that are built together still counts.
void Pool::blame() {
  for (const Crash& crash : crashes_) {
    Outcomes& outcomes = outcomes_[crash.way];
    const auto one = outcomes.lower_bound(crash.first);
    const bool found = std::any_of(one, outcomes.upper_bound(crash.last),
                                   [](const auto& entry) { return !entry.second.failure.empty(); });
    if (!found)
      outcomes[crash.first].failure =
          "(only together with the " + std::to_string(crash.last - crash.first) + " after it) " + crash.why;
  }
}

/// The name of the first buffer whose hash differs.
std::string firstDifference(const std::string& a, const std::string& b) {
  std::istringstream left(a);
  std::istringstream right(b);
  std::string x;
  std::string y;
  while (left >> x && right >> y)
    if (x != y) return x.substr(0, x.find('='));
  return "the output";
}

/// Compares a chunk that ran in all ways; returns how many seeds differ.
int report(const Options& options, std::map<const Way*, Outcomes>& outcomes, std::uint64_t first, std::uint64_t last) {
  int differing = 0;
  const Way& reference = options.ways.front();
  for (std::uint64_t seed = first; seed <= last; ++seed) {
    const Launch launch = generate(seed).launch;
    bool differs = false;
    for (const Way& way : options.ways) {
      const std::string text = difference(launch, reference, outcomes[&reference][seed], way, outcomes[&way][seed]);
      if (text.empty()) continue;
      differs = true;
      std::string again = "--seeds " + std::to_string(seed);
      const std::size_t together = text.find("(only together with the ");
      if (together != std::string::npos)
        again += "-" + std::to_string(seed + std::strtoull(text.c_str() + together + 24, nullptr, 10));
      if (!way.icd.empty())
        again += " --vendor " + way.icd + " --widths " + std::to_string(reference.width);
      else if (!way.devices.empty())
        again += " --devices " + way.devices + " --widths " + std::to_string(reference.width);
      else
        again += " --widths " + std::to_string(reference.width) +
                 (&way == &reference ? "" : "," + std::to_string(way.width));
      if (!way.mistake.empty()) again += " --mistake '" + way.mistake + "'";
      std::printf("seed %" PRIu64 ": %s; see clotho-random %s, --print or --reduce %" PRIu64 "\n", seed, text.c_str(),
                  again.c_str(), seed);
    }
    differing += differs;
  }
  std::fflush(stdout);
  return differing;
}

} // namespace

std::string difference(const Launch& launch, const Way& reference, const Outcome& expected, const Way& way,
                       const Outcome& outcome) {
  if (!outcome.failure.empty()) return way.name + ": " + outcome.failure;
  if (!expected.failure.empty()) return ""; // told of the reference
  if (outcome.runs.size() != launch.locals.size()) return way.name + ": did not run";
  for (std::size_t i = 0; i < outcome.runs.size(); ++i) {
    const std::size_t like = launch.dependsOnLocal ? i : 0;
    if (outcome.runs[i] == expected.runs[like] || outcome.runs[i].ends_with(kImpossible)) continue;
    return way.name + ", local size " + describe(launch.locals[i], launch.dimensions) + ": " +
           firstDifference(expected.runs[like], outcome.runs[i]) + " differs from " + reference.name + ", local size " +
           describe(launch.locals[like], launch.dimensions);
  }
  return "";
}

Outcome runOne(const Options& options, const Way& way, const Work& work) {
  Pool pool(options);
  Work mistaken = work;
  mistaken.mistake = way.mistake;
  pool.add(way, mistaken);
  return pool.run()[&way][work.first];
}

int compareAll(const Options& options) {
  // In chunks, so that differences are told early; a child is started for each and does not grow.
  constexpr std::uint64_t kChunk = 128;
  int differing = 0;
  for (std::uint64_t first = options.first; first <= options.last; first += kChunk) {
    const std::uint64_t last = std::min(options.last, first + kChunk - 1);
    Pool pool(options);
    const std::uint64_t share = std::max<std::uint64_t>(8, kChunk / std::uint64_t(options.jobs));
    for (const Way& way : options.ways)
      for (std::uint64_t begin = first; begin <= last; begin += share)
        pool.add(way, {begin, std::min(last, begin + share - 1), options.batch, {}, false, way.mistake});
    std::map<const Way*, Outcomes> outcomes = pool.run();
    differing += report(options, outcomes, first, last);
  }
  return differing;
}

} // namespace clotho::fuzz
