// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "sub_group_program.hpp"

#include "random.hpp"

#include <algorithm>

namespace clotho::fuzz::sub_groups {
namespace {

// --- Making programs ---

class Maker {
 public:
  explicit Maker(std::uint64_t seed) : random_(seed * 7919 + 13) {}

  Block program() {
    Block body;
    for (int i = random_.between(3, 6); i > 0; --i)
      body.push_back(statement(0, /*inLoop=*/false));
    return body;
  }

 private:
  Expression expression(int depth) {
    using Kind = Expression::Kind;
    if (depth == 0 || random_.percent(25)) {
      switch (random_.below(6)) {
      case 0: return {Kind::Number, unsigned(random_.below(40)), {}};
      case 1: return {Kind::Lane, 0, {}};
      case 2: return {rounds_ > 0 ? Kind::Round : Kind::Lane, unsigned(std::max(rounds_ - 1, 0)), {}};
      default: return {Kind::Variable, unsigned(random_.below(kVariables)), {}};
      }
    }
    const Kind kind = Kind(int(Kind::Add) + random_.below(int(Kind::Equal) - int(Kind::Add) + 1));
    return {kind, 0, {expression(depth - 1), expression(depth - 1)}};
  }

  Block block(int depth, bool inLoop) {
    Block made;
    for (int i = random_.between(1, 3); i > 0; --i)
      made.push_back(statement(depth, inLoop));
    return made;
  }

  Statement statement(int depth, bool inLoop) {
    using Kind = Statement::Kind;
    const int dice = random_.below(100);
    Statement made;
    made.target = random_.below(kVariables);
    if (depth >= 4 || dice < 20) {
      made.expressions = {expression(2)};
      if (depth >= 4 || random_.percent(50)) call(made);
      return made;
    }
    if (dice < 50) {
      call(made);
      return made;
    }
    made.expressions = {expression(2)};
    if (dice < 70) {
      made.kind = Kind::If;
      made.blocks = {block(depth + 1, inLoop)};
      if (random_.percent(60)) made.blocks.push_back(block(depth + 1, inLoop));
    } else if (dice < 78) {
      made.kind = Kind::Switch;
      for (int i = 0; i < 4; ++i)
        made.blocks.push_back(block(depth + 1, false)); // a break would be the switch's
    } else if (dice < 90 && rounds_ < 2) {
      made.kind = Kind::Loop;
      ++rounds_;
      if (random_.percent(50)) made.condition = Condition(1 + random_.below(int(Condition::Last)));
      made.expressions.push_back(expression(2));
      made.blocks = {block(depth + 1, true)};
      --rounds_;
    } else if (inLoop && dice < 97) {
      made.kind = random_.percent(40) ? Kind::Continue : Kind::Break;
      made.blocks = {last()};
    } else if (depth == 0 ? random_.percent(30) : random_.percent(20)) {
      made.kind = Kind::Return;
      made.blocks = {last()};
    } else {
      call(made);
    }
    return made;
  }

  /// What is done before leaving.
  Block last() {
    Block made;
    for (int i = random_.below(3); i > 0; --i)
      call(made.emplace_back());
    for (Statement& statement : made)
      statement.target = random_.below(kVariables);
    return made;
  }

  void call(Statement& made) {
    static const std::vector<unsigned> kBits = {32, 32, 32, 8, 16, 64};
    made.kind = Statement::Kind::Call;
    made.function = Function(random_.below(int(Function::Last) + 1));
    made.bits =
        made.function <= Function::ExclusiveMin && made.function != Function::ReduceXor ? random_.pick(kBits) : 32;
    made.expressions = {expression(2), expression(1)};
  }

  Random random_;
  int rounds_ = 0;
};

// --- Printing them ---

std::string text(const Expression& e) {
  using Kind = Expression::Kind;
  const auto binary = [&](const char* op) {
    return "(" + text(e.operands[0]) + " " + op + " " + text(e.operands[1]) + ")";
  };
  switch (e.kind) {
  case Kind::Variable: return "v" + std::to_string(e.number);
  case Kind::Number: return std::to_string(e.number) + "u";
  case Kind::Lane: return "lane";
  case Kind::Round: return "r" + std::to_string(e.number);
  case Kind::Add: return binary("+");
  case Kind::Xor: return binary("^");
  case Kind::Times: return binary("*");
  case Kind::And: return binary("&");
  case Kind::Shift: return "(" + text(e.operands[0]) + " >> (" + text(e.operands[1]) + " & 31u))";
  case Kind::Less: return "(uint)" + binary("<");
  case Kind::Equal: return "(uint)((" + text(e.operands[0]) + " & 3u) == (" + text(e.operands[1]) + " & 3u))";
  }
  return "";
}

std::string callText(const Statement& s) {
  const std::string a = text(s.expressions[0]);
  const std::string b = text(s.expressions[1]);
  const std::string type = s.bits == 8 ? "uchar" : s.bits == 16 ? "ushort" : s.bits == 64 ? "ulong" : "uint";
  const auto of = [&](const char* function) {
    return "(uint)sub_group_non_uniform_" + std::string(function) + "((" + type + ")(" + a + "))";
  };
  switch (s.function) {
  case Function::ReduceAdd: return "(uint)sub_group_reduce_add((" + type + ")(" + a + "))";
  case Function::ReduceMin: return of("reduce_min");
  case Function::ReduceMax: return of("reduce_max");
  case Function::ReduceXor: return of("reduce_xor");
  case Function::InclusiveAdd: return of("scan_inclusive_add");
  case Function::InclusiveMax: return "(uint)sub_group_scan_inclusive_max((" + type + ")(" + a + "))";
  case Function::ExclusiveAdd: return of("scan_exclusive_add");
  case Function::ExclusiveMin: return of("scan_exclusive_min");
  case Function::Count: return "sub_group_ballot_bit_count(sub_group_ballot(" + a + " & 1u))";
  case Function::Ballot: return "sub_group_ballot(" + a + " & 2u).x";
  case Function::Elect: return "(uint)sub_group_elect()";
  case Function::Any: return "(uint)sub_group_any((" + a + ") > 30u)";
  case Function::All: return "(uint)sub_group_non_uniform_all((" + a + ") > 3u)";
  case Function::AllEqual: return "(uint)sub_group_non_uniform_all_equal((" + a + ") & 4u)";
  case Function::First: return "sub_group_broadcast_first(" + a + ")";
  case Function::Pick: return "pick(" + a + ", " + b + ")";
  case Function::Cluster: return "sub_group_clustered_reduce_add(" + a + ", 4)";
  }
  return "";
}

/// What a loop goes on by.
std::string conditionText(const Statement& s, const std::string& round) {
  const std::string goesOn = round + " < n", e = text(s.expressions[1]);
  switch (s.condition) {
  case Condition::None: return goesOn;
  case Condition::And: return goesOn + " && (" + e + " & 3u) != 1u";
  case Condition::Select: return goesOn + " ? (" + e + " & 7u) != 2u : false";
  case Condition::Any: return goesOn + " && sub_group_any(" + e + " & 1u)";
  }
  return goesOn;
}

void print(std::string& out, const Block& block, int depth, int& rounds);

void print(std::string& out, const Statement& s, int depth, int& rounds) {
  using Kind = Statement::Kind;
  const std::string indent(std::size_t(depth) * 2, ' ');
  const auto inner = [&](const Block& block, const std::string& begin = "") {
    out += " {\n" + begin;
    print(out, block, depth + 1, rounds);
    out += indent + "}";
  };
  out += indent;
  const std::string first = s.expressions.empty() ? "" : text(s.expressions[0]);
  switch (s.kind) {
  case Kind::Assign: out += "v" + std::to_string(s.target) + " = " + first + ";"; break;
  case Kind::Call: out += "v" + std::to_string(s.target) + " += " + callText(s) + ";"; break;
  case Kind::If:
    out += "if (" + first + " & 1u)";
    inner(s.blocks[0]);
    if (s.blocks.size() > 1) {
      out += " else";
      inner(s.blocks[1]);
    }
    break;
  case Kind::Switch:
    out += "switch (" + first + " & 3u) {";
    for (std::size_t i = 0; i < s.blocks.size(); ++i) {
      out += "\n" + indent + (i + 1 < s.blocks.size() ? "case " + std::to_string(i) : "default") + ":";
      inner(s.blocks[i]);
      out += " break;";
    }
    out += "\n" + indent + "}";
    break;
  case Kind::Loop: {
    const std::string r = "r" + std::to_string(rounds++);
    out += "for (uint " + r + " = 0, n = (" + first + ") & 7u; " + conditionText(s, r) + "; " + r + "++)";
    // The end of a variable's life is a place where all ways out of an iteration meet.
    inner(s.blocks[0], s.target % 2 == 0 ? "" : indent + "  uint own" + r + " = v0;\n");
    --rounds;
    break;
  }
  case Kind::Continue:
  case Kind::Break:
  case Kind::Return:
    out += "if (" + first + " & 1u) {\n";
    print(out, s.blocks[0], depth + 1, rounds);
    out += indent + (s.kind == Kind::Continue ? "  continue;"
                     : s.kind == Kind::Break  ? "  break;"
                                              : "  out[4 * i] = v0;\n" + indent + "  return;");
    out += "\n" + indent + "}";
    break;
  }
  out += "\n";
}

void print(std::string& out, const Block& block, int depth, int& rounds) {
  for (const Statement& statement : block)
    print(out, statement, depth, rounds);
}

} // namespace

Block randomProgram(std::uint64_t seed) { return Maker(seed).program(); }

std::string sourceOf(std::uint64_t seed, const Block& body) {
  std::string out = "kernel void k" + std::to_string(seed) +
                    "(global const uint* in, global uint* out) {\n"
                    "  const size_t i = get_global_id(0) + get_global_size(0) * get_global_id(1);\n"
                    "  const uint lane = get_sub_group_local_id();\n"
                    "  uint v0 = in[i], v1 = in[i] >> 7, v2 = (uint)i, v3 = 1;\n";
  int rounds = 0;
  print(out, body, 1, rounds);
  return out + "  out[4 * i] = v0;\n  out[4 * i + 1] = v1;\n  out[4 * i + 2] = v2;\n  out[4 * i + 3] = v3;\n}\n";
}

} // namespace clotho::fuzz::sub_groups
