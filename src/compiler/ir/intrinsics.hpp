// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <llvm/IR/IRBuilder.h>

#include <optional>

/// Intrinsics of this compiler between the lowering of builtins and the creation of work-group functions: calls of
/// `clotho.*` functions, each a property of the running work-item or work-group.
namespace clotho::compiler {

enum class Intrinsic {
  LocalId,       ///< i64 (i32 dimension); only it and GlobalId differ between work-items of a group
  GlobalId,      ///< i64 (i32 dimension); only until ExpandGlobalIdsPass
  GroupId,       ///< i64 (i32 dimension)
  GroupBase,     ///< i64 (i32 dimension): global id of the group's first work-item
  LocalSize,     ///< i64 (i32 dimension)
  EnqueuedSize,  ///< i64 (i32 dimension): local size of all groups but those at the ends of a non-uniform launch
  NumGroups,     ///< i64 (i32 dimension)
  GlobalSize,    ///< i64 (i32 dimension)
  GlobalOffset,  ///< i64 (i32 dimension)
  RowEnd,        ///< i64 (): the first local id along dimension 0 that does not run in this call
  FirstLane,     ///< i64 (): get_local_id(0) of the first work-item that runs in this call
  LaneId,        ///< i64 (): from 0 on within a sub-group
  LaneCount,     ///< i64 (): W
  SubGroupLane,  ///< i64 (): get_sub_group_local_id; LaneId in kernels that ask for it
  SubGroupWidth, ///< i64 (): get_max_sub_group_size
  SubGroupBase,  ///< i64 (): get_local_linear_id of the sub-group's first work-item
  WorkDim,       ///< i32 ()
  PrintfBuffer,  ///< ptr (): null when the launch has none
  LocalBegin,    ///< i64 (): address of the group's local memory
  LocalEnd,      ///< i64 ()
  FrameBegin,    ///< i64 (): address of the context arrays: private memory that lives across barriers
  FrameEnd,      ///< i64 ()
  StackBegin,    ///< i64 (): lowest address of the stack, which has other private memory
  StackEnd,      ///< i64 ()
  Enqueuing,     ///< i64 (): address of the running thread's state of device queues (abi/device_queue.h)
  Checks,        ///< ptr (): the launch's part of a checked kernel's state (abi/checks.h)
  GroupChecks,   ///< i64 (): address of the running thread's part
  Barrier,       ///< void ()
  Yield,         ///< void (): lets other work-items run, for which this one may be waiting
};

struct IntrinsicCall {
  Intrinsic intrinsic;
  unsigned dimension;
};

/// Nothing if the value is not a call of an intrinsic.
std::optional<IntrinsicCall> matchIntrinsic(const llvm::Value* value);

/// Matches an intrinsic or its low bits; nothing for other values.
std::optional<IntrinsicCall> matchLowerBits(const llvm::Value* value);

/// Whether the intrinsic is an id or a size.
bool isIdOrSize(Intrinsic intrinsic);

/// Whether the value is a call of this intrinsic.
bool isIntrinsic(const llvm::Value* value, Intrinsic intrinsic, unsigned dimension = 0);

bool callsIntrinsic(const llvm::Function& function, Intrinsic intrinsic);
/// Whether work-items wait for others: the function has a barrier, or a loop that yields.
bool waitsForOthers(const llvm::Function& function);

llvm::CallInst* createIntrinsic(llvm::IRBuilderBase& builder, Intrinsic intrinsic, unsigned dimension = 0);

/// x + size(0) * (y + size(1) * z)
llvm::Value* createLinearLocalId(llvm::IRBuilderBase& builder);

/// Whether the name is that of an intrinsic.
bool isIntrinsicName(llvm::StringRef name);

} // namespace clotho::compiler
