// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A random kernel with sub-group functions in divergent flow.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace clotho::fuzz::sub_groups {

constexpr int kVariables = 4;

struct Expression {
  enum class Kind { Variable, Number, Lane, Round, Add, Xor, Times, And, Shift, Less, Equal } kind = Kind::Number;
  unsigned number = 0; // of the variable; the number itself
  std::vector<Expression> operands;
};

enum class Function {
  ReduceAdd,
  ReduceMin,
  ReduceMax,
  ReduceXor,
  InclusiveAdd,
  InclusiveMax,
  ExclusiveAdd,
  ExclusiveMin,
  Count,
  Ballot,
  Elect,
  Any,
  All,
  AllEqual,
  First,
  Pick,
  Cluster,
  Last = Cluster,
};

/// What a loop asks for besides its number of rounds, in its second expression.
enum class Condition {
  None,
  And,    ///< r < n && ...
  Select, ///< r < n ? ... : false
  Any,    ///< r < n && sub_group_any(...)
  Last = Any,
};

struct Statement {
  enum class Kind { Assign, Call, If, Switch, Loop, Continue, Break, Return } kind = Kind::Assign;
  int target = 0;
  Function function = Function::ReduceAdd;
  unsigned bits = 32; // of the operand's type
  Condition condition = Condition::None;
  std::vector<Expression> expressions;
  std::vector<std::vector<Statement>> blocks;
};
using Block = std::vector<Statement>;

Block randomProgram(std::uint64_t seed);
/// The kernel `k<seed>`; it needs kPrelude before it.
std::string sourceOf(std::uint64_t seed, const Block& body);
inline constexpr const char* kPrelude = "uint pick(uint value, uint from) {\n"
                                        "  from %= get_sub_group_size();\n"
                                        "  const uint4 live = sub_group_ballot(1);\n"
                                        "  const uint found = sub_group_shuffle(value, from);\n"
                                        "  return sub_group_ballot_bit_extract(live, from) ? found : 7u;\n"
                                        "}\n";

} // namespace clotho::fuzz::sub_groups
