// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/builtins/properties.hpp"

#include "compiler/builtins/format.hpp"

#include <llvm/IR/InstrTypes.h>
#include <llvm/IR/Module.h>

namespace clotho::compiler {

namespace {

struct Row {
  llvm::StringLiteral name;
  BuiltinProperties properties;
};

#define ROW(name, convergent, memory, uniformity)                                                                      \
  {#name, {convergent, BuiltinMemory::memory, BuiltinUniformity::uniformity}},

constexpr Row kBuiltins[] = {
#define BUILTIN ROW
#include "compiler/builtins/builtins.def"
};

constexpr Row kPrefixes[] = {
#define BUILTIN_PREFIX ROW
#include "compiler/builtins/builtins.def"
};

#undef ROW

llvm::MemoryEffects effectsOf(BuiltinMemory memory) {
  switch (memory) {
  case BuiltinMemory::None: return llvm::MemoryEffects::none();
  case BuiltinMemory::Arguments: return llvm::MemoryEffects::argMemOnly();
  case BuiltinMemory::Any: break;
  }
  return llvm::MemoryEffects::unknown();
}

/// Sets the properties of a function or a call.
template <typename T> void setProperties(T& target, const BuiltinProperties& properties) {
  using llvm::Attribute;
  for (Attribute::AttrKind kind : {Attribute::Convergent, Attribute::Memory, Attribute::Speculatable,
                                   Attribute::WillReturn, Attribute::NoSync, Attribute::NoDuplicate})
    target.removeFnAttr(kind);
  target.addFnAttr(Attribute::NoUnwind);
  if (properties.convergent) target.addFnAttr(Attribute::Convergent);
  if (properties.memory == BuiltinMemory::Any) return;
  target.setMemoryEffects(effectsOf(properties.memory));
  target.addFnAttr(Attribute::WillReturn);
  target.addFnAttr(Attribute::NoSync);
}

} // namespace

llvm::StringRef builtinBaseName(llvm::StringRef symbol) {
  llvm::StringRef rest = symbol;
  unsigned length = 0;
  if (!rest.consume_front("_Z") || rest.consumeInteger(10, length) || length == 0 || length > rest.size())
    return symbol;
  return rest.take_front(length);
}

std::optional<BuiltinProperties> builtinProperties(llvm::StringRef symbol) {
  const llvm::StringRef name = builtinBaseName(symbol);
  // Builtins are overloaded and so mangled, except for these; an unmangled `dot` is the program's own.
  const bool mangled = name.size() != symbol.size();
  if (!mangled && name != "printf" && !name.starts_with("__to_")) return std::nullopt;
  // A few hundred short names, looked up once for each function of a program: not worth a hash table at start-up.
  for (const Row& row : kBuiltins)
    if (row.name == name) return row.properties;
  for (const Row& row : kPrefixes)
    if (name.starts_with(row.name)) return row.properties;
  return std::nullopt;
}

void applyBuiltinProperties(llvm::Module& module) {
  for (llvm::Function& function : module) {
    if (function.isIntrinsic()) continue;
    const bool linked = function.hasFnAttribute(builtin_format::kBuiltinAttribute);
    if (!linked && !function.isDeclaration()) continue;
    const auto properties = builtinProperties(function.getName());
    if (!properties && !linked) continue;
    if (!linked) setProperties(function, *properties);
    for (llvm::User* user : function.users()) {
      auto* call = llvm::dyn_cast<llvm::CallBase>(user);
      if (!call || call->getCalledOperand() != &function) continue;
      if (linked) {
        if (!function.isConvergent()) call->removeFnAttr(llvm::Attribute::Convergent);
      } else {
        setProperties(*call, *properties);
      }
    }
  }
}

} // namespace clotho::compiler
