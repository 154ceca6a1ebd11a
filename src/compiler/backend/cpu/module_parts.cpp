// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/backend/cpu/module_parts.hpp"

#include "compiler/analysis/code_size.hpp"

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/IntEqClasses.h>
#include <llvm/ADT/STLExtras.h>
#include <llvm/Bitcode/BitcodeReader.h>
#include <llvm/Bitcode/BitcodeWriter.h>
#include <llvm/IR/DerivedTypes.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Module.h>
#include <llvm/Support/raw_ostream.h>

#include <algorithm>
#include <numeric>
#include <utility>

namespace clotho::compiler {
namespace {

/// Whether each part may have a copy of the variable, since its address does not matter.
bool isCopied(const llvm::GlobalVariable& variable) {
  return variable.hasLocalLinkage() && variable.isConstant() && variable.hasGlobalUnnamedAddr() &&
         !variable.hasSection();
}

/// Whether it is one of LLVM's special variables, such as llvm.used.
bool isList(const llvm::GlobalVariable& variable) { return variable.getName().starts_with("llvm."); }

void showToLinker(llvm::GlobalObject& object) {
  if (!object.hasLocalLinkage()) return;
  if (!object.hasName()) object.setName("clotho.unnamed.cl");
  object.setLinkage(llvm::GlobalValue::ExternalLinkage);
  object.setVisibility(llvm::GlobalValue::HiddenVisibility);
  object.setDSOLocal(true);
}

/// Whether the function is called only from its own part. It can then be removed after inlining.
bool isForItsPart(const llvm::Function& function, const llvm::DenseMap<const llvm::Function*, unsigned>& parts) {
  return !function.use_empty() && llvm::all_of(function.users(), [&](const llvm::User* user) {
    const auto* call = llvm::dyn_cast<llvm::CallBase>(user);
    return call != nullptr && call->getCalledFunction() == &function &&
           parts.lookup(call->getFunction()) == parts.lookup(&function);
  });
}

} // namespace

ModuleParts::ModuleParts(const llvm::Module& module, unsigned most, std::size_t least) {
  llvm::SmallVector<std::size_t, 16> work;
  for (const llvm::Function& function : module)
    work.push_back(workOf(function));
  const std::size_t whole = std::accumulate(work.begin(), work.end(), std::size_t{0});
  partOf_.assign(work.size(), 0);
  const bool isPlain = module.alias_empty() && module.ifunc_empty() && module.getModuleInlineAsm().empty() &&
                       module.debug_compile_units().empty();
  if (!isPlain) return;
  const auto nonEmpty = static_cast<std::size_t>(llvm::count_if(work, [](std::size_t each) { return each != 0; }));
  count_ = static_cast<unsigned>(
      std::max<std::size_t>(1, std::min<std::size_t>({most, nonEmpty, whole / std::max<std::size_t>(least, 1)})));

  // Assigns the largest functions first, each to the part with the least work.
  llvm::SmallVector<unsigned, 16> order(work.size());
  std::iota(order.begin(), order.end(), 0);
  llvm::sort(order, [&](unsigned a, unsigned b) { return std::pair(work[a], b) > std::pair(work[b], a); });
  llvm::SmallVector<std::size_t, 8> load(count_);
  for (unsigned function : order) {
    const auto part = static_cast<unsigned>(std::min_element(load.begin(), load.end()) - load.begin());
    partOf_[function] = part;
    load[part] += work[function];
  }
}

std::string ModuleParts::separate(llvm::Module& module) const {
  llvm::DenseMap<const llvm::Function*, unsigned> parts;
  for (auto [function, part] : llvm::zip_equal(module, partOf_))
    parts[&function] = part;
  for (llvm::Function& function : module)
    if (!isForItsPart(function, parts)) showToLinker(function);
  for (llvm::GlobalVariable& variable : module.globals())
    if (!isCopied(variable) && !isList(variable)) showToLinker(variable);
  std::string bitcode;
  llvm::raw_string_ostream out(bitcode);
  llvm::WriteBitcodeToFile(module, out);
  for (auto [function, part] : llvm::zip_equal(module, partOf_))
    if (part != 0 && !function.isDeclaration()) function.deleteBody();
  return bitcode;
}

llvm::Expected<std::unique_ptr<llvm::Module>> ModuleParts::read(llvm::StringRef bitcode, unsigned part,
                                                                llvm::LLVMContext& context) const {
  auto module = llvm::getLazyBitcodeModule(llvm::MemoryBufferRef(bitcode, "<part>"), context);
  if (!module) return module.takeError();
  for (auto [function, itsPart] : llvm::zip_equal(**module, partOf_))
    if (itsPart != part && !function.isDeclaration()) function.deleteBody();
  if (llvm::Error error = (*module)->materializeAll()) return std::move(error);
  for (llvm::GlobalVariable& variable : llvm::make_early_inc_range((*module)->globals())) {
    if (isList(variable)) {
      variable.eraseFromParent();
    } else if (!isCopied(variable) && !variable.isDeclaration()) {
      variable.clearMetadata();
      if (variable.isConstant()) {
        variable.setLinkage(llvm::GlobalValue::AvailableExternallyLinkage);
      } else {
        variable.setInitializer(nullptr);
        variable.setLinkage(llvm::GlobalValue::ExternalLinkage);
      }
    }
  }
  return std::move(*module);
}

} // namespace clotho::compiler
