// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// What expressions compute with: integers wide enough for every OpenCL type and the product of two, and long double,
/// precise enough to judge double results.
struct Number {
  enum class Kind { Integer, Real, Any } kind = Kind::Integer; ///< Any: the test does not care
  __int128 integer = 0;
  long double real = 0;

  static Number of(__int128 value) { return {Kind::Integer, value, 0}; }
  static Number of(long double value) { return {Kind::Real, 0, value}; }
  static Number any() { return {Kind::Any, 0, 0}; }
  bool isAny() const { return kind == Kind::Any; }
  bool isReal() const { return kind == Kind::Real; }
  long double asReal() const { return isReal() ? real : static_cast<long double>(integer); }
  __int128 asInteger() const { return isReal() ? static_cast<__int128>(real) : integer; }
  bool truth() const { return isReal() ? real != 0 : integer != 0; }
};

/// The values of variables. Each name has a number for as long as the program runs, by which expressions, which are
/// evaluated some million times, find its value.
class Variables {
 public:
  static std::size_t numberOf(std::string_view name);
  std::optional<Number>& operator[](std::size_t number);
  std::optional<Number>& operator[](std::string_view name) { return (*this)[numberOf(name)]; }

 private:
  std::vector<std::optional<Number>> values_;
};

/// What names mean to an expression; loops bind further variables.
struct Scope {
  Variables variables;
  std::function<Number(std::size_t array, __int128 index)> element; ///< a0[...], a1[...]: arguments' first contents
};

/// A formula of a test, in the syntax of C expressions plus sum(j, first, end, e), least(...), greatest(...);
/// tests/kernels/README.md has the list. Throws std::runtime_error for nonsense.
class Expression {
 public:
  explicit Expression(const std::string& text);
  ~Expression();
  Number evaluate(Scope& scope) const;
  struct Node;

 private:
  std::unique_ptr<Node> root_;
};
