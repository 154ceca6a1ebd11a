// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a random program is: expressions, statements and functions with the text they print as, and how it is launched.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace clotho::fuzz {

enum class Base : std::uint8_t { Char, UChar, Short, UShort, Int, UInt, Long, ULong, Float, Double };

struct Type {
  Base base = Base::Int;
  int n = 1;

  bool operator==(const Type&) const = default;
  bool scalar() const { return n == 1; }
  bool isFloat() const { return base >= Base::Float; }
  bool isSigned() const { return !isFloat() && int(base) % 2 == 0; }
  bool isUnsigned() const { return !isFloat() && int(base) % 2 == 1; }
  /// Size of one component.
  int bits() const;
  /// As OpenCL sizes it: three components take the room of four.
  int bytes() const { return bits() / 8 * (n == 3 ? 4 : n); }
  Type with(int components) const { return {base, components}; }
  Type element() const { return {base, 1}; }
  Type toUnsigned() const;
  Type toSigned() const;
  std::string name() const;
};

/// The pattern names the operands $0 to $9.
struct Expression {
  Type type;
  std::string pattern;
  std::vector<Expression> operands;
  /// Bound of floating-point values, which are integers: |value| <= 2^magnitude.
  int magnitude = 0;
  int id = 0;
};

/// The pattern names expressions $0 to $9 and blocks @0 to @9. All of a program must stay defined when a statement
/// that is not fixed is dropped, when it becomes one of its blocks, when an expression becomes zero or one of its
/// operands of the same type: the reducer does that. (What then no longer compiles does not count.)
struct Statement {
  std::string pattern;
  std::vector<Expression> expressions;
  std::vector<std::vector<Statement>> blocks;
  bool fixed = false;
  int id = 0;
};
using Block = std::vector<Statement>;

/// A buffer argument, a value or local memory, in the order of the kernel's parameters.
struct Argument {
  enum class Kind : std::uint8_t { Input, Output, Value, Local };
  enum class Fill : std::uint8_t { Bits, Floats, Doubles, Zero };
  Kind kind = Kind::Input;
  Fill fill = Fill::Bits;
  std::size_t bytes = 0;
  std::string name;
};

using Size3 = std::array<std::size_t, 3>;

struct Launch {
  int dimensions = 1;
  Size3 global{1, 1, 1};
  Size3 offset{0, 0, 0};
  /// One run each; all zero: the driver chooses.
  std::vector<Size3> locals;
  /// The results may differ from one local size to the next.
  bool dependsOnLocal = false;
  std::vector<Argument> arguments;

  std::size_t items() const { return global[0] * global[1] * global[2]; }
};

struct Program {
  std::uint64_t seed = 0;
  /// Types, constants, functions, kernel: what is in file scope.
  Block units;
  std::string kernelName;
  Launch launch;
};

/// One step of a reduction: what the node `id` becomes.
struct Edit {
  enum class Kind : char { Drop = 'd', Block = 'b', Zero = 'z', Operand = 'o' };
  Kind kind = Kind::Drop;
  int index = 0;
};
using Edits = std::map<int, Edit>;

/// Numbers all nodes; the same program always gets the same numbers.
void number(Program& program);
void applyEdits(Program& program, const Edits& edits);
std::string toText(const Edits& edits);
Edits editsFromText(const std::string& text);

/// The zero of a type as OpenCL C.
std::string zero(Type type);

} // namespace clotho::fuzz
