// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "model.hpp"

#include <cstdlib>
#include <iterator>

namespace clotho::fuzz {
namespace {

void number(Expression& expression, int& next) {
  expression.id = next++;
  for (Expression& operand : expression.operands)
    number(operand, next);
}

void number(Block& block, int& next) {
  for (Statement& statement : block) {
    statement.id = next++;
    for (Expression& expression : statement.expressions)
      number(expression, next);
    for (Block& inner : statement.blocks)
      number(inner, next);
  }
}

void applyEdits(Expression& expression, const Edits& edits) {
  for (auto edit = edits.find(expression.id); edit != edits.end(); edit = edits.find(expression.id)) {
    if (edit->second.kind == Edit::Kind::Zero) {
      expression.pattern = zero(expression.type);
      expression.operands.clear();
      break;
    }
    if (edit->second.kind != Edit::Kind::Operand) break;
    Expression operand = std::move(expression.operands.at(std::size_t(edit->second.index)));
    expression = std::move(operand);
  }
  for (Expression& operand : expression.operands)
    applyEdits(operand, edits);
}

void applyEdits(Block& block, const Edits& edits) {
  Block result;
  for (Statement& statement : block) {
    const auto edit = edits.find(statement.id);
    if (edit != edits.end() && edit->second.kind == Edit::Kind::Drop) continue;
    for (Expression& expression : statement.expressions)
      applyEdits(expression, edits);
    for (Block& inner : statement.blocks)
      applyEdits(inner, edits);
    if (edit != edits.end() && edit->second.kind == Edit::Kind::Block) {
      Block& inner = statement.blocks.at(std::size_t(edit->second.index));
      result.insert(result.end(), std::make_move_iterator(inner.begin()), std::make_move_iterator(inner.end()));
    } else {
      result.push_back(std::move(statement));
    }
  }
  block = std::move(result);
}

} // namespace

int Type::bits() const {
  static constexpr std::array<int, 10> kBits = {8, 8, 16, 16, 32, 32, 64, 64, 32, 64};
  return kBits[std::size_t(base)];
}

Type Type::toUnsigned() const { return isSigned() ? Type{Base(int(base) + 1), n} : *this; }
Type Type::toSigned() const { return isUnsigned() ? Type{Base(int(base) - 1), n} : *this; }

std::string Type::name() const {
  static constexpr std::array<const char*, 10> kNames = {"char", "uchar", "short", "ushort", "int",
                                                         "uint", "long",  "ulong", "float",  "double"};
  return kNames[std::size_t(base)] + (n == 1 ? "" : std::to_string(n));
}

std::string zero(Type type) { return "(" + type.name() + ")(0)"; }

void number(Program& program) {
  int next = 1;
  number(program.units, next);
}

void applyEdits(Program& program, const Edits& edits) { applyEdits(program.units, edits); }

std::string toText(const Edits& edits) {
  std::string text;
  for (const auto& [id, edit] : edits)
    text += std::to_string(id) + char(edit.kind) + std::to_string(edit.index) + ",";
  return text;
}

Edits editsFromText(const std::string& text) {
  Edits edits;
  const char* at = text.c_str();
  while (*at) {
    char* end = nullptr;
    const int id = int(std::strtol(at, &end, 10));
    if (end == at || !*end) break;
    const Edit::Kind kind = Edit::Kind(*end);
    at = end + 1;
    edits[id] = {kind, int(std::strtol(at, &end, 10))};
    at = *end == ',' ? end + 1 : end;
  }
  return edits;
}

} // namespace clotho::fuzz
