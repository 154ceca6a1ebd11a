// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/builtins/library.hpp"

#include "compiler/builtins/format.hpp"

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/SetVector.h>
#include <llvm/ADT/StringSet.h>
#include <llvm/Bitcode/BitcodeReader.h>
#include <llvm/Config/llvm-config.h>
#include <llvm/IR/InstrTypes.h>
#include <llvm/IR/Module.h>
#include <llvm/Linker/IRMover.h>
#include <llvm/Support/MemoryBuffer.h>
#include <llvm/Support/xxhash.h>

#include <cstring>
#include <map>

namespace clotho::compiler {

namespace {

using namespace builtin_format;

llvm::Error damaged(const char* why) {
  return llvm::createStringError(llvm::inconvertibleErrorCode(), "builtin library: %s", why);
}

/// Makes a linked library function internal, and updates its callers with attributes that clang did not know.
void adopt(llvm::Function& function) {
  function.setLinkage(llvm::GlobalValue::InternalLinkage);
  function.setVisibility(llvm::GlobalValue::DefaultVisibility);
  function.setDSOLocal(true);
  for (llvm::User* user : function.users()) {
    auto* call = llvm::dyn_cast<llvm::CallBase>(user);
    if (!call || call->getCalledOperand() != &function) continue;
    call->setCallingConv(function.getCallingConv());
    if (!function.isConvergent()) call->removeFnAttr(llvm::Attribute::Convergent);
  }
}

} // namespace

BuiltinLibrary::BuiltinLibrary(std::unique_ptr<llvm::MemoryBuffer> file) : file_(std::move(file)) {}
BuiltinLibrary::~BuiltinLibrary() = default;

llvm::Expected<std::unique_ptr<BuiltinLibrary>> BuiltinLibrary::open(llvm::StringRef path) {
  auto file = llvm::MemoryBuffer::getFile(path, /*IsText=*/false, /*RequiresNullTerminator=*/false);
  if (!file) return llvm::createStringError(file.getError(), "builtin library: cannot read %s", path.str().c_str());
  std::unique_ptr<BuiltinLibrary> library(new BuiltinLibrary(std::move(*file)));
  if (llvm::Error error = library->check()) return error;
  return std::move(library);
}

llvm::Error BuiltinLibrary::check() {
  const llvm::StringRef bytes = file_->getBuffer();
  Header header;
  if (bytes.size() < sizeof header) return damaged("too short");
  std::memcpy(&header, bytes.data(), sizeof header);
  if (std::memcmp(header.magic, kMagic, sizeof kMagic) != 0) return damaged("not a builtin library");
  if (header.version != kVersion) return damaged("written by another version of Clotho");
  if (header.llvmMajor != LLVM_VERSION_MAJOR) return damaged("made for another version of LLVM");
  if (header.fileBytes != bytes.size()) return damaged("truncated or extended");

  // The counts are 32 bits wide, so these sums cannot overflow once nameBytes has been checked.
  const std::uint64_t symbolBytes = std::uint64_t{header.symbolCount} * sizeof(Symbol);
  const std::uint64_t moduleBytes = std::uint64_t{header.moduleCount} * sizeof(Module);
  if (header.nameBytes > bytes.size() || moduleBytes + symbolBytes + header.nameBytes > bytes.size() - sizeof header)
    return damaged("index larger than the file");
  const llvm::StringRef index = bytes.substr(sizeof header, moduleBytes + symbolBytes + header.nameBytes);
  if (llvm::xxh3_64bits(index) != header.indexHash) return damaged("index has a wrong checksum");

  const char* at = index.data();
  modules_ = {reinterpret_cast<const Module*>(at), header.moduleCount};
  symbols_ = {reinterpret_cast<const Symbol*>(at + moduleBytes), header.symbolCount};
  names_ = index.substr(moduleBytes + symbolBytes);
  for (const Module& module : modules_) {
    if (module.offset % 8 != 0 || module.offset > bytes.size() || module.size > bytes.size() - module.offset)
      return damaged("a module lies outside the file");
  }
  for (const Symbol& symbol : symbols_) {
    if (symbol.module >= modules_.size() || symbol.nameOffset > names_.size() ||
        symbol.nameLength > names_.size() - symbol.nameOffset)
      return damaged("a symbol lies outside the index");
  }
  return llvm::Error::success();
}

llvm::StringRef BuiltinLibrary::nameOf(const Symbol& symbol) const {
  return names_.substr(symbol.nameOffset, symbol.nameLength);
}

std::optional<unsigned> BuiltinLibrary::moduleOf(llvm::StringRef symbol) const {
  const auto* found = llvm::lower_bound(symbols_, symbol,
                                        [this](const Symbol& s, llvm::StringRef wanted) { return nameOf(s) < wanted; });
  if (found == symbols_.end() || nameOf(*found) != symbol) return std::nullopt;
  return found->module;
}

std::vector<llvm::StringRef> BuiltinLibrary::symbols() const {
  std::vector<llvm::StringRef> names;
  names.reserve(symbols_.size());
  for (const Symbol& symbol : symbols_)
    names.push_back(nameOf(symbol));
  return names;
}

llvm::Expected<std::unique_ptr<llvm::Module>> BuiltinLibrary::load(unsigned index, const llvm::Module& like) const {
  const Module& entry = modules_[index];
  const llvm::StringRef bitcode = file_->getBuffer().substr(entry.offset, entry.size);
  if (llvm::xxh3_64bits(bitcode) != entry.hash) return damaged("a module has a wrong checksum");
  auto module = llvm::getLazyBitcodeModule({bitcode, "builtins"}, like.getContext());
  if (!module) return module.takeError();
  // The library was made for the portable target; IRMover only checks that both modules agree.
  (*module)->setDataLayout(like.getDataLayout());
  (*module)->setTargetTriple(like.getTargetTriple());
  return std::move(*module);
}

llvm::Error BuiltinLibrary::linkInto(llvm::Module& module) const {
  for (llvm::Function& function : module) {
    if (function.isDeclaration() || !defines(function.getName()) || function.hasFnAttribute(kBuiltinAttribute))
      continue;
    // A kernel's name is visible to applications, so it cannot be changed.
    if (function.getCallingConv() == llvm::CallingConv::SPIR_KERNEL)
      return llvm::createStringError("the kernel " + function.getName() + " has the name of a builtin function");
    function.setName(function.getName() + ".program");
  }

  // Created when the first function is needed, since it visits all types of the module.
  std::optional<llvm::IRMover> mover;
  llvm::SetVector<llvm::Function*> linked;
  llvm::StringSet<> done;
  for (bool progress = true; progress;) {
    // Each module is read once for all functions known to be needed; their own dependencies on other modules are found
    // in the next iteration.
    std::map<unsigned, std::vector<std::string>> wanted;
    for (const llvm::Function& function : module) {
      if (!function.isDeclaration() || function.isIntrinsic() || done.contains(function.getName())) continue;
      if (const auto index = moduleOf(function.getName())) wanted[*index].push_back(function.getName().str());
    }
    progress = !wanted.empty();
    for (const auto& [index, names] : wanted) {
      auto source = load(index, module);
      if (!source) return source.takeError();
      std::vector<llvm::GlobalValue*> values;
      for (const std::string& name : names) {
        llvm::Function* theirs = (*source)->getFunction(name);
        if (!theirs || theirs->isDeclaration()) return damaged("a module lacks a function of the index");
        if (theirs->getFunctionType() != module.getFunction(name)->getFunctionType())
          return llvm::createStringError(llvm::inconvertibleErrorCode(),
                                         "the program declares %s with another type than the builtin library",
                                         name.c_str());
        values.push_back(theirs);
        done.insert(name);
      }
      if (!mover) mover.emplace(module);
      std::vector<std::string> arrived = names;
      auto alsoNeeded = [&arrived](llvm::GlobalValue& value, const llvm::IRMover::ValueAdder& add) {
        if (llvm::isa<llvm::Function>(value)) arrived.push_back(value.getName().str());
        add(value);
      };
      if (llvm::Error error = mover->move(std::move(*source), values, alsoNeeded, /*IsPerformingImport=*/false))
        return error;
      for (const std::string& name : arrived) {
        llvm::Function* function = module.getFunction(name);
        if (function && !function->isDeclaration()) linked.insert(function);
      }
    }
  }
  for (llvm::Function* function : linked)
    adopt(*function);
  return llvm::Error::success();
}

} // namespace clotho::compiler
