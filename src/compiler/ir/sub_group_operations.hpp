// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <llvm/IR/IRBuilder.h>

#include <optional>

namespace llvm {
class Constant;
}

namespace clotho::compiler {

/// What OpenCL's sub-group functions come down to: calls of `clotho.sub_group.*`, in which the live lanes take part.
/// They are convergent; all but the barrier touch no memory. The vectoriser replaces them.
enum class SubGroupOperation {
  Reduce,        ///< T (T, i32 cluster): among so many neighbours, 0: among all; then the result is one for all lanes
  InclusiveScan, ///< T (T)
  ExclusiveScan, ///< T (T)
  Shuffle,       ///< T (T, i32 lane): each lane takes the value of one that it chooses
  Broadcast,     ///< T (T, i32 lane): all take the value of one
  First,         ///< T (T): all take the value of the first live lane
  Ballot,        ///< i64 (i1): for which live lanes it is true
  Leaves,        ///< i1 (i1): true, which the vectoriser alone knows (keep_in_loops.hpp)
  Barrier,       ///< void (i1): true: what is ordered is seen beyond the work-group, too
  // Lanes do by these together what each could do alone: programs cannot tell from them how work-items are divided.
  LiveCount, ///< i32 (i1): how many lanes take part
  LiveRank,  ///< i32 (i1): how many of them come before this one
};

/// By what a reduction or scan combines values.
enum class Combination { None, Add, FAdd, Mul, FMul, SMin, SMax, UMin, UMax, FMin, FMax, And, Or, Xor };

struct SubGroupCall {
  SubGroupOperation operation;
  Combination combination = Combination::None;
};

/// Nothing when the value is not a call of such an operation.
std::optional<SubGroupCall> matchSubGroupCall(const llvm::Value* value);

/// Nothing when the function is not such an operation.
std::optional<SubGroupCall> matchSubGroupFunction(const llvm::Function& function);

/// Whether a function of that name is one of them.
bool isSubGroupOperationName(llvm::StringRef name);

llvm::CallInst* createSubGroupCall(llvm::IRBuilderBase& builder, SubGroupCall call,
                                   llvm::ArrayRef<llvm::Value*> arguments);

/// Whether work-items can tell by it how they are divided into sub-groups.
bool tellsSubGroups(SubGroupOperation operation);

/// Whether the answer is one for all lanes that take part.
bool isUniformOperation(const llvm::CallInst& call, SubGroupOperation operation);

/// What combined with x is x. `type`: a scalar.
llvm::Constant* neutralElement(Combination combination, llvm::Type* type);

/// Combines two values, or two vectors element by element.
llvm::Value* combine(llvm::IRBuilderBase& builder, Combination combination, llvm::Value* a, llvm::Value* b);

/// As a report names it, like "reduce add".
std::string describe(const SubGroupCall& call);

/// Metadata of a kernel: how many sub-groups each work-group has to have.
inline constexpr const char* kRequiredSubGroups = "clotho.required_sub_groups";
/// The metadata of kernels that require sub-groups of the size that most kernels have (PrimarySubgroupSizeINTEL of
/// SPIR-V). The node is empty.
inline constexpr const char* kPrimarySubGroups = "clotho.primary_sub_groups";

/// The size of sub-groups that a kernel requires (intel_reqd_sub_group_size); 0 when it does not.
unsigned requiredSubGroupSize(const llvm::Function& kernel);

/// What KernelFacts say.
bool usesSubGroups(const llvm::Function& kernel);

} // namespace clotho::compiler
