// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Operators on integers.
#include "generator.hpp"

namespace clotho::fuzz {

Expression Generator::make(Type type, std::string pattern, std::initializer_list<Expression> operands, int magnitude) {
  return {type, std::move(pattern), operands, magnitude, 0};
}

Expression Generator::expression(Type type, int depth) {
  if (depth <= 0 || random_.percent(15)) return leaf(type);
  return type.isFloat() ? floating(type, depth) : integer(type, depth);
}

Expression Generator::uniformly(Type type, int depth) {
  const bool before = uniformOnly_;
  uniformOnly_ = true;
  Expression result = expression(type, depth);
  uniformOnly_ = before;
  return result;
}

Expression Generator::integer(Type type, int depth) {
  switch (random_.below(16)) {
  case 0:
  case 1:
  case 2:
  case 3: return arithmetic(type, depth);
  case 4:
  case 5: return shift(type, depth);
  case 6: return division(type, depth);
  case 7: return comparison(type, depth);
  case 8:
  case 9: return choice(type, depth);
  case 10:
  case 11: return builtin(type, depth);
  case 12: return reshaped(type, depth);
  case 13: return conversion(type, depth);
  case 14:
    if (auto result = callExpression(type, depth)) return *result;
    return builtin(type, depth);
  default: return arithmetic(type, depth);
  }
}

Expression Generator::arithmetic(Type type, int depth) {
  static const std::vector<std::string> kOperators = {"+", "-", "*", "&", "|", "^", "+", "^"};
  const std::string name = type.name();
  if (random_.percent(12)) {
    Expression value = expression(type, depth - 1);
    if (random_.percent(50)) return make(type, "(" + name + ")(~$0)", {value});
    const Type wide{type.bits() == 64 ? Base::ULong : Base::UInt, 1};
    if (type.scalar()) return make(type, "((" + name + ")-(" + wide.name() + ")$0)", {value});
    return make(type, "as_" + name + "(-as_" + type.toUnsigned().name() + "($0))", {value});
  }
  const std::string& op = random_.pick(kOperators);
  Expression a = expression(type, depth - 1);
  const bool bits = op == "&" || op == "|" || op == "^";
  if (!type.scalar() && (bits || type.isUnsigned()) && random_.percent(20))
    return make(type, "($0 " + op + " $1)", {a, expression(type.element(), depth - 1)});
  Expression b = expression(type, depth - 1);
  if (type.scalar()) {
    // Promotion makes ushort * ushort a signed product, which may overflow.
    const Type wide{type.bits() == 64 ? Base::ULong : Base::UInt, 1};
    if (bits) return make(type, "((" + name + ")($0 " + op + " $1))", {a, b});
    return make(type, "((" + name + ")((" + wide.name() + ")$0 " + op + " (" + wide.name() + ")$1))", {a, b});
  }
  if (bits || type.isUnsigned()) return make(type, "($0 " + op + " $1)", {a, b});
  const std::string u = "as_" + type.toUnsigned().name();
  return make(type, "as_" + name + "(" + u + "($0) " + op + " " + u + "($1))", {a, b});
}

Expression Generator::shift(Type type, int depth) {
  const std::string name = type.name();
  const std::string mask = std::to_string(type.bits() - 1);
  Expression value = expression(type, depth - 1);
  Expression amount = random_.percent(50) ? literal(type) : expression(type, depth - 1);
  if (random_.percent(25)) return make(type, "rotate($0, $1)", {value, amount});
  const bool left = random_.percent(50);
  if (!type.scalar()) {
    // OpenCL takes the amount modulo the component's bits.
    const bool masked = random_.percent(50);
    const std::string by = masked ? "($1 & (" + name + ")(" + mask + "))" : "$1";
    if (!left) return make(type, "($0 >> " + by + ")", {value, amount});
    if (type.isUnsigned()) return make(type, "($0 << " + by + ")", {value, amount});
    return make(type, "as_" + name + "(as_" + type.toUnsigned().name() + "($0) << " + by + ")", {value, amount});
  }
  const Type wide{type.bits() == 64 ? Base::ULong : Base::UInt, 1};
  const bool masked = type.bits() < 32 || random_.percent(50);
  const std::string by = masked ? "((uint)$1 & " + mask + "u)" : "$1";
  if (!left) return make(type, "((" + name + ")($0 >> " + by + "))", {value, amount});
  return make(type, "((" + name + ")((" + wide.name() + ")$0 << " + by + "))", {value, amount});
}

Expression Generator::division(Type type, int depth) {
  const std::string name = type.name();
  const std::string op = random_.percent(50) ? "/" : "%";
  Expression a = expression(type, depth - 1);
  Expression b = expression(type, depth - 1);
  const std::string one = "(" + name + ")(1)";
  if (random_.percent(25)) { // by a constant
    const std::string by = std::to_string(random_.between(2, 100));
    return make(type, "((" + name + ")($0 " + op + " (" + name + ")(" + by + ")))", {a});
  }
  if (type.isUnsigned()) {
    if (type.scalar() && random_.percent(40)) // the divisor may be zero where no lane uses it
      return make(type, "((" + name + ")($1 == 0 ? 7 : $0 " + op + " $1))", {a, leaf(type)});
    return make(type, "((" + name + ")($0 " + op + " ($1 | " + one + ")))", {a, b});
  }
  if (random_.percent(50)) { // positive and odd
    const std::string most =
        "(" + name + ")(" + std::to_string((1u << (type.bits() > 16 ? 30 : type.bits() - 2)) - 1) + ")";
    return make(type, "((" + name + ")($0 " + op + " (($1 & " + most + ") | " + one + ")))", {a, b});
  }
  // Negative and even, thus neither 0 nor -1.
  const std::string least = type.bits() == 64 ? "(-0x7fffffffffffffffL - 1)"
                                              : "(-" + std::to_string((1ll << (type.bits() - 1)) - 1) + " - 1)";
  return make(type, "((" + name + ")($0 " + op + " (($1 | (" + name + ")(" + least + ")) & (" + name + ")(-2))))",
              {a, b});
}

Expression Generator::comparison(Type type, int depth) {
  static const std::vector<std::string> kOperators = {"<", "<=", ">", ">=", "==", "!="};
  if (type.bits() >= 32 && random_.percent(20)) return comparedFloats(type, depth);
  const std::string op = " " + random_.pick(kOperators) + " ";
  if (type.scalar()) {
    const Type of = someInteger().element();
    Expression a = expression(of, depth - 1);
    Expression b = expression(of, depth - 1);
    switch (random_.below(4)) {
    case 0: return make(type, "((" + type.name() + ")!$0)", {a});
    case 1: {
      const std::string both = random_.percent(50) ? " && " : " || ";
      return make(type, "((" + type.name() + ")(($0" + op + "$1)" + both + "$2))", {a, b, condition(depth - 1)});
    }
    case 2: {
      const std::string both = random_.percent(50) ? "any" : "all";
      Type vector = someInteger().toSigned();
      if (vector.scalar()) vector.n = 4;
      return make(type, "((" + type.name() + ")" + both + "($0))", {expression(vector, depth - 1)});
    }
    default: return make(type, "((" + type.name() + ")($0" + op + "$1))", {a, b});
    }
  }
  const Type of = random_.percent(50) ? type : type.isSigned() ? type.toUnsigned() : type.toSigned();
  const std::string as = type.isSigned() ? "" : "as_" + type.name();
  Expression a = expression(of, depth - 1);
  if (random_.percent(15)) return make(type, as + "(!$0)", {a});
  Expression b = expression(of, depth - 1);
  if (random_.percent(15)) return make(type, as + (random_.percent(50) ? "($0 && $1)" : "($0 || $1)"), {a, b});
  return make(type, as + "($0" + op + "$1)", {a, b});
}

Expression Generator::condition(int depth) {
  const Type of = random_.percent(15) ? Type{Base::Float, 1} : someInteger().element();
  if (of.isFloat()) return comparedFloats({Base::Int, 1}, depth);
  if (random_.percent(25)) return make({Base::Int, 1}, "(($0 & 1) != 0)", {expression(of, depth)});
  if (random_.percent(25)) return make({Base::Int, 1}, "(($0 & 7) < 3)", {expression(of, depth)});
  static const std::vector<std::string> kOperators = {"<", "<=", ">", ">=", "==", "!="};
  return make({Base::Int, 1}, "($0 " + random_.pick(kOperators) + " $1)",
              {expression(of, depth - 1), expression(of, depth - 1)});
}

Expression Generator::choice(Type type, int depth) {
  Expression a = expression(type, depth - 1);
  Expression b = expression(type, depth - 1);
  const std::string name = type.name();
  if (random_.percent(40))
    return make(type, (type.scalar() ? "((" + name + ")($0 ? $1 : $2))" : "($0 ? $1 : $2)"),
                {condition(depth - 1), a, b});
  const Type mask = random_.percent(50) ? type.toSigned() : type.toUnsigned();
  if (random_.percent(30)) return make(type, "bitselect($0, $1, $2)", {a, b, expression(type, depth - 1)});
  if (random_.percent(50) || type.scalar())
    return make(type, "select($0, $1, $2)", {a, b, expression(mask, depth - 1)});
  return make(type, "($0 ? $1 : $2)", {expression(type.toSigned(), depth - 1), a, b});
}

} // namespace clotho::fuzz
