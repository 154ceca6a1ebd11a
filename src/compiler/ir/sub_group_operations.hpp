// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <llvm/IR/IRBuilder.h>

#include <optional>

namespace llvm {
class Constant;
}

namespace clotho::compiler {

/// Sub-group functions in the IR: calls of `clotho.sub_group.*`, in which the active lanes take part. They are
/// convergent, and all but the barrier access no memory. The vectoriser replaces them.
enum class SubGroupOperation {
  Reduce,        ///< T (T, i32 cluster): within clusters of so many lanes; 0: over all lanes, with a uniform result
  InclusiveScan, ///< T (T)
  ExclusiveScan, ///< T (T)
  Shuffle,       ///< T (T, i32 lane): each lane takes the value of the lane that it names
  Broadcast,     ///< T (T, i32 lane): all lanes take the value of one
  First,         ///< T (T): all lanes take the value of the first live one
  Ballot,        ///< i64 (i1): a bit for each live lane whose operand is true
  Leaves,        ///< i1 (i1): true, but opaque to passes before the vectoriser (keep_in_loops.hpp)
  Barrier,       ///< void (i1): if true, it also orders memory accesses for other work-groups
  // Results of these do not depend on how work-items are divided into sub-groups: each lane could compute its part
  // alone.
  LiveCount, ///< i32 (i1): number of live lanes
  LiveRank,  ///< i32 (i1): number of live lanes before this one
  Agree,     ///< i1 (i1): true in all live lanes; chooses one of two ways to the same result
};

/// The operation by which a reduction or scan combines values.
enum class Combination { None, Add, FAdd, Mul, FMul, SMin, SMax, UMin, UMax, FMin, FMax, And, Or, Xor };

struct SubGroupCall {
  SubGroupOperation operation;
  Combination combination = Combination::None;
};

/// Nothing if the value is not a call of a sub-group operation.
std::optional<SubGroupCall> matchSubGroupCall(const llvm::Value* value);

/// Nothing if the function is not a sub-group operation.
std::optional<SubGroupCall> matchSubGroupFunction(const llvm::Function& function);

/// Whether the name is that of a sub-group operation.
bool isSubGroupOperationName(llvm::StringRef name);

llvm::CallInst* createSubGroupCall(llvm::IRBuilderBase& builder, SubGroupCall call,
                                   llvm::ArrayRef<llvm::Value*> arguments);

/// Emits the order of memory that a barrier gives.
void createFence(llvm::IRBuilderBase& builder, const llvm::CallInst& barrier);

/// Whether results of the operation depend on how work-items are divided into sub-groups.
bool tellsSubGroups(SubGroupOperation operation);

/// Whether the result is uniform among the lanes that take part.
bool isUniformOperation(const llvm::CallInst& call, SubGroupOperation operation);

/// The identity of the operation: combined with x, it gives x. `type`: a scalar.
llvm::Constant* neutralElement(Combination combination, llvm::Type* type);

/// Combines two values, or two vectors element by element.
llvm::Value* combine(llvm::IRBuilderBase& builder, Combination combination, llvm::Value* a, llvm::Value* b);

/// Text for reports, such as "reduce add".
std::string describe(const SubGroupCall& call);

/// Attribute of functions whose blocks KeepInLoopsPass has kept in their loops, and which may be in another order
/// since.
inline constexpr const char* kKeptInLoops = "clotho-kept-in-loops";

/// Metadata of a kernel: the number of sub-groups that each work-group must have.
inline constexpr const char* kRequiredSubGroups = "clotho.required_sub_groups";
/// Metadata of kernels that require sub-groups of the most usual size (PrimarySubgroupSizeINTEL of SPIR-V). The node is
/// empty.
inline constexpr const char* kPrimarySubGroups = "clotho.primary_sub_groups";

/// The size of sub-groups that a kernel requires (intel_reqd_sub_group_size); 0 if it requires none.
unsigned requiredSubGroupSize(const llvm::Function& kernel);

/// Reads KernelFacts::usesSubGroups.
bool usesSubGroups(const llvm::Function& kernel);

} // namespace clotho::compiler
