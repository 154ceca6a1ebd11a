// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Builtin functions, conversions, vectors taken apart and put together, floating-point operations that are exact.
#include "generator.hpp"

#include <algorithm>

namespace clotho::fuzz {

Expression Generator::builtin(Type type, int depth) {
  static const std::vector<std::string> kTwo = {"add_sat", "sub_sat", "hadd", "rhadd", "mul_hi", "min", "max"};
  static const std::vector<std::string> kOne = {"clz", "popcount"};
  Expression a = expression(type, depth - 1);
  switch (random_.below(8)) {
  case 0: return make(type, random_.pick(kOne) + "($0)", {a});
  case 1: {
    // Undefined where the lower bound is above the upper.
    Expression low = expression(type, depth - 2);
    Expression high = expression(type, depth - 2);
    return make(type, "clamp($0, min($1, $2), max($1, $2))", {a, low, high});
  }
  case 2: {
    Expression of = expression(random_.percent(50) ? type.toSigned() : type.toUnsigned(), depth - 1);
    if (random_.percent(50)) return make(type, "as_" + type.name() + "(abs($0))", {of});
    return make(type, "as_" + type.name() + "(abs_diff($0, $1))", {of, expression(of.type, depth - 1)});
  }
  case 3: return multiplied(type, depth);
  case 4:
    if (!type.scalar()) { // with one bound for all components
      Expression bound = expression(type.element(), depth - 1);
      return make(type, random_.percent(50) ? "min($0, $1)" : "max($0, $1)", {a, bound});
    }
    [[fallthrough]];
  default: return make(type, random_.pick(kTwo) + "($0, $1)", {a, expression(type, depth - 1)});
  }
}

Expression Generator::multiplied(Type type, int depth) {
  Expression a = expression(type, depth - 1);
  Expression b = expression(type, depth - 1);
  if ((type.base == Base::Int || type.base == Base::UInt) && random_.percent(60)) {
    // Defined for 24 bits only; signed products stay within 32 bits too.
    const std::string mask = "(" + type.name() + ")(" + (type.isSigned() ? "0x7fff" : "0xffff") + ")";
    if (random_.percent(50)) return make(type, "mul24($0 & " + mask + ", $1 & " + mask + ")", {a, b});
    const std::string less = "(" + type.name() + ")(0x3fffffff)";
    return make(type, "mad24($0 & " + mask + ", $1 & " + mask + ", $2 & " + less + ")",
                {a, b, expression(type, depth - 1)});
  }
  if (type.isUnsigned() && random_.percent(50))
    return make(type, "mad_hi($0, $1, $2)", {a, b, expression(type, depth - 1)});
  if (type.bits() > 8 && random_.percent(40)) {
    const Type half{Base(int(type.base) - 2), type.n};
    return make(type, "upsample($0, $1)", {expression(half, depth - 1), expression(half.toUnsigned(), depth - 1)});
  }
  return make(type, "mad_sat($0, $1, $2)", {a, b, expression(type, depth - 1)});
}

std::string Generator::swizzle(int from, int count, bool distinct) {
  std::vector<int> components;
  while (int(components.size()) < count) {
    const int next = random_.below(from);
    if (!distinct || std::find(components.begin(), components.end(), next) == components.end())
      components.push_back(next);
  }
  const bool letters = from <= 4 && count <= 4 && random_.percent(50);
  std::string text = letters ? "." : ".s";
  for (int component : components)
    text += letters ? "xyzw"[component] : "0123456789abcdef"[component];
  return text;
}

/// Some components of a vector as a value of another type of the same base.
Expression Generator::swizzled(Expression vector, Type type) {
  const int n = vector.type.n;
  const int magnitude = vector.magnitude;
  if (n == 1) return make(type, "((" + type.name() + ")($0))", {std::move(vector)}, magnitude);
  static const std::vector<std::string> kHalves = {"lo", "hi", "even", "odd"};
  if (n != 3 && type.n * 2 == n && random_.percent(50))
    return make(type, "($0)." + random_.pick(kHalves), {std::move(vector)}, magnitude);
  return make(type, "($0)" + swizzle(n, type.n, false), {std::move(vector)}, magnitude);
}

Expression Generator::reshaped(Type type, int depth) {
  static const std::vector<int> kSizes = {2, 2, 3, 4, 4, 4, 8, 16};
  if (type.scalar() || random_.percent(35))
    return swizzled(expression(type.with(random_.pick(kSizes)), depth - 1), type);
  if (type.n != 3 && random_.percent(30)) {
    static const std::vector<int> kShuffled = {2, 2, 4, 4, 4, 8, 16};
    const Type of = type.with(random_.pick(kShuffled));
    Expression mask = expression(type.toUnsigned(), depth - 1);
    if (random_.percent(50)) return make(type, "shuffle($0, $1)", {expression(of, depth - 1), mask});
    return make(type, "shuffle2($0, $1, $2)", {expression(of, depth - 1), expression(of, depth - 1), mask});
  }
  if (type.n == 2 || type.n == 3 || random_.percent(60)) { // from two parts
    const int first = type.n == 3 ? random_.between(1, 2) : type.n / 2;
    return make(type, "((" + type.name() + ")($0, $1))",
                {expression(type.with(first), depth - 1), expression(type.with(type.n - first), depth - 1)});
  }
  const int quarter = type.n / 4;
  return make(type, "((" + type.name() + ")($0, $1, $2))",
              {expression(type.with(quarter), depth - 1), expression(type.with(quarter), depth - 1),
               expression(type.with(2 * quarter), depth - 1)});
}

Expression Generator::conversion(Type type, int depth) {
  const std::string name = type.name();
  if (random_.percent(15))
    return coerced(floating({random_.percent(70) ? Base::Float : Base::Double, type.n}, depth - 1), type);
  if (random_.percent(25)) { // the same bits
    if (type.n != 3) {
      const int bytes = type.bytes();
      std::vector<Type> fitting;
      for (int base = 0; base < int(Base::Float); ++base)
        for (int n : {1, 2, 4, 8, 16})
          if (const Type candidate{Base(base), n}; candidate.bytes() == bytes) fitting.push_back(candidate);
      return make(type, "as_" + name + "($0)", {expression(random_.pick(fitting), depth - 1)});
    }
    return make(type, "as_" + name + "($0)",
                {expression(type.isSigned() ? type.toUnsigned() : type.toSigned(), depth - 1)});
  }
  Type from = someInteger();
  from.n = type.n;
  if (random_.percent(35)) return make(type, "convert_" + name + "_sat($0)", {expression(from, depth - 1)});
  return coerced(expression(from, depth - 1), type);
}

/// The value as another type; components are taken or repeated.
Expression Generator::coerced(Expression value, Type type) {
  if (value.type.n != type.n) value = swizzled(value, Type{value.type.base, type.n});
  if (value.type == type) return value;
  const std::string name = type.name();
  if (value.type.isFloat() && type.isFloat()) {
    const int magnitude = value.magnitude;
    return make(type, "convert_" + name + "($0)", {std::move(value)}, magnitude);
  }
  if (type.isFloat()) {
    const int bits = value.type.bits();
    if (bits == 8) return make(type, "convert_" + name + "($0)", {std::move(value)}, 8);
    const std::string mask = "(" + value.type.name() + ")(1023)";
    if (random_.percent(50)) return make(type, "convert_" + name + "($0 & " + mask + ")", {std::move(value)}, 10);
    const Type from = value.type;
    const std::string shift = std::to_string(bits - 11);
    return make(type,
                "convert_" + name + "(($0 >> (" + from.name() + ")(" + shift + ")) & (" + from.name() + ")(0x7ff))",
                {std::move(value)}, 11);
  }
  if (value.type.isFloat()) {
    // Out of range is defined with saturation only.
    const bool fits = type.isSigned() && value.magnitude < type.bits() - 1;
    static const std::vector<std::string> kModes = {"", "", "_rte", "_rtz", "_rtp", "_rtn"};
    return make(type, "convert_" + name + (fits && random_.percent(70) ? "" : "_sat") + random_.pick(kModes) + "($0)",
                {std::move(value)});
  }
  if (type.scalar() && random_.percent(60)) return make(type, "((" + name + ")$0)", {std::move(value)});
  return make(type, "convert_" + name + "($0)", {std::move(value)});
}

Expression Generator::floating(Type type, int depth) {
  constexpr int kMost = 20;
  const std::string name = type.name();
  const std::string suffix = type.base == Base::Float ? "f" : "";
  if (depth <= 0) return leaf(type);
  const auto other = [&] { return expression(type, depth - 1); };
  Expression a = other();
  const int m = a.magnitude;
  switch (random_.below(12)) {
  case 0:
  case 1: {
    Expression b = other();
    const int most = std::max(m, b.magnitude) + 1;
    if (most <= kMost) return make(type, random_.percent(50) ? "($0 + $1)" : "($0 - $1)", {a, b}, most);
    return a;
  }
  case 2: {
    Expression b = other();
    if (m + b.magnitude <= kMost) return make(type, "($0 * $1)", {a, b}, m + b.magnitude);
    return make(type, "fmax($0, $1)", {a, b}, std::max(m, b.magnitude));
  }
  case 3: {
    Expression b = other();
    static const std::vector<std::string> kNames = {"fmin", "fmax", "min", "max"};
    return make(type, random_.pick(kNames) + "($0, $1)", {a, b}, std::max(m, b.magnitude));
  }
  case 4: return make(type, "fabs($0)", {a}, m);
  case 5: {
    static const std::vector<std::string> kNames = {"floor", "ceil", "trunc", "rint", "round"};
    return make(type, random_.pick(kNames) + "($0 * (" + name + ")(0.5" + suffix + "))", {a}, m);
  }
  case 6: {
    Expression b = other();
    Expression c = other();
    const int most = std::max(m + b.magnitude, c.magnitude) + 1;
    if (most <= kMost) return make(type, "fma($0, $1, $2)", {a, b, c}, most);
    return make(type, "clamp($0, (" + name + ")(-300.0" + suffix + "), (" + name + ")(500.0" + suffix + "))", {a}, 9);
  }
  case 7: {
    Expression b = other();
    return make(type, "($0 ? $1 : $2)", {condition(depth - 1), a, b}, std::max(m, b.magnitude));
  }
  case 8: {
    Expression b = other();
    const Type mask{type.base == Base::Float ? Base::Int : Base::Long, type.n};
    return make(type, "select($0, $1, $2)", {a, b, expression(mask, depth - 1)}, std::max(m, b.magnitude));
  }
  case 9: {
    static const std::vector<int> kSizes = {2, 2, 3, 4, 4, 4, 8, 16};
    return swizzled(expression(type.with(random_.pick(kSizes)), depth - 1), type);
  }
  case 10: {
    const Type from{random_.percent(50) ? Base::Float : Base::Double, type.n};
    return coerced(expression(from, depth - 1), type);
  }
  default: {
    Type from = someInteger();
    from.n = type.n;
    return coerced(expression(from, depth - 1), type);
  }
  }
}

Expression Generator::comparedFloats(Type type, int depth) {
  static const std::vector<std::string> kOperators = {"$0 < $1", "$0 <= $1", "$0 > $1", "$0 == $1", "$0 != $1"};
  static const std::vector<std::string> kFunctions = {"isless($0, $1)", "isgreaterequal($0, $1)", "isequal($0, $1)",
                                                      "islessgreater($0, $1)"};
  const std::string how = random_.percent(60) ? random_.pick(kOperators) : random_.pick(kFunctions);
  if (type.scalar()) {
    const Type of{random_.percent(70) ? Base::Float : Base::Double, 1};
    return make(type, "((" + type.name() + ")(" + how + "))", {expression(of, depth - 1), expression(of, depth - 1)});
  }
  const Type of{type.bits() == 32 ? Base::Float : Base::Double, type.n};
  if (random_.percent(20)) // equal zeros may differ in sign
    return make(type, "as_" + type.name() + "(fabs($0))", {expression(of, depth - 1)});
  return make(type, "as_" + type.name() + "(" + how + ")", {expression(of, depth - 1), expression(of, depth - 1)});
}

} // namespace clotho::fuzz
