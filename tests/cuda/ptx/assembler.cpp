// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "assembler.hpp"

#include "registers.hpp"
#include "thread.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>

namespace ptx {

namespace {

struct TypeName {
  std::string_view name;
  unsigned size;
  bool isSigned;
};
constexpr TypeName kTypes[] = {{"", 0, false},      {"pred", 1, false},  {"b8", 1, false},     {"b16", 2, false},
                               {"b32", 4, false},   {"b64", 8, false},   {"b128", 16, false},  {"u8", 1, false},
                               {"u16", 2, false},   {"u32", 4, false},   {"u64", 8, false},    {"s8", 1, true},
                               {"s16", 2, true},    {"s32", 4, true},    {"s64", 8, true},     {"f16", 2, false},
                               {"f16x2", 4, false}, {"bf16", 2, false},  {"bf16x2", 4, false}, {"f32", 4, false},
                               {"f64", 8, false},   {"u16x2", 4, false}, {"s16x2", 4, false}};

constexpr std::uint64_t kUnset = 0xdbdb'dbdb'dbdb'dbdb;

} // namespace

unsigned sizeOf(Type type) { return kTypes[static_cast<std::size_t>(type)].size; }
bool isSigned(Type type) { return kTypes[static_cast<std::size_t>(type)].isSigned; }
Type typeOf(std::string_view word) {
  for (std::size_t i = 1; i < std::size(kTypes); ++i)
    if (kTypes[i].name == word) return static_cast<Type>(i);
  return Type::None;
}

bool Modifiers::take(std::string_view word) {
  const auto found = std::find(words_.begin(), words_.end(), word);
  if (found == words_.end()) return false;
  words_.erase(found);
  return true;
}

int Modifiers::takeOneOf(std::initializer_list<std::string_view> words) {
  int number = 0;
  for (const std::string_view each : words) {
    if (take(each)) return number;
    ++number;
  }
  return -1;
}

Type Modifiers::takeTypeIf() {
  for (auto each = words_.begin(); each != words_.end(); ++each) {
    const Type type = typeOf(*each);
    if (type == Type::None) continue;
    words_.erase(each);
    return type;
  }
  return Type::None;
}

Type Modifiers::takeType() {
  const Type type = takeTypeIf();
  if (type == Type::None) throw ParseError{line_, "an instruction without type"};
  return type;
}

void Modifiers::expectEnd(std::string_view opcode) const {
  if (!words_.empty())
    throw ParseError{line_, "unknown modifier ." + std::string(words_.front()) + " of " + std::string(opcode)};
}

void Assembler::fail(const std::string& what) const {
  throw ParseError{line, word.empty() ? what : what + " in " + word};
}

const Symbol* Assembler::find(std::string_view name) const {
  for (auto scope = scopes_.rbegin(); scope != scopes_.rend(); ++scope)
    if (const auto found = scope->symbols.find(name); found != scope->symbols.end()) return &found->second;
  if (const auto found = globals->find(name); found != globals->end()) return &found->second;
  return nullptr;
}

void Assembler::define(std::string_view name, Symbol symbol) {
  if (!scopes_.back().symbols.emplace(name, symbol).second) fail("second definition of " + std::string(name));
}

void Assembler::defineRegisters(std::string_view prefix, unsigned count) {
  scopes_.back().registers[prefix] = {static_cast<Slot>(function.slots.size()), count};
  function.slots.insert(function.slots.end(), count, kUnset);
}

Slot Assembler::newSlot() {
  function.slots.push_back(kUnset);
  return static_cast<Slot>(function.slots.size() - 1);
}

Slot Assembler::constant(std::uint64_t bits) {
  const auto [found, isNew] = constants_.try_emplace(bits, 0);
  if (isNew) {
    found->second = newSlot();
    function.slots.back() = bits;
  }
  return found->second;
}

Slot Assembler::registerOf(std::string_view name) const {
  const std::size_t digits = name.find_last_not_of("0123456789") + 1;
  unsigned number = 0;
  const bool hasNumber = digits < name.size();
  if (hasNumber) std::from_chars(name.data() + digits, name.data() + name.size(), number);
  for (auto scope = scopes_.rbegin(); scope != scopes_.rend(); ++scope) {
    if (const auto found = scope->symbols.find(name); found != scope->symbols.end())
      return found->second.kind == Symbol::Kind::Register ? static_cast<Slot>(found->second.value) : kNoSlot;
    if (!hasNumber) continue;
    const auto found = scope->registers.find(name.substr(0, digits));
    if (found != scope->registers.end() && number < found->second.second) return found->second.first + number;
  }
  return kNoSlot;
}

std::uint64_t Assembler::bitsOf(const Operand& number, Type type) const {
  const std::string_view text = number.text;
  std::uint64_t bits = 0;
  const auto parse = [&](std::string_view digits, int base) {
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), bits, base);
    if (error != std::errc{} || (end != digits.data() + digits.size() && *end != 'U'))
      fail("not a number: " + std::string(text));
  };
  const bool isFloat = text.size() > 2 && text[0] == '0' && std::strchr("fFdD", text[1]) != nullptr;
  if (isFloat) {
    parse(text.substr(2), 16);
    const bool isDouble = text[1] == 'd' || text[1] == 'D';
    if (number.isNegated) bits ^= std::uint64_t{1} << (isDouble ? 63 : 31);
    if (isDouble && type == Type::F32) {
      double wide = 0;
      std::memcpy(&wide, &bits, sizeof wide);
      const float narrow = static_cast<float>(wide);
      bits = 0;
      std::memcpy(&bits, &narrow, sizeof narrow);
    }
    return bits;
  }
  if (text.find('.') != std::string_view::npos) {
    const double value = std::strtod(std::string(text).c_str(), nullptr) * (number.isNegated ? -1 : 1);
    const float narrow = static_cast<float>(value);
    if (type == Type::F64)
      std::memcpy(&bits, &value, sizeof value);
    else
      std::memcpy(&bits, &narrow, sizeof narrow);
    return bits;
  }
  if (text.starts_with("0x") || text.starts_with("0X"))
    parse(text.substr(2), 16);
  else if (text.starts_with("0b") || text.starts_with("0B"))
    parse(text.substr(2), 2);
  else
    parse(text, text.size() > 1 && text[0] == '0' ? 8 : 10);
  return number.isNegated ? ~bits + 1 : bits;
}

Slot Assembler::source(const Operand& operand, Type type) {
  if (operand.kind == Operand::Kind::Number) return constant(bitsOf(operand, type));
  if (operand.kind != Operand::Kind::Name) fail("an operand that is no value");
  if (const Slot slot = registerOf(operand.text); slot != kNoSlot) {
    if (!operand.isNegated) return slot;
    if (type != Type::Pred) fail("only predicates can be negated");
    const Slot negated = newSlot();
    emit([](Thread& t, const Instruction& i) { t.slots[i.to] = (t.slots[i.a] & 1) ^ 1; }, negated, slot);
    return negated;
  }
  if (operand.text == "WARP_SZ") return constant(32);
  if (const Handler read = specialRegister(operand.text)) {
    const Slot slot = newSlot();
    emit(read, slot);
    return slot;
  }
  const Symbol* symbol = find(operand.text);
  if (!symbol) fail("unknown name " + std::string(operand.text));
  const auto offset = static_cast<std::uint64_t>(operand.offset);
  if (symbol->kind == Symbol::Kind::Local) return localAddress(symbol->value + offset);
  if (symbol->kind == Symbol::Kind::Parameter && !function.isKernel) return localAddress(spill(*symbol) + offset);
  return constant(symbol->value + offset);
}

Slot Assembler::localAddress(std::uint64_t offset) {
  Instruction made =
      make([](Thread& t, const Instruction& i) { t.slots[i.to] = t.localBase + static_cast<std::uint64_t>(i.value); });
  made.to = newSlot();
  made.value = static_cast<std::int64_t>(offset);
  emit(made);
  return made.to;
}

std::size_t Assembler::spill(const Symbol& parameter) {
  for (const Spill& each : function.spills)
    if (each.parameter.offset == parameter.value) return each.local;
  constexpr std::size_t kAlignment = 16;
  const std::size_t local = (function.localSize + kAlignment - 1) / kAlignment * kAlignment;
  function.spills.push_back({{parameter.value, parameter.size}, local});
  function.localSize = local + parameter.size;
  return local;
}

Slot Assembler::target(const Operand& operand) {
  if (operand.kind != Operand::Kind::Name) fail("an operand that is no register");
  if (operand.text == "_") return trash_ == kNoSlot ? trash_ = newSlot() : trash_;
  const Slot slot = registerOf(operand.text);
  if (slot == kNoSlot) fail("no register: " + std::string(operand.text));
  return slot;
}

void Assembler::address(const Operand& operand, Instruction& instruction) {
  if (operand.kind != Operand::Kind::Address) fail("an operand that is no address");
  instruction.value = operand.offset;
  if (const Symbol* symbol = find(operand.text); symbol && symbol->kind == Symbol::Kind::Parameter) {
    instruction.a = constant(symbol->value);
    return;
  }
  Operand base = operand;
  base.offset = 0;
  base.kind = !operand.text.empty() && operand.text[0] >= '0' && operand.text[0] <= '9' ? Operand::Kind::Number
                                                                                        : Operand::Kind::Name;
  instruction.a = source(base, Type::U64);
}

Instruction Assembler::make(Handler run) const {
  if (!run) fail("no such type");
  Instruction made;
  made.run = run;
  made.line = line;
  made.guard = guard;
  made.isGuardNegated = isGuardNegated;
  return made;
}

void Assembler::emit(Handler run, Slot to, Slot a, Slot b, Slot c, Slot d) {
  Instruction made = make(run);
  made.to = to;
  made.a = a;
  made.b = b;
  made.c = c;
  made.d = d;
  emit(made);
}

void Assembler::label(std::string_view name) {
  if (!labels_.emplace(name, function.code.size()).second) fail("second label " + std::string(name));
}

void Assembler::branchTo(std::string_view label, std::size_t instruction) {
  branches_.emplace_back(label, instruction);
}

std::size_t Assembler::tableOf(std::string_view name) {
  const auto [found, isNew] = tableNumbers_.try_emplace(name, function.tables.size());
  if (isNew) function.tables.emplace_back();
  return found->second;
}

void Assembler::table(std::string_view name, std::vector<std::string_view> labels) {
  tableLabels_[tableOf(name)] = std::move(labels);
}

void Assembler::prototype(std::string_view name) { prototypes_[name] = true; }

void Assembler::finish() {
  const auto place = [&](std::string_view label) {
    const auto found = labels_.find(label);
    if (found == labels_.end()) fail("no label " + std::string(label));
    return found->second;
  };
  for (const auto& [label, instruction] : branches_)
    function.code[instruction].value = place(label);
  for (std::size_t i = 0; i < function.tables.size(); ++i)
    for (const std::string_view label : tableLabels_[i])
      function.tables[i].push_back(place(label));
}

} // namespace ptx
