// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/transform/simplify/fold_image_formats.hpp"

#include "abi/image_formats.hpp"
#include "compiler/code_version.hpp"
#include "compiler/ir/marks.hpp"

#include <llvm/Analysis/ConstantFolding.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>

namespace clotho::compiler {
namespace {

/// Collects the loads through a pointer that is `offset` bytes after the argument.
void collectLoads(llvm::Value& pointer, std::uint64_t offset, const llvm::DataLayout& layout,
                  llvm::SmallVectorImpl<std::pair<llvm::LoadInst*, std::uint64_t>>& loads) {
  for (llvm::User* user : pointer.users()) {
    if (auto* load = llvm::dyn_cast<llvm::LoadInst>(user)) {
      if (load->isSimple()) loads.emplace_back(load, offset);
    } else if (auto* address = llvm::dyn_cast<llvm::GetElementPtrInst>(user)) {
      llvm::APInt further(layout.getIndexTypeSizeInBits(address->getType()), 0);
      if (address->accumulateConstantOffset(layout, further) && !further.isNegative())
        collectLoads(*address, offset + further.getZExtValue(), layout, loads);
    }
  }
}

bool fold(llvm::Argument& argument, llvm::StringRef text) {
  const auto version = CodeVersion::Format::parse(text);
  const ImageFormat* found = version ? image_formats::find(version->order, version->type) : nullptr;
  if (found == nullptr) return false;
  ImageFormat known = *found;
  known.isSmall = version->isSmall;
  const llvm::StringRef bytes(reinterpret_cast<const char*>(&known), sizeof known);
  const llvm::DataLayout& layout = argument.getParent()->getDataLayout();
  llvm::Constant* format =
      llvm::ConstantDataArray::getRaw(bytes, bytes.size(), llvm::Type::getInt8Ty(argument.getContext()));
  llvm::SmallVector<std::pair<llvm::LoadInst*, std::uint64_t>, 32> loads;
  collectLoads(argument, 0, layout, loads);
  bool changed = false;
  for (auto [load, offset] : loads) {
    if (offset + layout.getTypeStoreSize(load->getType()) > bytes.size()) continue;
    llvm::Constant* value = llvm::ConstantFoldLoadFromConst(format, load->getType(), llvm::APInt(64, offset), layout);
    if (value == nullptr) continue;
    load->replaceAllUsesWith(value);
    load->eraseFromParent();
    changed = true;
  }
  return changed;
}

} // namespace

llvm::PreservedAnalyses FoldImageFormatsPass::run(llvm::Function& function, llvm::FunctionAnalysisManager&) {
  bool changed = false;
  for (llvm::Argument& argument : function.args())
    if (argument.hasAttribute(kImageFormat))
      changed =
          fold(argument, function.getAttributes().getParamAttr(argument.getArgNo(), kImageFormat).getValueAsString()) ||
          changed;
  return changed ? llvm::PreservedAnalyses::none() : llvm::PreservedAnalyses::all();
}

} // namespace clotho::compiler
