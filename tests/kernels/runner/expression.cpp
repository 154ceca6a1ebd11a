// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "expression.hpp"
#include "functions.hpp"

#include <cctype>
#include <cmath>
#include <cstdlib>
#include <stdexcept>
#include <vector>

struct Expression::Node {
  enum class Kind { Constant, Variable, Element, Call, Loop, Unary, Binary, Choice } kind = Kind::Constant;
  Number constant;
  std::string name; ///< of variable, array, function, loop or operator
  std::string loopVariable;
  std::vector<std::unique_ptr<Node>> children;
};

namespace {

using Node = Expression::Node;
using Handle = std::unique_ptr<Node>;

/// Binary operators by how tightly they bind, loosest first.
constexpr const char* kLevels[][5] = {
    {"||"},       {"&&"},     {"|"},          {"^"}, {"&"}, {"==", "!="}, {"<=", ">=", "<", ">"},
    {"<<", ">>"}, {"+", "-"}, {"*", "/", "%"}};
constexpr std::size_t kLevelCount = std::size(kLevels);

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
    if (level == kLevelCount) return unary();
    Handle left = binary(level + 1);
    for (bool found = true; found;) {
      found = false;
      for (const char* op : kLevels[level]) {
        if (!op || !take(op)) continue;
        Handle right = binary(level + 1);
        left = make(Node::Kind::Binary, op, list(std::move(left), std::move(right)));
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

  Handle constant() {
    Handle node = make(Node::Kind::Constant, "", {});
    const char* start = text_.c_str() + at_;
    char* endInteger = nullptr;
    char* endReal = nullptr;
    const unsigned long long integer = std::strtoull(start, &endInteger, 0);
    const long double real = std::strtold(start, &endReal);
    const bool isReal = endReal > endInteger;
    node->constant = isReal ? Number::of(real) : Number::of(static_cast<__int128>(integer));
    at_ += std::size_t((isReal ? endReal : endInteger) - start);
    return node;
  }

  Handle named() {
    std::string name;
    while (at_ < text_.size() && (std::isalnum(static_cast<unsigned char>(text_[at_])) || text_[at_] == '_'))
      name += text_[at_++];
    if (name == "skip") return make(Node::Kind::Call, name, {});
    if (take("[")) {
      Handle index = choice();
      need("]");
      return make(Node::Kind::Element, name, list(std::move(index)));
    }
    if (!take("(")) return make(Node::Kind::Variable, name, {});
    Handle call = make(Node::Kind::Call, name, {});
    if (name == "sum" || name == "least" || name == "greatest") {
      call->kind = Node::Kind::Loop;
      Handle variable = named();
      if (variable->kind != Node::Kind::Variable) fail("a loop needs a variable");
      call->loopVariable = variable->name;
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

Number realOperation(const std::string& op, long double a, long double b) {
  const auto yes = [](bool value) { return Number::of(static_cast<__int128>(value)); };
  if (op == "+") return Number::of(a + b);
  if (op == "-") return Number::of(a - b);
  if (op == "*") return Number::of(a * b);
  if (op == "/") return Number::of(a / b);
  if (op == "<") return yes(a < b);
  if (op == ">") return yes(a > b);
  if (op == "<=") return yes(a <= b);
  if (op == ">=") return yes(a >= b);
  if (op == "==") return yes(a == b);
  if (op == "!=") return yes(a != b);
  throw std::runtime_error("operator " + op + " wants integers");
}

Number integerOperation(const std::string& op, __int128 a, __int128 b) {
  using Bits = unsigned __int128;
  const auto wrapped = [](Bits value) { return Number::of(static_cast<__int128>(value)); };
  if (op == "+") return wrapped(Bits(a) + Bits(b));
  if (op == "-") return wrapped(Bits(a) - Bits(b));
  if (op == "*") return wrapped(Bits(a) * Bits(b));
  if (op == "/" || op == "%") {
    if (b == 0) throw std::runtime_error("division by zero in an expression");
    return Number::of(op == "/" ? a / b : a % b);
  }
  if (op == "&") return Number::of(a & b);
  if (op == "|") return Number::of(a | b);
  if (op == "^") return Number::of(a ^ b);
  if (op == "<<") return wrapped(Bits(a) << b);
  if (op == ">>") return Number::of(a >> b);
  const auto yes = [](bool value) { return Number::of(static_cast<__int128>(value)); };
  if (op == "<") return yes(a < b);
  if (op == ">") return yes(a > b);
  if (op == "<=") return yes(a <= b);
  if (op == ">=") return yes(a >= b);
  if (op == "==") return yes(a == b);
  return yes(a != b);
}

Number evaluateNode(const Node& node, Scope& scope);

Number evaluateLoop(const Node& node, Scope& scope) {
  const __int128 first = evaluateNode(*node.children[0], scope).asInteger();
  const __int128 end = evaluateNode(*node.children[1], scope).asInteger();
  const auto outer = scope.variables.find(node.loopVariable);
  const bool shadows = outer != scope.variables.end();
  const Number saved = shadows ? outer->second : Number{};
  Number result = Number::of(static_cast<__int128>(0));
  for (__int128 j = first; j < end; ++j) {
    scope.variables[node.loopVariable] = Number::of(j);
    const Number value = evaluateNode(*node.children[2], scope);
    if (j == first) {
      result = value;
    } else if (node.name == "sum") {
      result = value.isReal() || result.isReal() ? Number::of(result.asReal() + value.asReal())
                                                 : integerOperation("+", result.integer, value.integer);
    } else {
      const bool replace = realOperation(node.name == "least" ? "<" : ">", value.asReal(), result.asReal()).truth();
      if (replace) result = value;
    }
  }
  if (shadows)
    scope.variables[node.loopVariable] = saved;
  else
    scope.variables.erase(node.loopVariable);
  return result;
}

Number evaluateBinary(const Node& node, Scope& scope) {
  const Number a = evaluateNode(*node.children[0], scope);
  if (node.name == "&&" && !a.truth()) return Number::of(static_cast<__int128>(0));
  if (node.name == "||" && a.truth()) return Number::of(static_cast<__int128>(1));
  const Number b = evaluateNode(*node.children[1], scope);
  if (a.isAny() || b.isAny()) return Number::any();
  if (node.name == "&&" || node.name == "||") return Number::of(static_cast<__int128>(b.truth()));
  if (a.isReal() || b.isReal()) return realOperation(node.name, a.asReal(), b.asReal());
  return integerOperation(node.name, a.integer, b.integer);
}

Number evaluateNode(const Node& node, Scope& scope) {
  switch (node.kind) {
  case Node::Kind::Constant: return node.constant;
  case Node::Kind::Variable: {
    if (node.name == "inf") return Number::of(static_cast<long double>(INFINITY));
    if (node.name == "nan") return Number::of(static_cast<long double>(NAN));
    const auto found = scope.variables.find(node.name);
    if (found == scope.variables.end()) throw std::runtime_error("unknown variable " + node.name);
    return found->second;
  }
  case Node::Kind::Element: return scope.element(node.name, evaluateNode(*node.children[0], scope).asInteger());
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

Expression::Expression(const std::string& text) : root_(Parser(text).all()) {}
Expression::~Expression() = default;
Number Expression::evaluate(Scope& scope) const { return evaluateNode(*root_, scope); }
