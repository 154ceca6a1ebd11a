// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "builtins/pack.hpp"

#include "compiler/builtins/format.hpp"

#include <llvm/ADT/DenseMap.h>
#include <llvm/Bitcode/BitcodeWriter.h>
#include <llvm/Config/llvm-config.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Module.h>
#include <llvm/Support/MathExtras.h>
#include <llvm/Support/raw_ostream.h>
#include <llvm/Support/xxhash.h>

#include <cstring>
#include <map>

namespace clotho::tools {

namespace {

namespace format = compiler::builtin_format;

/// A family is what is read together: the overloads of one name with one vector width and one kind of pointer. Programs
/// rarely use others beside, and reading the mere declarations of all overloads would cost more than the function
/// itself; a module for each symbol would be no faster, but four times the size.
std::string familyOf(llvm::StringRef symbol) {
  unsigned length = 0;
  llvm::StringRef name = symbol;
  if (!name.consume_front("_Z") || name.consumeInteger(10, length)) return symbol.str();
  const llvm::StringRef parameters = name.drop_front(length);
  std::string family = name.take_front(length).str();
  for (llvm::StringRef shape : {"Dv", "U3AS"}) {
    const std::size_t at = parameters.find(shape);
    if (at != llvm::StringRef::npos)
      family += "." + parameters.substr(at).take_until([](char c) { return c == '_'; }).take_front(5).str();
  }
  return family;
}

/// One family's module while functions move into it. A moved function still refers to what lies in other modules
/// until `localise` has replaced that by declarations, and by copies of constants.
class Family {
 public:
  Family(llvm::StringRef name, const llvm::Module& library)
      : module_(std::make_unique<llvm::Module>(name, library.getContext())) {
    module_->setDataLayout(library.getDataLayout());
    module_->setTargetTriple(library.getTargetTriple());
  }

  void take(llvm::Function& function) {
    function.removeFromParent();
    module_->getFunctionList().push_back(&function);
  }

  void localise() {
    for (llvm::Function& function : *module_)
      for (llvm::Instruction& instruction : llvm::instructions(function))
        for (llvm::Use& operand : instruction.operands())
          operand.set(local(operand.get()));
  }

  llvm::Module& module() { return *module_; }

 private:
  llvm::Value* local(llvm::Value* value) {
    if (auto* function = llvm::dyn_cast<llvm::Function>(value)) return declare(*function);
    if (auto* variable = llvm::dyn_cast<llvm::GlobalVariable>(value)) return copy(*variable);
    // Addresses inside a table; other constants hold no global.
    if (auto* address = llvm::dyn_cast<llvm::ConstantExpr>(value)) {
      llvm::SmallVector<llvm::Constant*> operands;
      for (llvm::Use& operand : address->operands())
        operands.push_back(llvm::cast<llvm::Constant>(local(operand.get())));
      return address->getWithOperands(operands);
    }
    return value;
  }

  llvm::Value* declare(llvm::Function& function) {
    if (function.getParent() == module_.get()) return &function;
    llvm::Function* declared = module_->getFunction(function.getName());
    if (!declared) {
      declared = llvm::Function::Create(function.getFunctionType(), llvm::GlobalValue::ExternalLinkage,
                                        function.getName(), *module_);
      declared->setCallingConv(function.getCallingConv());
      declared->setAttributes(function.getAttributes());
      declared->removeFnAttr(llvm::Attribute::AlwaysInline);
      declared->removeFnAttr(format::kBuiltinAttribute);
    }
    return declared;
  }

  llvm::Value* copy(llvm::GlobalVariable& variable) {
    if (variable.getParent() == module_.get()) return &variable;
    llvm::Constant*& copied = copies_[&variable];
    if (!copied) {
      auto* made =
          new llvm::GlobalVariable(*module_, variable.getValueType(), variable.isConstant(),
                                   llvm::GlobalValue::InternalLinkage, variable.getInitializer(), variable.getName(),
                                   nullptr, llvm::GlobalValue::NotThreadLocal, variable.getAddressSpace());
      made->setAlignment(variable.getAlign());
      made->setUnnamedAddr(llvm::GlobalValue::UnnamedAddr::Global);
      copied = made;
    }
    return copied;
  }

  std::unique_ptr<llvm::Module> module_;
  llvm::DenseMap<llvm::GlobalVariable*, llvm::Constant*> copies_;
};

std::string bitcodeOf(const llvm::Module& module) {
  llvm::SmallVector<char, 0> bytes;
  llvm::BitcodeWriter writer(bytes);
  writer.writeModule(module);
  writer.writeStrtab(); // no symbol table for linkers: only the index looks for symbols
  return {bytes.begin(), bytes.end()};
}

template <typename T> llvm::StringRef bytesOf(const std::vector<T>& values) {
  return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T)};
}

llvm::Error write(const std::map<std::string, std::unique_ptr<Family>>& families, llvm::StringRef path) {
  std::vector<std::string> bitcodes;
  std::map<std::string, std::uint32_t> moduleOfSymbol;
  for (const auto& [name, family] : families) {
    for (const llvm::Function& function : family->module())
      if (!function.isDeclaration()) moduleOfSymbol[function.getName().str()] = bitcodes.size();
    bitcodes.push_back(bitcodeOf(family->module()));
  }

  std::vector<format::Symbol> symbols;
  std::string names;
  for (const auto& [name, module] : moduleOfSymbol) {
    symbols.push_back({static_cast<std::uint32_t>(names.size()), static_cast<std::uint32_t>(name.size()), module});
    names += name;
  }
  format::Header header = {};
  std::memcpy(header.magic, format::kMagic, sizeof header.magic);
  header.version = format::kVersion;
  header.llvmMajor = LLVM_VERSION_MAJOR;
  header.symbolCount = symbols.size();
  header.moduleCount = bitcodes.size();
  header.nameBytes = names.size();

  std::uint64_t offset =
      sizeof header + bitcodes.size() * sizeof(format::Module) + bytesOf(symbols).size() + names.size();
  const std::uint64_t indexEnd = offset;
  std::vector<format::Module> modules;
  for (const std::string& bitcode : bitcodes) {
    offset = llvm::alignTo(offset, 8);
    modules.push_back({offset, bitcode.size(), llvm::xxh3_64bits(bitcode)});
    offset += bitcode.size();
  }
  header.fileBytes = offset;
  const std::string index = (bytesOf(modules) + bytesOf(symbols) + names).str();
  header.indexHash = llvm::xxh3_64bits(index);

  std::error_code error;
  llvm::raw_fd_ostream out(path, error);
  if (error) return llvm::createStringError(error, "cannot write " + path);
  out.write(reinterpret_cast<const char*>(&header), sizeof header);
  out << index;
  std::uint64_t at = indexEnd;
  for (std::size_t i = 0; i < bitcodes.size(); ++i) {
    out.write_zeros(modules[i].offset - at);
    out << bitcodes[i];
    at = modules[i].offset + modules[i].size;
  }
  out.close();
  if (out.has_error()) return llvm::createStringError(out.error(), "cannot write " + path);
  return llvm::Error::success();
}

} // namespace

llvm::Error pack(std::unique_ptr<llvm::Module> library, llvm::StringRef path) {
  std::map<std::string, std::unique_ptr<Family>> families;
  for (llvm::Function& function : llvm::make_early_inc_range(*library)) {
    if (function.isDeclaration()) continue;
    // Helpers of libclc are found by the index too, whichever family needs them.
    if (function.hasLocalLinkage()) {
      function.setLinkage(llvm::GlobalValue::ExternalLinkage);
      function.setName("clotho." + function.getName());
    }
    auto& family = families[familyOf(function.getName())];
    if (!family) family = std::make_unique<Family>(familyOf(function.getName()), *library);
    family->take(function);
  }
  for (auto& [name, family] : families)
    family->localise();
  return write(families, path);
}

} // namespace clotho::tools
