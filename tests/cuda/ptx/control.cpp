// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Branches, calls and ends.
#include "handlers.hpp"

#include <algorithm>

namespace ptx {

namespace {

void decodeBranch(Assembler& out, const Statement& it, Modifiers& m) {
  m.take("uni");
  if (it.operands.size() != 1) out.fail("wrong number of operands");
  out.branchTo(it.operands[0].text, out.function.code.size());
  out.emit([](Thread& t, const Instruction& i) { t.next = t.frames.back().function->code.data() + i.value; }, 0);
}

/// brx.idx: a branch by a table.
void decodeTableBranch(Assembler& out, const Statement& it, Modifiers& m) {
  m.take("uni");
  if (!m.take("idx") || it.operands.size() != 2) out.fail("no such branch");
  Instruction made = out.make([](Thread& t, const Instruction& i) {
    const Function& function = *t.frames.back().function;
    const std::vector<std::int64_t>& table = function.tables[static_cast<std::size_t>(i.value)];
    const auto index = t.get<std::uint32_t>(i.a);
    if (index >= table.size()) return t.fail(Error::IllegalInstruction, "brx.idx beyond its table");
    t.next = function.code.data() + table[index];
  });
  made.a = out.source(it.operands[0], Type::U32);
  made.value = static_cast<std::int64_t>(out.tableOf(it.operands[1].text));
  out.emit(made);
}

Parameter parameterOf(const Assembler& out, const Operand& operand) {
  const Symbol* symbol = out.find(operand.text);
  if (!symbol || symbol->kind != Symbol::Kind::Parameter) out.fail("no parameter: " + std::string(operand.text));
  return {symbol->value, symbol->size};
}

bool isSame(const std::vector<Parameter>& given, const std::vector<Parameter>& wanted) {
  return std::equal(given.begin(), given.end(), wanted.begin(), wanted.end(),
                    [](const Parameter& a, const Parameter& b) { return a.size == b.size; });
}

void callFunction(Thread& t, const Instruction& i) {
  const CallSite& call = t.frames.back().function->calls[static_cast<std::size_t>(i.value)];
  const Function* callee = call.callee;
  if (!callee) {
    const auto address = t.slots[i.a];
    for (const auto& [name, function] : t.block->launch->module->functions)
      if (reinterpret_cast<std::uintptr_t>(function.get()) == address) callee = function.get();
    if (!callee) return t.fail(Error::InvalidPc, "a call of what is no function");
  }
  if (!callee->isDefined) return t.fail(Error::InvalidPc, "a call of " + callee->name + ", which is not defined");
  if (!isSame(call.arguments, callee->parameters) || !isSame(call.results, callee->results))
    return t.fail(Error::InvalidPc, "a call of " + callee->name + " with other parameters");
  t.enter(*callee, &call);
}

void decodeCall(Assembler& out, const Statement& it, Modifiers& m) {
  m.take("uni");
  std::size_t next = 0;
  CallSite site;
  if (next < it.operands.size() && it.operands[next].kind == Operand::Kind::List)
    for (const Operand& each : it.operands[next++].elements)
      site.results.push_back(parameterOf(out, each));
  if (next == it.operands.size()) out.fail("a call of nothing");
  const Operand& callee = it.operands[next++];
  if (next < it.operands.size() && it.operands[next].kind == Operand::Kind::List)
    for (const Operand& each : it.operands[next++].elements)
      site.arguments.push_back(parameterOf(out, each));
  Slot address = 0;
  const Symbol* symbol = out.find(callee.text);
  if (symbol && symbol->kind == Symbol::Kind::Function)
    site.callee = symbol->function;
  else
    address = out.source(callee, Type::U64);
  if (next < it.operands.size() && !out.isPrototype(it.operands[next++].text)) out.fail("no such prototype");
  Instruction made = out.make(callFunction);
  made.a = address;
  made.value = static_cast<std::int64_t>(out.function.calls.size());
  out.function.calls.push_back(std::move(site));
  out.emit(made);
}

void decodeReturn(Assembler& out, const Statement&, Modifiers& m) {
  m.take("uni");
  out.emit(
      [](Thread& t, const Instruction&) {
        if (!t.leave()) t.state = State::Exited;
      },
      0);
}

void decodeExit(Assembler& out, const Statement&, Modifiers&) {
  out.emit([](Thread& t, const Instruction&) { t.state = State::Exited; }, 0);
}
void decodeTrap(Assembler& out, const Statement& it, Modifiers&) {
  static_cast<void>(it);
  out.emit([](Thread& t, const Instruction&) { t.fail(Error::IllegalInstruction, "trap"); }, 0);
}
void decodePause(Assembler& out, const Statement&, Modifiers& m) {
  m.takeType();
  out.emit([](Thread& t, const Instruction&) { t.state = State::Pausing; }, 0);
}

} // namespace

Entries controlEntries() {
  return {
      {"bra", decodeBranch}, {"brx", decodeTableBranch}, {"call", decodeCall},  {"ret", decodeReturn},
      {"exit", decodeExit},  {"trap", decodeTrap},       {"brkpt", decodeTrap}, {"nanosleep", decodePause},
  };
}

} // namespace ptx
