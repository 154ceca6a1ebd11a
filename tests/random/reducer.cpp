// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Makes a program with a difference smaller, step by step, while the difference stays.
#include "generator.hpp"
#include "printer.hpp"
#include "runner.hpp"

#include <algorithm>
#include <cstdio>
#include <sstream>

namespace clotho::fuzz {
namespace {

/// A step that may make the program smaller, and by about how much.
struct Step {
  Edits edits;
  std::size_t gain = 0;
};

Step single(int id, Edit edit, std::size_t gain) {
  Step step;
  step.edits[id] = edit;
  step.gain = gain;
  return step;
}

std::size_t sizeOf(const Statement& statement) {
  std::size_t size = statement.pattern.size();
  for (const Expression& expression : statement.expressions)
    size += print(expression).size();
  for (const Block& block : statement.blocks)
    for (const Statement& inner : block)
      size += sizeOf(inner);
  return size;
}

/// Statements one by one and in runs, halved again and again.
void drops(const Block& block, std::vector<Step>& steps) {
  for (std::size_t length = block.size(); length > 0; length /= 2) {
    for (std::size_t begin = 0; begin < block.size(); begin += length) {
      Step step;
      for (std::size_t i = begin; i < std::min(block.size(), begin + length); ++i) {
        if (block[i].fixed) continue;
        step.edits[block[i].id] = {Edit::Kind::Drop, 0};
        step.gain += sizeOf(block[i]);
      }
      if (!step.edits.empty()) steps.push_back(std::move(step));
    }
  }
  for (const Statement& statement : block)
    for (const Block& inner : statement.blocks)
      drops(inner, steps);
}

/// A compound statement becomes one of its blocks; not where the block would then leave another loop.
void unwraps(const Block& block, std::vector<Step>& steps) {
  for (const Statement& statement : block) {
    for (std::size_t i = 0; i < statement.blocks.size(); ++i) {
      const std::string text = print(statement.blocks[i]);
      const bool leaves = text.find("break;") != std::string::npos || text.find("continue;") != std::string::npos ||
                          text.find("goto") != std::string::npos;
      if (!statement.fixed && !leaves)
        steps.push_back(single(statement.id, {Edit::Kind::Block, int(i)},
                               sizeOf(statement) - std::min(sizeOf(statement), text.size())));
      unwraps(statement.blocks[i], steps);
    }
  }
}

void expressions(const Expression& expression, std::vector<Step>& steps) {
  const std::size_t size = print(expression).size();
  if (expression.pattern == zero(expression.type)) return;
  steps.push_back(single(expression.id, {Edit::Kind::Zero, 0}, size));
  for (std::size_t i = 0; i < expression.operands.size(); ++i) {
    const Expression& operand = expression.operands[i];
    if (operand.type == expression.type)
      steps.push_back(
          single(expression.id, {Edit::Kind::Operand, int(i)}, size - std::min(size, print(operand).size())));
    expressions(operand, steps);
  }
}

void expressions(const Block& block, std::vector<Step>& steps) {
  for (const Statement& statement : block) {
    for (const Expression& expression : statement.expressions)
      expressions(expression, steps);
    for (const Block& inner : statement.blocks)
      expressions(inner, steps);
  }
}

/// What is looked for: the way in which the program goes wrong.
class Reducer {
 public:
  explicit Reducer(const Options& options) : options_(options), launch_(generate(options.first).launch) {}

  /// The first way that differs is the one to keep; false: none.
  bool find() {
    const Outcome expected = runOne(options_, reference(), work({}));
    for (const Way& way : options_.ways) {
      const Outcome outcome = &way == &reference() ? expected : runOne(options_, way, work({}));
      text_ = difference(launch_, reference(), expected, way, outcome);
      if (text_.empty()) continue;
      way_ = &way;
      failure_ = kind(outcome.failure);
      return true;
    }
    return false;
  }

  bool stays(const Edits& edits) {
    ++runs_;
    const Outcome outcome = runOne(options_, *way_, work(edits));
    if (kind(outcome.failure) != failure_) return false;
    if (way_ == &reference()) return !difference(launch_, *way_, outcome, *way_, outcome).empty();
    const Outcome expected = runOne(options_, reference(), work(edits));
    return expected.failure.empty() && !difference(launch_, reference(), expected, *way_, outcome).empty();
  }

  Edits run() {
    Edits edits;
    for (bool again = true; again;) {
      again = false;
      for (int phase = 0; phase < 3; ++phase)
        again |= pass(edits, phase);
    }
    return edits;
  }

  void tell(const Edits& edits) {
    Program program = generate(options_.first);
    applyEdits(program, edits);
    std::printf("// seed %llu, %s\n// built with -cl-std=%s; %u runs\n",
                static_cast<unsigned long long>(options_.first), text_.c_str(), languageOf(options_.first), runs_);
    std::istringstream launch(describe(launch_));
    for (std::string line; std::getline(launch, line);)
      std::printf("// %s\n", line.c_str());
    if (failure_.empty()) words(edits);
    std::printf("// --edits %s\n%s", toText(edits).c_str(), print(program).c_str());
  }

 private:
  const Way& reference() const { return options_.ways.front(); }
  Work work(const Edits& edits) const { return {options_.first, options_.first, 1, edits, false, ""}; }
  /// Without the numbers, which change as a program shrinks.
  static std::string kind(const std::string& failure) {
    std::string text;
    for (char c : failure)
      if (c < '0' || c > '9') text += c;
    return text;
  }

  bool pass(Edits& edits, int phase) {
    bool progress = false;
    Program program = generate(options_.first);
    applyEdits(program, edits);
    std::vector<Step> steps;
    if (phase == 0) drops(program.units, steps);
    if (phase == 1) unwraps(program.units, steps);
    if (phase == 2) expressions(program.units, steps);
    std::sort(steps.begin(), steps.end(), [](const Step& a, const Step& b) { return a.gain > b.gain; });
    std::string before = print(program);
    for (const Step& step : steps) {
      Edits more = edits;
      for (const auto& [id, edit] : step.edits)
        more.emplace(id, edit);
      if (more.size() == edits.size()) continue;
      Program smaller = generate(options_.first);
      applyEdits(smaller, more);
      std::string text = print(smaller);
      if (text.size() >= before.size() || !stays(more)) continue; // gone already, or needed
      edits = std::move(more);
      before = std::move(text);
      progress = true;
      std::fprintf(stderr, "\r%zu bytes, %u runs ", before.size(), runs_);
    }
    return progress;
  }

  /// The first words that differ.
  void words(const Edits& edits) {
    Work dump = work(edits);
    dump.dump = true;
    const Outcome expected = runOne(options_, reference(), dump);
    const Outcome outcome = runOne(options_, *way_, dump);
    const std::size_t buffers = expected.words.size() / launch_.locals.size();
    for (std::size_t i = 0; i < outcome.words.size() && i < expected.words.size(); ++i) {
      std::istringstream left(expected.words[launch_.dependsOnLocal ? i : i % buffers]);
      std::istringstream right(outcome.words[i]);
      std::string name;
      std::string a;
      std::string b;
      left >> name;
      right >> name;
      int told = 0;
      for (std::size_t k = 0; left >> a && right >> b; ++k)
        if (a != b && ++told <= 4)
          std::printf("// local size %s: 32-bit word %zu of %s is %s, expected %s\n",
                      describe(launch_.locals[i / buffers], launch_.dimensions).c_str(), k, name.c_str(), b.c_str(),
                      a.c_str());
      if (told) return;
    }
  }

  const Options& options_;
  Launch launch_;
  const Way* way_ = nullptr;
  std::string failure_;
  std::string text_;
  unsigned runs_ = 0;
};

} // namespace

int reduce(const Options& options) {
  Reducer reducer(options);
  if (!reducer.find()) {
    std::printf("seed %llu: no difference\n", static_cast<unsigned long long>(options.first));
    return 0;
  }
  const Edits edits = reducer.run();
  std::fputs("\n", stderr);
  reducer.tell(edits);
  return 1;
}

} // namespace clotho::fuzz
