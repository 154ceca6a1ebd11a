// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Makes the program of a seed. Whatever comes out is defined by the specification, bit for bit:
// - signed arithmetic goes through unsigned types; divisors cannot be 0 or -1; indices are masked or known to be small;
// - floating-point values are integers of at most 22 bits and only meet operations that are exact for them, and nothing
//   looks at the sign of a zero;
// - a work-item writes its own slots only; atomics on shared counters commute and are read after a barrier or by the
//   host; barriers stand where control flow is uniform;
// - loops count to a bound.
#pragma once

#include "model.hpp"
#include "random.hpp"

#include <initializer_list>
#include <optional>

namespace clotho::fuzz {

/// The OpenCL C version of a seed's program; eight seeds in a row share one, to be built together.
const char* languageOf(std::uint64_t seed);

Program generate(std::uint64_t seed);

struct Field {
  std::string name;
  Type type;
  int length = 0;     // 0: no array
  int structure = -1; // else the index of the structure that the field is
};

struct Structure {
  std::string name;
  std::vector<Field> fields;
  bool floats = false;
};

/// What a name stands for: a value, an array (its length a power of two), a structure or an array of them.
struct Variable {
  std::string text;
  Type type;
  int length = 0;
  int rows = 0; // of a two-dimensional array, else 0
  int structure = -1;
  bool uniform = false;
  bool writable = true;
};

/// Memory that is only read: a buffer or a table of constants. The number of elements is a power of two.
struct Source {
  std::string text;
  Type type;
  int elements = 0;
  bool structures = false; // elements of structure `structure`
  int structure = -1;
  bool small = false; // no room beside the work-items' own elements
};

/// A buffer in which each work-item has `slots` elements of its own.
struct Store {
  enum class Order : std::uint8_t { Adjacent, Rows, Reversed, Permuted };
  std::string text;
  Type type;
  int slots = 1;
  Order order = Order::Adjacent;
};

/// Local memory in which each work-item has one element.
struct LocalArray {
  std::string text;
  Type type;
  bool busy = false; // between the barriers of a statement that uses it
};

struct Helper {
  std::string name;
  struct Parameter {
    enum class Kind : std::uint8_t { Value, Pointer, Array, Structure, StructurePointer, Source };
    Kind kind = Kind::Value;
    Type type;
    int length = 0;
    int structure = -1;
  };
  std::vector<Parameter> parameters;
  Type result;
  int resultStructure = -1;
  bool pure = true;
  int cost = 1;
};

/// Position of a statement in the control flow.
struct Flow {
  bool uniform = false; // every work-item of the group gets here, or none does
  bool barriers = false;
  bool mayBreak = false;
  bool mayContinue = false;
  bool mayReturn = false;
  bool loopUniform = false; // the enclosing loop must stay uniform
  int depth = 0;
  int repeat = 1; // how often this place may run at most
};

class Generator {
 public:
  explicit Generator(std::uint64_t seed);
  Program run();

 private:
  // expressions.cpp
  Expression expression(Type type, int depth);
  Expression integer(Type type, int depth);
  Expression arithmetic(Type type, int depth);
  Expression shift(Type type, int depth);
  Expression division(Type type, int depth);
  Expression comparison(Type type, int depth);
  Expression choice(Type type, int depth);
  Expression condition(int depth);
  Expression conditionFor(bool uniform);
  // builtins.cpp
  Expression builtin(Type type, int depth);
  Expression multiplied(Type type, int depth);
  Expression reshaped(Type type, int depth);
  Expression conversion(Type type, int depth);
  Expression coerced(Expression value, Type type);
  Expression floating(Type type, int depth);
  Expression comparedFloats(Type type, int depth);
  // leaves.cpp
  Expression leaf(Type type);
  Expression literal(Type type);
  std::string number(Base base);
  Expression load(const Source& source);
  std::string ownIndex();
  Expression index(int length);
  Expression maskedIndex(int length);
  std::optional<Expression> place(bool toWrite);
  Expression inside(const Variable& variable);
  Expression field(std::string text, std::vector<Expression> operands, int structure);
  Expression own(const Store& store);
  Expression swizzled(Expression vector, Type type);
  std::string swizzle(int from, int count, bool distinct);
  // statements.cpp
  Block block(const Flow& flow, int statements);
  void statement(Block& to, const Flow& flow);
  void declaration(Block& to, const Flow& flow);
  void declareValue(Block& to, Type type, bool uniform);
  void declareArray(Block& to);
  void declareStructure(Block& to);
  void assignment(Block& to, const Flow& flow);
  void sideEffects(Block& to);
  void storing(Block& to);
  void ownAtomic(Block& to);
  void sharedAtomic(Block& to);
  void fold(Block& to, const Variable& variable);
  void fold(Block& to, Expression value);
  void leave(Block& to, const Flow& flow);
  // updates.cpp
  std::optional<Expression> changeable();
  Expression changeableLike(const Expression& like);
  void updating(Block& to);
  // control.cpp
  void control(Block& to, const Flow& flow);
  void conditional(Block& to, const Flow& flow);
  void switching(Block& to, const Flow& flow);
  void loop(Block& to, const Flow& flow);
  void jumps(Block& to, const Flow& flow);
  // groups.cpp
  void declareLocals(Block& to);
  void groupStatement(Block& to, const Flow& flow);
  void exchange(Block& to, const Flow& flow);
  void reduction(Block& to);
  void localAtomic(Block& to);
  void readCounters(Block& to);
  Expression neighbour();
  // functions.cpp
  void structures();
  void constants();
  void helper();
  void call(Block& to, const Flow& flow);
  std::optional<Expression> callExpression(Type type, int depth);
  // kernel.cpp
  void launch();
  void kernel();
  void prologue(Block& to);
  void epilogue(Block& to);
  std::vector<Size3> localSizes();
  std::vector<Size3> nonUniformSizes() const;

  Expression make(Type type, std::string pattern, std::initializer_list<Expression> operands = {}, int magnitude = 0);
  std::string fresh(const char* prefix) { return prefix + std::to_string(next_++); }
  /// How deep an expression may be: most are shallow, for the sake of the time that they take to compile.
  int deep() { return random_.percent(45) ? 2 : 1; }
  Type someType();
  Type someInteger();
  std::string foldFunction(Type type);
  Expression uniformly(Type type, int depth);
  Expression bounded(Expression value);
  std::string structureInitialiser(int structure, std::vector<Expression>& operands);

  std::uint64_t seed_;
  Random random_;
  Program program_;
  bool generic_; // generic address space and C11 atomics
  bool inKernel_ = false;
  bool group_ = false; // the kernel uses local memory and barriers
  std::vector<Type> palette_;
  std::vector<Structure> structures_;
  std::vector<Source> constants_;
  std::vector<Helper> helpers_;
  std::map<std::string, Type> folds_;
  std::map<std::string, bool> exchanges_;
  int next_ = 0;
  int budget_ = 0; // statements that may still come

  // State of the function in the making.
  std::vector<Variable> scope_;
  std::vector<Source> sources_;
  std::vector<Store> stores_;
  std::vector<LocalArray> locals_;
  std::string counters_; // local, add and sub only
  std::string extremes_; // local, with the operation below
  std::string extremeOperation_;
  std::string returning_; // the pattern of a return statement; empty: nothing to return
  Type resultType_;
  bool uniformOnly_ = false;
  int cost_ = 1;   // of the function so far
  int repeat_ = 1; // of the statement in the making
  int indexDepth_ = 0;
  bool required_ = false;
  std::string localParameter_;
  int mostLocal_ = 1; // work-items of the largest local size
};

} // namespace clotho::fuzz
