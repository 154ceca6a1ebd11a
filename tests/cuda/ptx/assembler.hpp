// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// From instructions as they are written to decoded ones.
#pragma once

#include "module.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace ptx {

enum class Type : std::uint8_t {
  None,
  Pred,
  B8,
  B16,
  B32,
  B64,
  B128,
  U8,
  U16,
  U32,
  U64,
  S8,
  S16,
  S32,
  S64,
  F16,
  F16x2,
  BF16,
  BF16x2,
  F32,
  F64,
  U16x2,
  S16x2,
};
unsigned sizeOf(Type type);
bool isSigned(Type type);
/// None if the word is no type.
Type typeOf(std::string_view word);

struct Operand {
  enum class Kind : std::uint8_t { Name, Number, Address, Vector, List };
  Kind kind = Kind::Name;
  std::string_view text;         ///< a name or number; the base of an address
  bool isNegated = false;        ///< `!%p`, or a negative number
  std::string_view second;       ///< `%p|%q`
  std::int64_t offset = 0;       ///< of an address
  std::vector<Operand> elements; ///< of a vector or list
};

/// The modifiers behind an opcode. All have to be taken.
class Modifiers {
 public:
  Modifiers(int line, std::vector<std::string_view> words) : line_(line), words_(std::move(words)) {}
  bool take(std::string_view word);
  /// The first of these that is there, by number; -1 if there is none.
  int takeOneOf(std::initializer_list<std::string_view> words);
  /// The next type; throws if there is none.
  Type takeType();
  Type takeTypeIf();
  void expectEnd(std::string_view opcode) const;

 private:
  int line_;
  std::vector<std::string_view> words_;
};

/// One instruction as it is written.
struct Statement {
  int line = 0;
  std::string_view opcode;
  std::vector<std::string_view> modifiers;
  std::vector<Operand> operands;
};

struct Symbol {
  enum class Kind : std::uint8_t { Register, Memory, Shared, Local, Parameter, Function };
  Kind kind = Kind::Register;
  std::uint64_t value = 0; ///< slot, address or offset
  std::size_t size = 0;
  const Function* function = nullptr;
};

/// Makes a function's code.
class Assembler {
 public:
  Assembler(Module& module, Function& function) : module(module), function(function) {}

  Module& module;
  Function& function;
  int line = 0;
  std::string word; ///< the instruction, for errors
  Slot guard = kNoSlot;
  bool isGuardNegated = false;

  [[noreturn]] void fail(const std::string& what) const;
  const Symbol* find(std::string_view name) const;
  void define(std::string_view name, Symbol symbol);
  void defineRegisters(std::string_view prefix, unsigned count);
  void openScope() { scopes_.emplace_back(); }
  void closeScope() { scopes_.pop_back(); }
  Slot newSlot();
  Slot constant(std::uint64_t bits);

  /// The slot of what is read as this type.
  Slot source(const Operand& operand, Type type);
  /// The slot of a register, or one that nothing reads for `_`.
  Slot target(const Operand& operand);
  Slot registerOf(std::string_view name) const;
  /// The slot that gets an address in the frame's local memory.
  Slot localAddress(std::uint64_t offset);
  /// The offset of a parameter's copy in local memory.
  std::size_t spill(const Symbol& parameter);
  /// An address's base and offset.
  void address(const Operand& operand, Instruction& instruction);
  std::uint64_t bitsOf(const Operand& number, Type type) const;

  Instruction make(Handler run) const;
  void emit(const Instruction& instruction) { function.code.push_back(instruction); }
  void emit(Handler run, Slot to, Slot a = 0, Slot b = 0, Slot c = 0, Slot d = 0);
  void label(std::string_view name);
  /// Sets the branch's target, now or when the label comes.
  void branchTo(std::string_view label, std::size_t instruction);
  void table(std::string_view name, std::vector<std::string_view> labels);
  std::size_t tableOf(std::string_view name);
  void prototype(std::string_view name);
  bool isPrototype(std::string_view name) const { return prototypes_.contains(name); }
  void finish();

 private:
  struct Scope {
    std::unordered_map<std::string_view, Symbol> symbols;
    std::unordered_map<std::string_view, std::pair<Slot, unsigned>> registers; ///< by prefix
  };
  std::vector<Scope> scopes_{1};
  std::unordered_map<std::uint64_t, Slot> constants_;
  std::unordered_map<std::string_view, std::int64_t> labels_;
  std::vector<std::pair<std::string_view, std::size_t>> branches_;
  std::unordered_map<std::string_view, std::size_t> tableNumbers_;
  std::unordered_map<std::size_t, std::vector<std::string_view>> tableLabels_;
  std::unordered_map<std::string_view, bool> prototypes_;
  Slot trash_ = kNoSlot;

 public:
  const std::unordered_map<std::string_view, Symbol>* globals = nullptr;
};

/// Decodes one instruction into a function; throws ParseError if there is no such one.
using Decode = void (*)(Assembler&, const Statement&, Modifiers&);
struct Entry {
  std::string_view opcode;
  Decode decode;
};
using Entries = std::vector<Entry>;
Entries integerEntries(), logicEntries(), comparisonEntries(), floatEntries(), conversionEntries(), memoryEntries(),
    atomicEntries(), controlEntries(), warpEntries();

/// A handler for the type, made by a callable that gets a value of that type.
template <class Make> Handler forInteger(Type type, Make make) {
  switch (type) {
  case Type::U8:
  case Type::B8: return make(std::uint8_t{});
  case Type::S8: return make(std::int8_t{});
  case Type::U16:
  case Type::B16: return make(std::uint16_t{});
  case Type::S16: return make(std::int16_t{});
  case Type::U32:
  case Type::B32: return make(std::uint32_t{});
  case Type::S32: return make(std::int32_t{});
  case Type::U64:
  case Type::B64: return make(std::uint64_t{});
  case Type::S64: return make(std::int64_t{});
  default: return nullptr;
  }
}

} // namespace ptx
