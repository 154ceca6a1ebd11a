// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Modules, functions, declarations, and the form of instructions. Their meaning is the assembler's.
#include "assembler.hpp"
#include "lexer.hpp"
#include "module.hpp"

#include <charconv>
#include <cstring>
#include <deque>

namespace ptx {

namespace {

using Kind = Operand::Kind;

std::size_t alignTo(std::size_t value, std::size_t alignment) {
  return (value + alignment - 1) / alignment * alignment;
}

Decode decoderOf(std::string_view opcode) {
  static const auto* const all = [] {
    auto* made = new std::unordered_map<std::string_view, Decode>;
    for (const Entries& entries :
         {integerEntries(), logicEntries(), comparisonEntries(), floatEntries(), conversionEntries(), memoryEntries(),
          atomicEntries(), controlEntries(), warpEntries()})
      for (const Entry& each : entries)
        made->emplace(each.opcode, each.decode);
    return made;
  }();
  const auto found = all->find(opcode);
  return found == all->end() ? nullptr : found->second;
}

std::vector<std::string_view> divide(std::string_view word) {
  std::vector<std::string_view> parts;
  for (;;) {
    std::size_t end = word.find('.');
    parts.push_back(word.substr(0, end));
    if (end == std::string_view::npos) return parts;
    word.remove_prefix(end + 1);
  }
}

/// A variable as it is declared.
struct Declaration {
  Type type = Type::None;
  std::size_t alignment = 1, size = 0;
  unsigned vector = 1;
  std::string_view name;
  bool isArray = false, isOpen = false; ///< open: `[]`
};

class Parser {
 public:
  explicit Parser(std::string_view text) : in_(text), module_(std::make_unique<Module>()) {}

  std::unique_ptr<Module> run() {
    while (!in_.isAtEnd())
      item();
    for (const Fixup& each : fixups_)
      fix(each);
    return std::move(module_);
  }

 private:
  struct Fixup {
    int line;
    std::uint8_t* place;
    std::size_t size;
    std::string_view symbol;
    std::int64_t offset;
    std::uint64_t byteMask;
  };

  [[noreturn]] void fail(const std::string& what) const { throw ParseError{in_.line(), what}; }

  std::uint64_t number() {
    Operand operand;
    operand.isNegated = in_.take("-");
    operand.text = in_.next();
    Function unused;
    Assembler assembler(*module_, unused);
    assembler.line = in_.line();
    return assembler.bitsOf(operand, Type::B64);
  }

  void item() {
    bool isKernel = false;
    for (;;) {
      const std::string_view word = in_.next();
      if (word == ".version" || word == ".target" || word == ".file" || word == ".pragma" || word == ".address_size" ||
          word == ".loc") {
        in_.skipLine();
        return;
      }
      if (word == ".section") {
        while (!in_.take("}"))
          in_.next();
        return;
      }
      if (word == ".visible" || word == ".weak" || word == ".common") continue;
      if (word == ".extern") {
        continue;
      }
      if (word == ".entry" || word == ".func") {
        isKernel = word == ".entry";
        functionItem(isKernel);
        return;
      }
      if (word == ".global" || word == ".const" || word == ".shared") {
        variable(word);
        return;
      }
      fail("unknown directive " + std::string(word));
    }
  }

  /// What follows the space: attributes, type, name and length.
  Declaration declaration() {
    Declaration made;
    for (;;) {
      const std::string_view word = in_.next();
      if (word == ".align") {
        made.alignment = number();
      } else if (word == ".ptr") { // an attribute of parameters, with a space and an alignment
        while (in_.peek() == ".global" || in_.peek() == ".const" || in_.peek() == ".shared" || in_.peek() == ".local")
          in_.next();
        if (in_.take(".align")) number();
      } else if (word == ".v2" || word == ".v4") {
        made.vector = word == ".v2" ? 2 : 4;
      } else if (word == ".attribute") {
        while (!in_.take(")"))
          in_.next();
      } else if (word.starts_with('.')) {
        made.type = typeOf(word.substr(1));
        if (made.type == Type::None) fail("unknown type " + std::string(word));
      } else {
        made.name = word;
        break;
      }
    }
    made.size = std::size_t{sizeOf(made.type)} * made.vector;
    made.alignment = std::max(made.alignment, made.size);
    while (in_.take("[")) {
      made.isArray = true;
      if (in_.take("]")) {
        made.isOpen = true;
        continue;
      }
      made.size *= number();
      in_.expect("]");
    }
    return made;
  }

  void variable(std::string_view space) {
    const Declaration it = declaration();
    if (space == ".shared") {
      const std::size_t offset = module_->staticShared = alignTo(module_->staticShared, it.alignment);
      if (!it.isOpen) module_->staticShared += it.size;
      globals_[it.name] = {Symbol::Kind::Shared, offset, it.size, nullptr};
      in_.expect(";");
      return;
    }
    const std::size_t room = it.size + 2 * std::max<std::size_t>(it.alignment, 16);
    Variable made{std::make_unique<std::uint64_t[]>((room + 7) / 8), nullptr, it.size};
    auto* memory = reinterpret_cast<std::uint8_t*>(made.memory.get());
    memory +=
        alignTo(reinterpret_cast<std::uintptr_t>(memory), it.alignment) - reinterpret_cast<std::uintptr_t>(memory);
    made.address = memory;
    globals_[it.name] = {Symbol::Kind::Memory, reinterpret_cast<std::uintptr_t>(memory), it.size, nullptr};
    module_->variables.push_back(std::move(made));
    if (in_.take("=")) {
      std::uint8_t* end = memory + it.size;
      std::uint8_t* next = memory;
      initialiser(it.type, next, end);
    }
    in_.expect(";");
  }

  void initialiser(Type type, std::uint8_t*& next, const std::uint8_t* end) {
    if (in_.take("{")) {
      while (!in_.take("}")) {
        initialiser(type, next, end);
        if (!in_.take(",") && in_.peek() != "}") fail("expected , in an initialiser");
      }
      return;
    }
    const std::size_t size = sizeOf(type);
    if (next + size > end) fail("an initialiser that is too long");
    const char first = in_.peek().empty() ? '\0' : in_.peek()[0];
    std::uint64_t value = 0;
    if (first == '-' || (first >= '0' && first <= '9')) {
      Operand operand;
      operand.isNegated = in_.take("-");
      operand.text = in_.next();
      Function unused;
      Assembler assembler(*module_, unused);
      assembler.line = in_.line();
      value = assembler.bitsOf(operand, type);
      if (in_.take("(")) { // 0xFF00(symbol): some bytes of an address
        fixups_.push_back(symbolic(next, size, value));
        in_.expect(")");
        next += size;
        return;
      }
      std::memcpy(next, &value, size);
    } else {
      fixups_.push_back(symbolic(next, size, ~std::uint64_t{0}));
    }
    next += size;
  }

  /// `symbol`, `generic(symbol)`, `symbol+8`, `generic(symbol)+8`.
  Fixup symbolic(std::uint8_t* place, std::size_t size, std::uint64_t mask) {
    Fixup made{in_.line(), place, size, {}, 0, mask};
    const bool isGeneric = in_.take("generic");
    if (isGeneric) in_.expect("(");
    made.symbol = in_.next();
    if (isGeneric) in_.expect(")");
    if (in_.take("+"))
      made.offset = static_cast<std::int64_t>(number());
    else if (in_.peek() == "-")
      made.offset = static_cast<std::int64_t>(number());
    return made;
  }

  void fix(const Fixup& it) const {
    std::uint64_t value = 0;
    if (const auto found = globals_.find(it.symbol); found != globals_.end())
      value = found->second.value;
    else
      throw ParseError{it.line, "unknown name " + std::string(it.symbol)};
    value = (value + static_cast<std::uint64_t>(it.offset)) & it.byteMask;
    if (it.byteMask != ~std::uint64_t{0}) value >>= std::countr_zero(it.byteMask);
    std::memcpy(it.place, &value, it.size);
  }

  /// `(.param .b32 name, ...)`: offsets are behind those that are there.
  std::vector<Parameter> parameterList(std::size_t& top, std::vector<std::pair<std::string_view, Symbol>>& names) {
    std::vector<Parameter> made;
    in_.expect("(");
    while (!in_.take(")")) {
      in_.expect(".param");
      const Declaration it = declaration();
      top = alignTo(top, it.alignment);
      made.push_back({top, it.size});
      names.emplace_back(it.name, Symbol{Symbol::Kind::Parameter, top, it.size, nullptr});
      top += it.size;
      if (!in_.take(",") && in_.peek() != ")") fail("expected , between parameters");
    }
    return made;
  }

  void functionItem(bool isKernel) {
    std::size_t top = 0;
    std::vector<std::pair<std::string_view, Symbol>> names;
    std::vector<Parameter> results, parameters;
    if (!isKernel && in_.peek() == "(") results = parameterList(top, names);
    const std::string name(in_.next());
    if (isKernel) top = 0;
    if (in_.peek() == "(") parameters = parameterList(top, names);
    auto& place = module_->functions[name];
    if (!place) place = std::make_unique<Function>();
    Function& function = *place;
    function.name = name;
    function.isKernel = isKernel;
    function.results = results;
    function.parameters = parameters;
    function.parameterSize = top;
    const std::string_view kept = module_->functions.find(name)->first;
    globals_[kept] = {Symbol::Kind::Function, reinterpret_cast<std::uintptr_t>(&function), 0, &function};
    for (;;) {
      if (in_.take(";")) return;
      if (in_.peek() == "{") break;
      const std::string_view word = in_.next();
      if (word == ".noreturn" || word == ".unique") continue;
      if (word == ".maxntid" || word == ".reqntid") {
        std::uint64_t threads = number();
        while (in_.take(","))
          threads *= number();
        function.mostThreads = static_cast<unsigned>(threads);
      } else if (word == ".minnctapersm" || word == ".maxnreg" || word == ".maxclusterrank") {
        number();
      } else if (word == ".pragma") {
        in_.next();
        in_.expect(";");
      } else {
        fail("unknown directive " + std::string(word));
      }
    }
    if (function.isDefined) fail("second definition of " + name);
    function.isDefined = true;
    Assembler assembler(*module_, function);
    assembler.globals = &globals_;
    for (const auto& [parameter, symbol] : names)
      assembler.define(parameter, symbol);
    block(assembler);
    assembler.line = in_.line();
    assembler.finish();
    // Control that runs past the end returns.
    Statement end{in_.line(), "ret", {}, {}};
    Modifiers none(in_.line(), {});
    assembler.guard = kNoSlot;
    decoderOf("ret")(assembler, end, none);
  }

  void block(Assembler& out) {
    in_.expect("{");
    out.openScope();
    while (!in_.take("}"))
      statement(out);
    out.closeScope();
  }

  void statement(Assembler& out) {
    out.line = in_.line();
    out.guard = kNoSlot;
    out.isGuardNegated = false;
    if (in_.peek() == "{") return block(out);
    if (in_.take(";")) return;
    if (in_.take("@")) {
      out.isGuardNegated = in_.take("!");
      out.guard = out.registerOf(in_.next());
      if (out.guard == kNoSlot) fail("a guard that is no predicate");
    }
    const std::string_view word = in_.next();
    if (word.empty()) fail("a function without end");
    if (word.starts_with('.')) return directive(out, word);
    if (in_.take(":")) {
      if (in_.take(".branchtargets")) {
        std::vector<std::string_view> labels;
        do
          labels.push_back(in_.next());
        while (in_.take(","));
        out.table(word, std::move(labels));
        in_.expect(";");
      } else if (in_.take(".callprototype")) {
        out.prototype(word);
        while (!in_.take(";"))
          in_.next();
      } else {
        out.label(word);
      }
      return;
    }
    instruction(out, word);
  }

  void directive(Assembler& out, std::string_view word) {
    if (word == ".loc" || word == ".file") return in_.skipLine();
    if (word == ".pragma") {
      in_.next();
      in_.expect(";");
      return;
    }
    if (word == ".reg") {
      in_.next(); // any type: slots are of 64 bits
      do {
        const std::string_view name = in_.next();
        if (in_.take("<")) {
          out.defineRegisters(name, static_cast<unsigned>(number()));
          in_.expect(">");
        } else {
          out.define(name, {Symbol::Kind::Register, out.newSlot(), 8, nullptr});
        }
      } while (in_.take(","));
      in_.expect(";");
      return;
    }
    if (word == ".shared" || word == ".global" || word == ".const") return variable(word);
    if (word != ".local" && word != ".param") fail("unknown directive " + std::string(word));
    const Declaration it = declaration();
    std::size_t& top = word == ".local" ? out.function.localSize : out.function.parameterSize;
    top = alignTo(top, it.alignment);
    out.define(it.name, {word == ".local" ? Symbol::Kind::Local : Symbol::Kind::Parameter, top, it.size, nullptr});
    top += it.size;
    in_.expect(";");
  }

  Operand operand() {
    Operand made;
    if (in_.take("[")) {
      made.kind = Kind::Address;
      made.text = in_.next();
      if (in_.take("+"))
        made.offset = static_cast<std::int64_t>(number());
      else if (in_.peek() == "-")
        made.offset = static_cast<std::int64_t>(number());
      in_.expect("]");
      return made;
    }
    if (in_.peek() == "{" || in_.peek() == "(") {
      made.kind = in_.peek() == "{" ? Kind::Vector : Kind::List;
      const std::string_view end = in_.next() == "{" ? "}" : ")";
      while (!in_.take(end)) {
        made.elements.push_back(operand());
        if (!in_.take(",") && in_.peek() != end) fail("expected ,");
      }
      return made;
    }
    made.isNegated = in_.take("!") || in_.take("-");
    made.text = in_.next();
    if (made.text.empty()) fail("an instruction without end");
    if (made.text[0] >= '0' && made.text[0] <= '9') made.kind = Kind::Number;
    if (in_.take("|")) made.second = in_.next();
    if (made.kind == Kind::Name && in_.take("+")) made.offset = static_cast<std::int64_t>(number());
    return made;
  }

  void instruction(Assembler& out, std::string_view word) {
    Statement made;
    made.line = out.line;
    out.word = word;
    made.modifiers = divide(word);
    made.opcode = made.modifiers.front();
    made.modifiers.erase(made.modifiers.begin());
    if (!in_.take(";")) {
      do
        made.operands.push_back(operand());
      while (in_.take(","));
      in_.expect(";");
    }
    const Decode decode = decoderOf(made.opcode);
    if (!decode) out.fail("unknown instruction " + std::string(word));
    Modifiers modifiers(made.line, made.modifiers);
    decode(out, made, modifiers);
    modifiers.expectEnd(word);
  }

  Lexer in_;
  std::unique_ptr<Module> module_;
  std::unordered_map<std::string_view, Symbol> globals_;
  std::vector<Fixup> fixups_;
};

} // namespace

std::unique_ptr<Module> parse(std::string_view text) { return Parser(text).run(); }

} // namespace ptx
