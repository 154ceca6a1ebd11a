// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/transform/check/check_blocks.hpp"

#include "compiler/build_options.hpp"
#include "compiler/ir/sub_group_blocks.hpp"
#include "compiler/transform/check/checked_accesses.hpp"
#include "compiler/transform/check/pointer_extents.hpp"

#include <llvm/IR/InstIterator.h>

namespace clotho::compiler {
namespace {

using llvm::Value;

/// A block read or write of memory or of an image.
struct Block {
  llvm::CallInst* call;
  bool isWrite;
  bool isOfImage;
};

std::vector<Block> blocksOf(llvm::Function& function) {
  std::vector<Block> blocks;
  for (llvm::Instruction& instruction : llvm::instructions(function)) {
    auto* call = llvm::dyn_cast<llvm::CallInst>(&instruction);
    if (call == nullptr || call->getCalledFunction() == nullptr || call->arg_empty()) continue;
    llvm::StringRef name = builtinName(call->getCalledFunction()->getName());
    if (!name.consume_front("intel_sub_group_block_")) continue;
    const bool isWrite = name.starts_with("write");
    if (!isWrite && !name.starts_with("read")) continue;
    blocks.push_back({call, isWrite, call->arg_size() == (isWrite ? 3U : 2U)});
  }
  return blocks;
}

/// A block in memory begins at a multiple of 4 bytes to be read, and of 16 to be written.
void checkAlignment(const Block& block, PointerExtents& extents, Checker& checker) {
  constexpr std::uint64_t kReadAlign = 4, kWriteAlign = 16;
  llvm::IRBuilder<> builder(block.call);
  Value* pointer = block.call->getArgOperand(0);
  llvm::Type* type = block.isWrite ? block.call->getArgOperand(1)->getType() : block.call->getType();
  const std::uint64_t bytes = type->getPrimitiveSizeInBits().getFixedValue() / 8;
  const std::uint64_t align =
      std::max<std::uint64_t>(block.isWrite ? kWriteAlign : kReadAlign, type->getScalarSizeInBits() / 8);
  const llvm::SmallPtrSet<Value*, 4> objects = extents.objectsOf(pointer);
  Value* address = addressForCheck(builder, *pointer);
  checker.reportIf(
      builder.CreateIsNotNull(builder.CreateAnd(address, align - 1)), *block.call,
      {kFaultMisaligned, bytes, objects.size() == 1 ? *objects.begin() : nullptr, address, builder.getInt64(align)});
}

/// A block is written to an image from a multiple of 4 bytes of a row on. What lies outside of the image is defined.
void checkCoordinate(const Block& block, Checker& checker) {
  constexpr std::uint64_t kAlign = 4;
  llvm::IRBuilder<> builder(block.call);
  Value* x = builder.CreateExtractElement(block.call->getArgOperand(1), std::uint64_t{0});
  checker.reportIf(builder.CreateIsNotNull(builder.CreateAnd(x, kAlign - 1)), *block.call,
                   {kFaultBlockCoordinate, 0, block.call->getArgOperand(0), builder.CreateSExt(x, builder.getInt64Ty()),
                    builder.getInt64(kAlign)});
}

} // namespace

void checkBlocks(llvm::Function& function, Checker& checker, unsigned checks) {
  const std::vector<Block> blocks = blocksOf(function);
  if (blocks.empty() || (checks & (kCheckMemory | kCheckRace)) == 0) return;
  PointerExtents extents(function);
  for (const Block& block : blocks) {
    if (block.isOfImage) {
      if (block.isWrite && (checks & kCheckMemory)) checkCoordinate(block, checker);
      continue;
    }
    if (checks & kCheckMemory) checkAlignment(block, extents, checker);
    llvm::IRBuilder<> builder(block.call);
    if (block.isWrite)
      createBlockWrite(builder, *block.call->getArgOperand(0), *block.call->getArgOperand(1));
    else
      block.call->replaceAllUsesWith(createBlockRead(builder, *block.call->getArgOperand(0), block.call->getType()));
    block.call->eraseFromParent();
  }
}

} // namespace clotho::compiler
