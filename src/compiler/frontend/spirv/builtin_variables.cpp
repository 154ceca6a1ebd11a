// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Built-in variables, which are functions in OpenCL C.
#include "compiler/frontend/spirv/reader.hpp"

#include <llvm/IR/Constants.h>

namespace clotho::compiler::spirv {
namespace {

struct Source {
  spv::BuiltIn builtin;
  const char* function;
  bool hasDimensions; ///< the function takes the number of one
  unsigned returnedBits;
};

constexpr Source kSources[] = {
    {spv::BuiltInNumWorkgroups, "get_num_groups", true, 64},
    {spv::BuiltInWorkgroupSize, "get_local_size", true, 64},
    {spv::BuiltInWorkgroupId, "get_group_id", true, 64},
    {spv::BuiltInLocalInvocationId, "get_local_id", true, 64},
    {spv::BuiltInGlobalInvocationId, "get_global_id", true, 64},
    {spv::BuiltInGlobalSize, "get_global_size", true, 64},
    {spv::BuiltInEnqueuedWorkgroupSize, "get_enqueued_local_size", true, 64},
    {spv::BuiltInGlobalOffset, "get_global_offset", true, 64},
    {spv::BuiltInLocalInvocationIndex, "get_local_linear_id", false, 64},
    {spv::BuiltInGlobalLinearId, "get_global_linear_id", false, 64},
    {spv::BuiltInWorkDim, "get_work_dim", false, 32},
    {spv::BuiltInSubgroupSize, "get_sub_group_size", false, 32},
    {spv::BuiltInSubgroupMaxSize, "get_max_sub_group_size", false, 32},
    {spv::BuiltInNumSubgroups, "get_num_sub_groups", false, 32},
    {spv::BuiltInNumEnqueuedSubgroups, "get_enqueued_num_sub_groups", false, 32},
    {spv::BuiltInSubgroupId, "get_sub_group_id", false, 32},
    {spv::BuiltInSubgroupLocalInvocationId, "get_sub_group_local_id", false, 32},
};

/// Functions that return masks of a sub-group's work-items: vectors of four integers.
const char* maskFunction(spv::BuiltIn builtin) {
  switch (builtin) {
  case spv::BuiltInSubgroupEqMask: return "get_sub_group_eq_mask";
  case spv::BuiltInSubgroupGeMask: return "get_sub_group_ge_mask";
  case spv::BuiltInSubgroupGtMask: return "get_sub_group_gt_mask";
  case spv::BuiltInSubgroupLeMask: return "get_sub_group_le_mask";
  case spv::BuiltInSubgroupLtMask: return "get_sub_group_lt_mask";
  default: return nullptr;
  }
}

} // namespace

std::optional<spv::BuiltIn> Reader::builtinVariable(Id id) const {
  const auto found = builtinVariables_.find(id);
  if (found == builtinVariables_.end()) return std::nullopt;
  return found->second;
}

llvm::Value* Reader::builtinBeyond(Id vector, std::uint32_t dimension) {
  const auto known = builtinValues_.find(vector);
  if (known == builtinValues_.end()) return nullptr;
  for (const Source& source : kSources)
    if (source.builtin == known->second && source.hasDimensions)
      return builder.CreateZExtOrTrunc(
          call(source.function, builder.getIntNTy(source.returnedBits), {intArgument(dimension, false)}, Effects::None),
          values_.lookup(vector)->getType()->getScalarType());
  return nullptr;
}

llvm::Value* Reader::builtinValue(spv::BuiltIn builtin, llvm::Type* type) {
  if (const char* function = maskFunction(builtin)) {
    auto* mask = llvm::FixedVectorType::get(builder.getInt32Ty(), 4);
    if (type != mask) fail("a mask of a sub-group is of another type than four integers");
    return call(function, mask, {}, Effects::Convergent);
  }
  for (const Source& source : kSources) {
    if (source.builtin != builtin) continue;
    llvm::Type* element = type->getScalarType();
    auto* vector = llvm::dyn_cast<llvm::FixedVectorType>(type);
    if (!element->isIntegerTy() || (vector != nullptr) != source.hasDimensions) {
      fail("a variable of the device is not of the type that it has");
      return llvm::PoisonValue::get(type);
    }
    llvm::Type* returned = builder.getIntNTy(source.returnedBits);
    if (vector == nullptr)
      return builder.CreateZExtOrTrunc(call(source.function, returned, {}, Effects::None), element);
    llvm::Value* all = llvm::PoisonValue::get(type);
    for (unsigned dimension = 0; dimension < vector->getNumElements(); ++dimension) {
      llvm::Value* one = call(source.function, returned, {intArgument(dimension, false)}, Effects::None);
      all = builder.CreateInsertElement(all, builder.CreateZExtOrTrunc(one, element), dimension);
    }
    return all;
  }
  fail("a variable of the device that OpenCL has not");
  return llvm::PoisonValue::get(type);
}

} // namespace clotho::compiler::spirv
