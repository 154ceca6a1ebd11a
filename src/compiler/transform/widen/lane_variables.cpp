// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/transform/widen/lane_variables.hpp"

#include <llvm/BinaryFormat/Dwarf.h>
#include <llvm/IR/DebugInfo.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/DebugProgramInstruction.h>

namespace clotho::compiler {
namespace {

/// An array with an element for each lane.
llvm::DIType* typeOfLanes(llvm::DIType& type, unsigned lanes, std::uint64_t stride) {
  constexpr unsigned kByte = 8;
  llvm::LLVMContext& context = type.getContext();
  const auto number = [&](std::uint64_t value) -> llvm::Metadata* {
    return llvm::ConstantAsMetadata::get(llvm::ConstantInt::get(llvm::Type::getInt64Ty(context), value));
  };
  llvm::Metadata* distance = stride * kByte == type.getSizeInBits() ? nullptr : number(stride);
  llvm::Metadata* range = llvm::DISubrange::get(context, number(lanes), /*LowerBound=*/nullptr, nullptr, distance);
  return llvm::DICompositeType::get(context, llvm::dwarf::DW_TAG_array_type, /*Name=*/"", /*File=*/nullptr, /*Line=*/0,
                                    /*Scope=*/nullptr, &type, lanes * stride * kByte, /*AlignInBits=*/0,
                                    /*OffsetInBits=*/0, llvm::DINode::FlagZero, llvm::MDTuple::get(context, {range}),
                                    /*RuntimeLang=*/0, std::nullopt, /*VTableHolder=*/nullptr);
}

} // namespace

void declareLanes(const llvm::AllocaInst& memory, llvm::AllocaInst& made, unsigned lanes, std::uint64_t stride) {
  for (llvm::DbgVariableRecord* record : llvm::findDVRDeclares(const_cast<llvm::AllocaInst*>(&memory))) {
    const llvm::DILocalVariable* variable = record->getVariable();
    if (record->getExpression()->getNumElements() != 0 || variable->getType() == nullptr) continue;
    // A parameter of this name and number is known already, of another type: so these are no parameters, and the
    // variables that are shown without a location are not.
    variable->getScope()->getSubprogram()->replaceRetainedNodes({});
    auto* ofLanes = llvm::DILocalVariable::get(variable->getContext(), variable->getScope(), variable->getName(),
                                               variable->getFile(), variable->getLine(),
                                               typeOfLanes(*variable->getType(), lanes, stride), /*Arg=*/0,
                                               variable->getFlags(), /*AlignInBits=*/0, variable->getAnnotations());
    made.getParent()->insertDbgRecordAfter(
        llvm::DbgVariableRecord::createDVRDeclare(&made, ofLanes, record->getExpression(), record->getDebugLoc().get()),
        &made);
  }
}

} // namespace clotho::compiler
