// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/ir/group_facts.hpp"

#include "compiler/ir/kernels.hpp"

#include "abi/cpu_kernel.h"

#include <llvm/IR/MDBuilder.h>

namespace clotho::compiler {

using llvm::IRBuilder;
using llvm::Value;

Value* fieldAddress(IRBuilder<>& builder, Value* base, std::uint64_t offset) {
  return builder.CreateConstInBoundsGEP1_64(builder.getInt8Ty(), base, offset);
}

llvm::LoadInst* loadConstant(IRBuilder<>& builder, llvm::Type* type, Value* base, std::uint64_t offset,
                             llvm::Align align) {
  llvm::LoadInst* load = builder.CreateAlignedLoad(type, fieldAddress(builder, base, offset), align);
  load->setMetadata(llvm::LLVMContext::MD_invariant_load, llvm::MDNode::get(builder.getContext(), {}));
  return load;
}

Value* GroupFacts::get(Intrinsic intrinsic, unsigned dimension) {
  const std::pair key{static_cast<unsigned>(intrinsic), dimension};
  if (Value* known = values_.lookup(key)) return known;
  Value* made = make(intrinsic, dimension); // This may add to values_.
  return values_[key] = made;
}

Value* GroupFacts::field(std::size_t offset, unsigned dimension) {
  return loadConstant(builder_, builder_.getInt64Ty(), function_.getArg(kLaunch), offset + 8 * dimension);
}

Value* GroupFacts::address(std::size_t offset) {
  return loadConstant(builder_, builder_.getInt64Ty(), function_.getArg(kContext), offset);
}

/// Returns a constant if no work-group can differ from the required local size.
Value* GroupFacts::size(std::size_t offset, unsigned dimension) {
  if (linearOf_) return builder_.getInt64((*linearOf_)[dimension]);
  if (required_ != nullptr)
    return builder_.getInt64(
        llvm::mdconst::extract<llvm::ConstantInt>(required_->getOperand(dimension))->getZExtValue());
  auto* load = llvm::cast<llvm::LoadInst>(field(offset, dimension));
  const auto limit = [](std::uint64_t value) { return llvm::APInt(64, value); };
  load->setMetadata(llvm::LLVMContext::MD_range,
                    llvm::MDBuilder(builder_.getContext()).createRange(limit(1), limit(std::uint64_t(1) << 31)));
  return load;
}

Value* GroupFacts::make(Intrinsic intrinsic, unsigned dimension) {
  switch (intrinsic) {
  case Intrinsic::GroupId: return function_.getArg(kGroupX + dimension);
  case Intrinsic::GroupBase: {
    Value* start = builder_.CreateMul(get(Intrinsic::GroupId, dimension), get(Intrinsic::EnqueuedSize, dimension), "",
                                      /*HasNUW=*/true);
    return builder_.CreateAdd(start, get(Intrinsic::GlobalOffset, dimension), "group_base", /*HasNUW=*/true);
  }
  case Intrinsic::LocalSize:
    if (isOneRow_ && dimension != 0) return builder_.getInt64(1);
    return size(offsetof(cpu::LaunchParams, localSize), dimension);
  case Intrinsic::EnqueuedSize:
    if (isUniform_) return get(Intrinsic::LocalSize, dimension);
    return size(offsetof(cpu::LaunchParams, enqueuedLocalSize), dimension);
  case Intrinsic::NumGroups: return field(offsetof(cpu::LaunchParams, numGroups), dimension);
  case Intrinsic::GlobalSize: return field(offsetof(cpu::LaunchParams, globalSize), dimension);
  case Intrinsic::GlobalOffset: return field(offsetof(cpu::LaunchParams, globalOffset), dimension);
  case Intrinsic::RowEnd:
    // If a local size is required, the row ends there, unless rows of several work-groups are merged. Otherwise the
    // caller passes the end.
    return required_ != nullptr && !isMergeable_ ? get(Intrinsic::LocalSize, 0) : function_.getArg(kRowEnd);
  case Intrinsic::WorkDim:
    return loadConstant(builder_, builder_.getInt32Ty(), function_.getArg(kLaunch),
                        offsetof(cpu::LaunchParams, workDim), llvm::Align(4));
  case Intrinsic::PrintfBuffer:
    return loadConstant(builder_, builder_.getPtrTy(), function_.getArg(kLaunch), offsetof(cpu::LaunchParams, printf));
  case Intrinsic::Checks:
    return loadConstant(builder_, builder_.getPtrTy(), function_.getArg(kLaunch), offsetof(cpu::LaunchParams, checks));
  case Intrinsic::GroupChecks: return address(offsetof(cpu::WorkerContext, checks));
  case Intrinsic::LocalBegin: return address(offsetof(cpu::WorkerContext, localMemory));
  case Intrinsic::LocalEnd: return address(offsetof(cpu::WorkerContext, localEnd));
  case Intrinsic::FrameBegin: return address(offsetof(cpu::WorkerContext, frame));
  case Intrinsic::FrameEnd: return address(offsetof(cpu::WorkerContext, frameEnd));
  case Intrinsic::StackBegin: return address(offsetof(cpu::WorkerContext, stackBegin));
  case Intrinsic::StackEnd: return address(offsetof(cpu::WorkerContext, stackEnd));
  case Intrinsic::Enqueuing: return address(offsetof(cpu::WorkerContext, enqueuing));
  case Intrinsic::LocalId:
  case Intrinsic::GlobalId:
  case Intrinsic::FirstLane:
  case Intrinsic::LaneId:
  case Intrinsic::LaneCount:
  case Intrinsic::SubGroupLane:
  case Intrinsic::SubGroupWidth:
  case Intrinsic::SubGroupBase:
  case Intrinsic::Barrier:
  case Intrinsic::Yield: break;
  }
  llvm_unreachable("not a fact of the work-group");
}

} // namespace clotho::compiler
