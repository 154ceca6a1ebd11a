// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "replay/reduce.hpp"

#include "replay/minimise.hpp"

#include <algorithm>
#include <sstream>
#include <utility>

namespace clotho::replay {

namespace {

using capture::Contents;
using capture::MemoryKind;

/// Buffers keep a size that any vector type divides.
constexpr std::uint64_t kLargestType = 128;
/// Contents are cut into so many parts, each of which may become zeros.
constexpr std::size_t kParts = 16;

std::size_t bytesOf(const Contents& contents) {
  std::size_t bytes = 0;
  for (const std::string& input : contents.inputs)
    bytes += static_cast<std::size_t>(std::count_if(input.begin(), input.end(), [](char c) { return c != 0; }));
  return bytes;
}

class Reducer {
 public:
  Reducer(Contents contents, Judge& judge, unsigned mostRuns, const std::function<void(const std::string&)>& say)
      : best_(std::move(contents)), judge_(judge), mostRuns_(mostRuns), say_(say) {}

  Contents run() {
    beginPhase(4);
    reduceRange();
    sayRange();
    for (std::size_t i = 0; i < best_.description.program.units.size(); ++i) {
      beginPhase(2);
      reduceOptions(i);
      reduceSource(i);
    }
    beginPhase(2);
    reduceContents();
    beginPhase(2);
    if (judge_.needsRight()) shortenBuffers();
    beginPhase(1);
    reduceRange();
    sayRange();
    return std::move(best_);
  }

 private:
  /// Gives the next phase a part of the runs that are left, so that each phase has some.
  void beginPhase(unsigned part) { phaseEnd_ = runs_ + (mostRuns_ - runs_ + part - 1) / part; }

  /// Takes a candidate if it still fails.
  bool take(Contents candidate) {
    if (runs_ >= phaseEnd_) return false;
    ++runs_;
    if (!judge_.fails(candidate)) return false;
    best_ = std::move(candidate);
    return true;
  }

  template <class Change> bool tryChange(Change&& change) {
    Contents candidate = best_;
    change(candidate);
    return take(std::move(candidate));
  }

  void reduceRange() {
    for (unsigned i = 0; i < best_.description.range.dimensions; ++i) {
      trim(i, false);
      trim(i, true);
    }
  }

  /// Removes work-groups from one end of a dimension: all but one, or ever smaller numbers of them.
  void trim(unsigned dimension, bool isFront) {
    const std::uint64_t groups = groupsOf(dimension);
    if (groups == 1 || remove(dimension, isFront, groups - 1)) return;
    for (std::uint64_t count = (groups - 1) / 2; count > 0;) {
      const bool isRemoved = remove(dimension, isFront, count);
      count = std::min(isRemoved ? count : count / 2, groupsOf(dimension) - 1);
    }
  }
  std::uint64_t groupSize(unsigned dimension) const {
    const capture::NdRange& range = best_.description.range;
    return range.hasLocal ? std::max<std::uint64_t>(range.local[dimension], 1) : 1;
  }
  std::uint64_t groupsOf(unsigned dimension) const {
    const std::uint64_t size = groupSize(dimension), global = best_.description.range.global[dimension];
    return std::max<std::uint64_t>(global / size + (global % size != 0), 1);
  }
  /// The last group may be smaller than the others.
  bool remove(unsigned dimension, bool isFront, std::uint64_t count) {
    const std::uint64_t size = groupSize(dimension), left = groupsOf(dimension) - count;
    return tryChange([&](Contents& candidate) {
      capture::NdRange& range = candidate.description.range;
      if (!isFront) {
        range.global[dimension] = left * size;
        return;
      }
      range.global[dimension] -= count * size;
      range.offset[dimension] += count * size;
      range.hasOffset = true;
    });
  }

  void sayRange() const {
    const capture::NdRange& range = best_.description.range;
    std::string text = "range: ";
    for (unsigned i = 0; i < range.dimensions; ++i)
      text += (i ? " x " : "") + std::to_string(range.global[i]);
    say_(text + " work-items");
  }

  void reduceOptions(std::size_t index) {
    std::istringstream in(best_.description.program.units[index].options);
    std::vector<std::string> words;
    for (std::string word; in >> word;)
      if (!words.empty() && words.back() == "-I")
        words.back() += " " + word;
      else
        words.push_back(word);
    minimise<std::string>(words, [&](const std::vector<std::string>& rest) {
      std::string options;
      for (const std::string& word : rest)
        options += (options.empty() ? "" : " ") + word;
      return tryChange([&](Contents& candidate) { candidate.description.program.units[index].options = options; });
    });
  }

  void reduceSource(std::size_t index) {
    const capture::Unit& unit = best_.description.program.units[index];
    if (unit.language != capture::Language::Source) return;
    const auto lines = [](const std::string& text) { return std::count(text.begin(), text.end(), '\n'); };
    const auto before = lines(unit.text);
    const std::string start = unit.text;
    minimiseSource(start, [&](const std::string& text) {
      return tryChange([&](Contents& candidate) { candidate.description.program.units[index].text = text; });
    });
    say_("source: " + std::to_string(lines(best_.description.program.units[index].text)) + " lines of " +
         std::to_string(before));
  }

  void reduceContents() {
    const std::size_t before = bytesOf(best_);
    for (std::size_t i = 0; i < best_.inputs.size(); ++i) {
      const std::size_t size = best_.inputs[i].size();
      if (isZero(i, 0, size) || makeZero(i, 0, size)) continue;
      const std::size_t part = std::max<std::size_t>(size / kParts / sizeof(double) * sizeof(double), sizeof(double));
      for (std::size_t begin = 0; begin < size && size / part <= 2 * kParts; begin += part)
        if (!isZero(i, begin, part)) makeZero(i, begin, part);
    }
    say_("contents: " + std::to_string(bytesOf(best_)) + " bytes that are not zero, of " + std::to_string(before));
  }
  bool isZero(std::size_t index, std::size_t begin, std::size_t size) const {
    const std::string part = best_.inputs[index].substr(begin, size);
    return part.find_first_not_of('\0') == std::string::npos;
  }
  bool makeZero(std::size_t index, std::size_t begin, std::size_t size) {
    return tryChange([&](Contents& candidate) {
      std::string& input = candidate.inputs[index];
      size = std::min(size, input.size() - begin);
      input.replace(begin, size, size, '\0');
    });
  }

  /// Halves buffers that no other object refers to, as long as no access behind their ends is met.
  void shortenBuffers() {
    const bool isGuarded = judge_.isGuarded();
    judge_.setGuarded(true);
    if (isGuarded || judge_.fails(best_))
      for (std::size_t i = 0; i < best_.description.memories.size(); ++i)
        while (halve(i)) {
        }
    judge_.setGuarded(isGuarded);
    std::uint64_t bytes = 0;
    for (const capture::Memory& memory : best_.description.memories)
      bytes += memory.stored;
    say_("memory objects: " + std::to_string(bytes) + " bytes");
  }
  bool halve(std::size_t index) {
    const auto& memories = best_.description.memories;
    const bool isWhole = memories[index].kind == MemoryKind::Buffer && memories[index].stored != 0 &&
                         std::none_of(memories.begin(), memories.end(),
                                      [&](const capture::Memory& each) { return each.parent == index; });
    const std::uint64_t size = memories[index].stored / 2 / kLargestType * kLargestType;
    if (!isWhole || size == 0) return false;
    return tryChange([&](Contents& candidate) {
      capture::Memory& memory = candidate.description.memories[index];
      memory.size = memory.stored = size;
      candidate.inputs[index].resize(size);
      if (index < candidate.outputs.size()) candidate.outputs[index].resize(size);
    });
  }

  Contents best_;
  Judge& judge_;
  const unsigned mostRuns_;
  const std::function<void(const std::string&)>& say_;
  unsigned runs_ = 0, phaseEnd_ = 0;
};

} // namespace

Contents reduce(Contents contents, Judge& judge, unsigned mostRuns,
                const std::function<void(const std::string&)>& say) {
  Contents smallest = Reducer(std::move(contents), judge, mostRuns, say).run();
  smallest.description.remarks.push_back({"reduced until", judge.criterion()});
  if (auto right = judge.rightOutputs(smallest)) {
    smallest.outputs = std::move(*right);
    smallest.outcome = capture::Outcome{};
  } else {
    smallest.outputs.clear();
    smallest.outcome.reset();
  }
  return smallest;
}

} // namespace clotho::replay
