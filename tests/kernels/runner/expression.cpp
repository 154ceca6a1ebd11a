// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "expression.hpp"
#include "functions.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <iterator>
#include <stdexcept>
#include <vector>

namespace {

enum class Operator : std::uint8_t {
  Or,
  And,
  BitOr,
  BitXor,
  BitAnd,
  Equal,
  NotEqual,
  LessEqual,
  GreaterEqual,
  Less,
  Greater,
  ShiftLeft,
  ShiftRight,
  Add,
  Subtract,
  Multiply,
  Divide,
  Remainder,
};

struct BinaryOperator {
  const char* text;
  Operator op;
};

/// Binary operators by how tightly they bind, loosest first.
const std::vector<BinaryOperator> kLevels[] = {
    {{"||", Operator::Or}},
    {{"&&", Operator::And}},
    {{"|", Operator::BitOr}},
    {{"^", Operator::BitXor}},
    {{"&", Operator::BitAnd}},
    {{"==", Operator::Equal}, {"!=", Operator::NotEqual}},
    {{"<=", Operator::LessEqual}, {">=", Operator::GreaterEqual}, {"<", Operator::Less}, {">", Operator::Greater}},
    {{"<<", Operator::ShiftLeft}, {">>", Operator::ShiftRight}},
    {{"+", Operator::Add}, {"-", Operator::Subtract}},
    {{"*", Operator::Multiply}, {"/", Operator::Divide}, {"%", Operator::Remainder}},
};

} // namespace

struct Expression::Node {
  enum class Kind { Constant, Variable, Element, Call, Loop, Unary, Binary, Choice } kind = Kind::Constant;
  Number constant;            ///< infinity and not-a-number, too
  std::string name;           ///< of variable, array, function, loop or operator
  Operator op = Operator::Or; ///< of two operands
  std::size_t number = 0;     ///< of a variable, the one of a loop too; of an array
  std::vector<std::unique_ptr<Node>> children;
};

namespace {

using Node = Expression::Node;
using Handle = std::unique_ptr<Node>;

class Parser {
 public:
  explicit Parser(const std::string& text) : text_(text) {}

  Handle all() {
    Handle root = choice();
    skipSpace();
    if (at_ != text_.size()) fail("unexpected text");
    return root;
  }

 private:
  [[noreturn]] void fail(const std::string& why) const {
    throw std::runtime_error("expression \"" + text_ + "\", at " + std::to_string(at_) + ": " + why);
  }

  void skipSpace() {
    while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_])))
      ++at_;
  }

  bool take(std::string_view token) {
    skipSpace();
    if (text_.compare(at_, token.size(), token) != 0) return false;
    // "<" is not the first half of "<<", nor "&" of "&&".
    const char next = at_ + token.size() < text_.size() ? text_[at_ + token.size()] : '\0';
    if (token.size() == 1 && std::string_view("<>&|").find(token[0]) != std::string_view::npos &&
        (next == token[0] || (next == '=' && token[0] != '&' && token[0] != '|')))
      return false;
    at_ += token.size();
    return true;
  }

  void need(std::string_view token) {
    if (!take(token)) fail("expected " + std::string(token));
  }

  static Handle make(Node::Kind kind, std::string name, std::vector<Handle> children) {
    auto node = std::make_unique<Node>();
    node->kind = kind;
    node->name = std::move(name);
    node->children = std::move(children);
    return node;
  }

  template <class... Nodes> static std::vector<Handle> list(Nodes... nodes) {
    std::vector<Handle> result;
    (result.push_back(std::move(nodes)), ...);
    return result;
  }

  Handle choice() {
    Handle condition = binary(0);
    if (!take("?")) return condition;
    Handle yes = choice();
    need(":");
    Handle no = choice();
    return make(Node::Kind::Choice, "?", list(std::move(condition), std::move(yes), std::move(no)));
  }

  Handle binary(std::size_t level) {
    if (level == std::size(kLevels)) return unary();
    Handle left = binary(level + 1);
    for (bool found = true; found;) {
      found = false;
      for (const BinaryOperator& candidate : kLevels[level]) {
        if (!take(candidate.text)) continue;
        Handle right = binary(level + 1);
        left = make(Node::Kind::Binary, candidate.text, list(std::move(left), std::move(right)));
        left->op = candidate.op;
        found = true;
        break;
      }
    }
    return left;
  }

  Handle unary() {
    for (const char* op : {"-", "~", "!"})
      if (take(op)) return make(Node::Kind::Unary, op, list(unary()));
    return primary();
  }

  Handle primary() {
    skipSpace();
    if (take("(")) {
      Handle inner = choice();
      need(")");
      return inner;
    }
    const char first = at_ < text_.size() ? text_[at_] : '\0';
    if (std::isdigit(static_cast<unsigned char>(first)) || first == '.') return constant();
    if (std::isalpha(static_cast<unsigned char>(first)) || first == '_') return named();
    fail("expected a value");
  }

  static Handle constant(Number value) {
    Handle node = make(Node::Kind::Constant, "", {});
    node->constant = value;
    return node;
  }

  Handle constant() {
    const char* start = text_.c_str() + at_;
    char* endInteger = nullptr;
    char* endReal = nullptr;
    const unsigned long long integer = std::strtoull(start, &endInteger, 0);
    const long double real = std::strtold(start, &endReal);
    const bool isReal = endReal > endInteger;
    at_ += std::size_t((isReal ? endReal : endInteger) - start);
    return constant(isReal ? Number::of(real) : Number::of(static_cast<__int128>(integer)));
  }

  Handle named() {
    std::string name;
    while (at_ < text_.size() && (std::isalnum(static_cast<unsigned char>(text_[at_])) || text_[at_] == '_'))
      name += text_[at_++];
    if (name == "skip") return make(Node::Kind::Call, name, {});
    if (take("[")) {
      Handle index = choice();
      need("]");
      const bool isArray = name.size() > 1 && name[0] == 'a' &&
                           std::all_of(name.begin() + 1, name.end(), [](unsigned char c) { return std::isdigit(c); });
      if (!isArray) fail("no array " + name);
      Handle element = make(Node::Kind::Element, name, list(std::move(index)));
      element->number = std::stoul(name.substr(1));
      return element;
    }
    if (!take("(")) {
      if (name == "inf") return constant(Number::of(static_cast<long double>(INFINITY)));
      if (name == "nan") return constant(Number::of(static_cast<long double>(NAN)));
      Handle variable = make(Node::Kind::Variable, name, {});
      variable->number = Variables::numberOf(name);
      return variable;
    }
    Handle call = make(Node::Kind::Call, name, {});
    if (name == "sum" || name == "least" || name == "greatest") {
      call->kind = Node::Kind::Loop;
      Handle variable = named();
      if (variable->kind != Node::Kind::Variable) fail("a loop needs a variable");
      call->number = variable->number;
      need(",");
    }
    if (!take(")")) {
      do
        call->children.push_back(choice());
      while (take(","));
      need(")");
    }
    if (call->kind == Node::Kind::Loop && call->children.size() != 3) fail("a loop needs variable, first, end, value");
    return call;
  }

  const std::string& text_;
  std::size_t at_ = 0;
};

Number yes(bool value) { return Number::of(static_cast<__int128>(value)); }

/// Nothing where the operator does not compare.
template <class Value> std::optional<Number> comparison(Operator op, Value a, Value b) {
  switch (op) {
  case Operator::Less: return yes(a < b);
  case Operator::Greater: return yes(a > b);
  case Operator::LessEqual: return yes(a <= b);
  case Operator::GreaterEqual: return yes(a >= b);
  case Operator::Equal: return yes(a == b);
  case Operator::NotEqual: return yes(a != b);
  default: return std::nullopt;
  }
}

Number realOperation(const Node& node, long double a, long double b) {
  switch (node.op) {
  case Operator::Add: return Number::of(a + b);
  case Operator::Subtract: return Number::of(a - b);
  case Operator::Multiply: return Number::of(a * b);
  case Operator::Divide: return Number::of(a / b);
  default: break;
  }
  if (const auto compared = comparison(node.op, a, b)) return *compared;
  throw std::runtime_error("operator " + node.name + " wants integers");
}

/// Divisions of 128 bits are functions, of 64 bits instructions.
Number divide(__int128 a, __int128 b, bool wantsQuotient) {
  if (b == 0) throw std::runtime_error("division by zero in an expression");
  const auto narrowA = static_cast<std::int64_t>(a), narrowB = static_cast<std::int64_t>(b);
  if (narrowA == a && narrowB == b && narrowA != INT64_MIN)
    return Number::of(static_cast<__int128>(wantsQuotient ? narrowA / narrowB : narrowA % narrowB));
  return Number::of(wantsQuotient ? a / b : a % b);
}

Number integerOperation(Operator op, __int128 a, __int128 b) {
  using Bits = unsigned __int128;
  const auto wrapped = [](Bits value) { return Number::of(static_cast<__int128>(value)); };
  switch (op) {
  case Operator::Add: return wrapped(Bits(a) + Bits(b));
  case Operator::Subtract: return wrapped(Bits(a) - Bits(b));
  case Operator::Multiply: return wrapped(Bits(a) * Bits(b));
  case Operator::Divide:
  case Operator::Remainder: return divide(a, b, op == Operator::Divide);
  case Operator::BitAnd: return Number::of(a & b);
  case Operator::BitOr: return Number::of(a | b);
  case Operator::BitXor: return Number::of(a ^ b);
  case Operator::ShiftLeft: return wrapped(Bits(a) << b);
  case Operator::ShiftRight: return Number::of(a >> b);
  default: return comparison(op, a, b).value(); // all others but && and ||, which may not need both values
  }
}

Number evaluateNode(const Node& node, Scope& scope);

Number evaluateLoop(const Node& node, Scope& scope) {
  const __int128 first = evaluateNode(*node.children[0], scope).asInteger();
  const __int128 end = evaluateNode(*node.children[1], scope).asInteger();
  const std::optional<Number> outer = scope.variables[node.number];
  Number result = Number::of(static_cast<__int128>(0));
  for (__int128 j = first; j < end; ++j) {
    scope.variables[node.number] = Number::of(j);
    const Number value = evaluateNode(*node.children[2], scope);
    if (j == first) {
      result = value;
    } else if (node.name == "sum") {
      result = value.isReal() || result.isReal() ? Number::of(result.asReal() + value.asReal())
                                                 : integerOperation(Operator::Add, result.integer, value.integer);
    } else {
      const bool replace = node.name == "least" ? value.asReal() < result.asReal() : value.asReal() > result.asReal();
      if (replace) result = value;
    }
  }
  scope.variables[node.number] = outer;
  return result;
}

Number evaluateBinary(const Node& node, Scope& scope) {
  const Number a = evaluateNode(*node.children[0], scope);
  if (node.op == Operator::And && !a.truth()) return yes(false);
  if (node.op == Operator::Or && a.truth()) return yes(true);
  const Number b = evaluateNode(*node.children[1], scope);
  if (a.isAny() || b.isAny()) return Number::any();
  if (node.op == Operator::And || node.op == Operator::Or) return yes(b.truth());
  if (a.isReal() || b.isReal()) return realOperation(node, a.asReal(), b.asReal());
  return integerOperation(node.op, a.integer, b.integer);
}

Number evaluateNode(const Node& node, Scope& scope) {
  switch (node.kind) {
  case Node::Kind::Constant: return node.constant;
  case Node::Kind::Variable: {
    const std::optional<Number>& value = scope.variables[node.number];
    if (!value) throw std::runtime_error("unknown variable " + node.name);
    return *value;
  }
  case Node::Kind::Element: return scope.element(node.number, evaluateNode(*node.children[0], scope).asInteger());
  case Node::Kind::Call: {
    std::vector<Number> args;
    for (const Handle& child : node.children)
      args.push_back(evaluateNode(*child, scope));
    if (const auto result = callFunction(node.name, args)) return *result;
    throw std::runtime_error("unknown function " + node.name + " of " + std::to_string(args.size()));
  }
  case Node::Kind::Loop: return evaluateLoop(node, scope);
  case Node::Kind::Unary: {
    const Number a = evaluateNode(*node.children[0], scope);
    if (a.isAny()) return a;
    if (node.name == "!") return Number::of(static_cast<__int128>(!a.truth()));
    if (node.name == "~") return Number::of(~a.asInteger());
    return a.isReal() ? Number::of(-a.real) : Number::of(-a.integer);
  }
  case Node::Kind::Binary: return evaluateBinary(node, scope);
  case Node::Kind::Choice:
    return evaluateNode(*node.children[evaluateNode(*node.children[0], scope).truth() ? 1 : 2], scope);
  }
  return {};
}

} // namespace

std::size_t Variables::numberOf(std::string_view name) {
  static std::vector<std::string> names;
  const auto place = std::find(names.begin(), names.end(), name);
  if (place != names.end()) return static_cast<std::size_t>(place - names.begin());
  names.emplace_back(name);
  return names.size() - 1;
}

std::optional<Number>& Variables::operator[](std::size_t number) {
  if (number >= values_.size()) values_.resize(number + 1);
  return values_[number];
}

Expression::Expression(const std::string& text) : root_(Parser(text).all()) {}
Expression::~Expression() = default;
Number Expression::evaluate(Scope& scope) const { return evaluateNode(*root_, scope); }
