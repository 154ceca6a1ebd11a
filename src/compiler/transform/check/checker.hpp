// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "abi/checks.h"

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/ValueHandle.h>

#include <vector>

namespace clotho::compiler {

/// Facts of a report besides its place.
struct CheckDetails {
  CheckKind kind;
  std::uint64_t bytes = 0;                ///< of the access
  const llvm::Value* object = nullptr;    ///< the argument or variable that is accessed; null: not known
  llvm::Value *a = nullptr, *b = nullptr; ///< i64 (CheckKind); null: 0
  llvm::StringRef name = {};              ///< of the variable; empty: that of the object
};

/// The name of a private variable in the source.
llvm::StringRef nameOfVariable(const llvm::AllocaInst& variable);

/// The address of a pointer, for a check alone.
llvm::Value* addressForCheck(llvm::IRBuilder<>& builder, llvm::Value& pointer);
/// Whether addressForCheck has made the instruction.
bool isAddressForCheck(const llvm::Instruction& instruction);

/// Emits checks: a branch that is seldom taken, to a call that reports the fault.
///
///   br i1 %bad, label %failed, label %passed
///
/// VoteOnChecksPass later makes one branch of all lanes' conditions, so failing lanes cost nothing until there are any.
class Checker {
 public:
  explicit Checker(llvm::Module& module) : module_(module) {}

  /// Reports before `at`, if the condition holds. `at` begins a block then. Returns whether there is a check: false for
  /// a condition that never holds.
  bool reportIf(llvm::Value* bad, llvm::Instruction& at, const CheckDetails& details);
  /// Overload for a place that is made already.
  void reportIf(llvm::Value* bad, llvm::Instruction& at, llvm::Constant& site, llvm::Value* a, llvm::Value* b);
  /// Reports like reportIf, and leaves the access out for work-items for which the condition holds; its result is zero
  /// then. `byBranch`: lanes for which it holds diverge, instead of all taking another way if there is one.
  void guard(llvm::Value* bad, llvm::Instruction& access, const CheckDetails& details, bool byBranch = false);

  /// A constant of type CheckSite for a place.
  llvm::Constant* site(const llvm::Instruction& at, const CheckDetails& details);
  /// Adds the call that reports, at the builder's place. `bad`: i1.
  void emitReport(llvm::IRBuilder<>& builder, llvm::Value* bad, llvm::Constant* site, llvm::Value* a, llvm::Value* b);
  unsigned sites() const { return sites_; }
  llvm::Function* reportFunction();

 private:
  llvm::Function* accessFunction(const llvm::Instruction& access);
  llvm::SmallVector<llvm::Value*, 12> reportArguments(llvm::IRBuilder<>& builder, llvm::Value* bad,
                                                      llvm::Constant* site, llvm::Value* a, llvm::Value* b);

  llvm::StringRef lineOf(const llvm::DIFile& file, unsigned number);
  llvm::ArrayRef<llvm::WeakTrackingVH> contextOf(llvm::Function& function);

  llvm::Module& module_;
  unsigned sites_ = 0;
  llvm::DenseMap<const llvm::DIFile*, std::vector<llvm::StringRef>> lines_; ///< of files with source
  /// The launch and the global ids, at the beginning of each function.
  llvm::DenseMap<const llvm::Function*, llvm::SmallVector<llvm::WeakTrackingVH, 4>> contexts_;
  /// An access, and the function that makes such accesses.
  llvm::SmallVector<std::pair<const llvm::Instruction*, llvm::Function*>, 8> accesses_;
};

} // namespace clotho::compiler
