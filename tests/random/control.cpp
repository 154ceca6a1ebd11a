// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Control flow, nested to a depth.
#include "generator.hpp"

#include <algorithm>

namespace clotho::fuzz {
namespace {

/// The flow inside of something that only some work-items of a group may enter.
Flow divergent(const Flow& flow) {
  Flow inner = flow;
  inner.uniform = false;
  // A barrier may follow outside; who has returned would miss it.
  if (flow.barriers) inner.mayReturn = false;
  inner.barriers = false;
  inner.depth++;
  return inner;
}

Flow uniform(const Flow& flow) {
  Flow inner = flow;
  inner.depth++;
  return inner;
}

} // namespace

Expression Generator::conditionFor(bool uniform) {
  const bool before = uniformOnly_;
  uniformOnly_ = uniformOnly_ || uniform;
  Expression result = condition(deep());
  uniformOnly_ = before;
  return result;
}

void Generator::control(Block& to, const Flow& flow) {
  const int dice = random_.below(100);
  if (dice < 38) return conditional(to, flow);
  if (dice < 50) return switching(to, flow);
  if (dice < 88 && flow.repeat < 64) return loop(to, flow);
  jumps(to, flow);
}

void Generator::conditional(Block& to, const Flow& flow) {
  const bool agreed = random_.percent(flow.barriers ? 45 : 25);
  const Flow inner = agreed && flow.uniform ? uniform(flow) : divergent(flow);
  Statement statement{"if ($0) @0", {conditionFor(agreed)}, {}, false, 0};
  statement.blocks.push_back(block(inner, random_.between(1, 3)));
  if (random_.percent(50)) {
    statement.pattern += " else @1";
    statement.blocks.push_back(block(inner, random_.between(1, 3)));
    if (random_.percent(20)) {
      statement.pattern = "if ($0) @0 else if ($1) @1 else @2";
      const Flow last = divergent(flow);
      statement.expressions.push_back(conditionFor(agreed));
      statement.blocks.push_back(block(agreed && flow.uniform ? inner : last, 1));
    }
  }
  to.push_back(std::move(statement));
}

void Generator::switching(Block& to, const Flow& flow) {
  const bool agreed = random_.percent(25);
  Flow inner = agreed && flow.uniform ? uniform(flow) : divergent(flow);
  inner.mayBreak = true;
  inner.mayContinue = flow.mayContinue && !flow.loopUniform;
  inner.loopUniform = inner.uniform;
  static const std::vector<Base> kBases = {Base::Int, Base::UInt, Base::UChar, Base::Long, Base::Short};
  const Type type{random_.pick(kBases), 1};
  const bool before = uniformOnly_;
  uniformOnly_ = uniformOnly_ || agreed;
  Expression value = expression(type, deep());
  uniformOnly_ = before;
  Statement statement{
      random_.percent(50) ? "switch ($0 & 7) {" : "switch (($0 >> 1) & 3) {", {std::move(value)}, {}, false, 0};
  const int cases = random_.between(2, 4);
  const int other = random_.percent(75) ? random_.below(cases) : -1; // where default stands
  std::vector<int> values = {0, 1, 2, 3, 4, 5, 6, 7};
  for (int i = 0; i < cases; ++i) {
    const int labels = random_.between(1, 2);
    for (int k = 0; k < labels; ++k) {
      const std::size_t at = std::size_t(random_.below(int(values.size())));
      statement.pattern += "\ncase " + std::to_string(values[at]) + ":";
      values.erase(values.begin() + std::ptrdiff_t(at));
    }
    if (i == other) statement.pattern += "\ndefault:";
    statement.pattern += " @" + std::to_string(i) + (random_.percent(65) ? " break;" : "");
    statement.blocks.push_back(block(inner, random_.between(1, 2)));
  }
  statement.pattern += "\n}";
  to.push_back(std::move(statement));
}

void Generator::loop(Block& to, const Flow& flow) {
  const bool agreed = random_.percent(flow.uniform ? 45 : 20);
  Flow inner = agreed && flow.uniform ? uniform(flow) : divergent(flow);
  inner.loopUniform = inner.uniform;
  inner.mayBreak = inner.mayContinue = true;
  const int most = flow.repeat >= 8 ? 4 : 8;
  inner.repeat = flow.repeat * most;
  cost_ = std::max(cost_, inner.repeat);
  const std::string mask = std::to_string(most - 1);

  static const std::vector<Base> kCounters = {Base::Int,   Base::Int,   Base::UInt, Base::UInt, Base::Char,
                                              Base::UChar, Base::Short, Base::Long, Base::ULong};
  const Type type{random_.pick(kCounters), 1};
  const std::string name = type.name();
  const std::string i = fresh("i");
  const bool before = uniformOnly_;
  uniformOnly_ = uniformOnly_ || agreed;
  Statement statement;
  bool counts = true; // the body sees the counter
  switch (random_.below(8)) {
  case 0:
    statement.pattern = "for (" + name + " " + i + " = 0; " + i + " < " + std::to_string(random_.between(1, most)) +
                        "; " + i + "++) @0";
    break;
  case 1:
  case 2:
    statement.pattern =
        "for (" + name + " " + i + " = 0; " + i + " < (" + name + ")(($0 & " + mask + ") + 1); " + i + "++) @0";
    statement.expressions = {expression(type, deep())};
    break;
  case 3:
    statement.pattern = "for (" + name + " " + i + " = $0 & " + mask + "; " + i + " > 0; " + i + "--) @0";
    statement.expressions = {expression(type, deep())};
    break;
  case 4:
    statement.pattern =
        "for (" + name + " " + i + " = $0 & 3; " + i + " < " + std::to_string(most) + "; " + i + " += 1 + ($1 & 3)) @0";
    statement.expressions = {expression(type, 1), expression(type, 1)};
    break;
  case 5:
    statement.pattern = "{\n  uint " + i + " = 0;\n  while ($0 && " + i + "++ < " + std::to_string(most) + "u) @0\n}";
    statement.expressions = {condition(deep())};
    counts = false;
    break;
  case 6:
    statement.pattern =
        "{\n  uint " + i + " = 0;\n  do @0 while (++" + i + " < " + std::to_string(most) + "u && $0);\n}";
    statement.expressions = {condition(deep())};
    counts = false;
    break;
  default:
    statement.pattern = "for (uint " + i + " = 0;; " + i + "++) {\n  if (" + i + " >= " + std::to_string(most) +
                        "u || $0) break;\n  @0\n}";
    statement.expressions = {condition(deep())};
    counts = false;
    break;
  }
  uniformOnly_ = before;
  if (counts) scope_.push_back({i, type, 0, 0, -1, inner.uniform, false});
  statement.blocks.push_back(block(inner, random_.between(1, 4)));
  if (counts) scope_.pop_back();
  to.push_back(std::move(statement));
}

/// goto: out of nested loops, over code, and into the middle of a loop. All targets are between braces, so that no
/// declaration is jumped over.
void Generator::jumps(Block& to, const Flow& flow) {
  Flow inner = divergent(flow);
  const std::string label = "L" + fresh("");
  switch (flow.repeat < 64 ? random_.below(3) : 0) {
  case 0: {
    Statement statement{"if ($0) goto " + label + ";\n@0\nif ($1) goto " + label + ";\n@1\n" + label + ":;",
                        {condition(deep()), condition(deep())},
                        {},
                        false,
                        0};
    statement.blocks.push_back(block(inner, random_.between(1, 2)));
    statement.blocks.push_back(block(inner, random_.between(1, 2)));
    to.push_back(std::move(statement));
    return;
  }
  case 1: { // out of two loops
    const std::string i = fresh("i");
    const std::string j = fresh("j");
    inner.mayBreak = inner.mayContinue = true;
    inner.loopUniform = false;
    inner.repeat = flow.repeat * 9;
    cost_ = std::max(cost_, inner.repeat);
    Statement statement{"for (int " + i + " = 0; " + i + " < 3; " + i + "++)\n  for (int " + j + " = 0; " + j +
                            " < 3; " + j + "++) {\n    if ($0) goto " + label + ";\n    @0\n  }\n@1\n" + label + ":;",
                        {},
                        {},
                        false,
                        0};
    scope_.push_back({i, {Base::Int, 1}, 0, 0, -1, false, false});
    scope_.push_back({j, {Base::Int, 1}, 0, 0, -1, false, false});
    statement.expressions = {condition(deep())};
    statement.blocks.push_back(block(inner, random_.between(1, 2)));
    scope_.pop_back();
    scope_.pop_back();
    statement.blocks.push_back(block(divergent(flow), 1));
    to.push_back(std::move(statement));
    return;
  }
  default: { // irreducible: two ways into a loop
    const std::string n = fresh("n");
    const std::string a = label + "a";
    const std::string b = label + "b";
    inner.repeat = flow.repeat * 6;
    cost_ = std::max(cost_, inner.repeat);
    Statement statement{"{\n  uint " + n + " = 0;\n  if ($0) goto " + b + ";\n" + a + ":;\n  @0\n" + b +
                            ":;\n  if (++" + n + " > 5u) goto " + label + ";\n  @1\n  if ($1) goto " + a +
                            ";\n  if ($2) goto " + b + ";\n" + label + ":;\n}",
                        {condition(deep()), condition(deep()), condition(deep())},
                        {},
                        false,
                        0};
    statement.blocks.push_back(block(inner, random_.between(1, 2)));
    statement.blocks.push_back(block(inner, random_.between(1, 2)));
    to.push_back(std::move(statement));
    return;
  }
  }
}

} // namespace clotho::fuzz
