// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/backend/cpu/stack_use.hpp"

#include <llvm/CodeGen/MachineFrameInfo.h>
#include <llvm/CodeGen/MachineFunction.h>
#include <llvm/CodeGen/MachineFunctionPass.h>
#include <llvm/IR/Function.h>

#include <algorithm>
#include <utility>

namespace clotho::compiler {
namespace {

/// Stack of a run-time helper with its callees: its build rejects frames of more than a quarter of this.
constexpr std::uint64_t kHelperBytes = 1024;
/// The return address, a frame pointer, and what the System V ABI lets a leaf use below its stack pointer.
constexpr std::uint64_t kBesidesFrame = 16 + 128;

/// Name of the callee; empty if it is known only at run time.
llvm::StringRef calleeOf(const llvm::MachineInstr& instruction) {
  for (const llvm::MachineOperand& operand : instruction.operands()) {
    if (operand.isSymbol()) return operand.getSymbolName();
    if (operand.isGlobal()) {
      const auto* function = llvm::dyn_cast<llvm::Function>(operand.getGlobal());
      return function != nullptr ? function->getName() : llvm::StringRef();
    }
  }
  return {};
}

class StackUsePass final : public llvm::MachineFunctionPass {
 public:
  explicit StackUsePass(StackUses& uses) : MachineFunctionPass(id), uses_(uses) {}

  llvm::StringRef getPassName() const override { return "Stack use"; }

  void getAnalysisUsage(llvm::AnalysisUsage& usage) const override {
    usage.setPreservesAll();
    MachineFunctionPass::getAnalysisUsage(usage);
  }

  bool runOnMachineFunction(llvm::MachineFunction& function) override {
    const llvm::MachineFrameInfo& frame = function.getFrameInfo();
    FunctionStack use;
    use.bytes = frame.getStackSize() + frame.getUnsafeStackSize() + frame.getMaxAlign().value() + kBesidesFrame;
    // Arguments that are pushed at a call are no part of the frame.
    if (frame.isMaxCallFrameSizeComputed()) use.bytes += frame.getMaxCallFrameSize();
    use.isBounded = !frame.hasVarSizedObjects();
    for (const llvm::MachineBasicBlock& block : function)
      for (const llvm::MachineInstr& instruction : block) {
        // Inline assembly of a program may move the stack pointer; empty assembly is only an optimisation barrier.
        if (instruction.isInlineAsm() && *instruction.getOperand(0).getSymbolName() != '\0') use.isBounded = false;
        if (!instruction.isCall()) continue;
        const llvm::StringRef callee = calleeOf(instruction);
        use.isBounded = use.isBounded && !callee.empty();
        if (!callee.empty()) use.callees.insert(callee);
      }
    uses_[function.getName()] = std::move(use);
    return false;
  }

 private:
  static char id;
  StackUses& uses_;
};

char StackUsePass::id = 0;

/// Follows calls from one function.
class CallTraversal {
 public:
  explicit CallTraversal(const StackUses& uses) : uses_(uses) {}

  /// Stack of a call of the function, in bytes; 0 if unknown.
  std::uint64_t bytesOf(llvm::StringRef name) {
    const auto use = uses_.find(name);
    if (use == uses_.end()) return kHelperBytes;
    // A function that is reached again before its callees are known is recursive; its result stays zero.
    const auto [known, isFirst] = known_.try_emplace(name, 0);
    if (!isFirst) return known->second;
    if (!use->second.isBounded) return 0;
    std::uint64_t most = 0;
    for (const auto& callee : use->second.callees) {
      const std::uint64_t bytes = bytesOf(callee.getKey());
      if (bytes == 0) return 0;
      most = std::max(most, bytes);
    }
    return known_[name] = use->second.bytes + most;
  }

 private:
  const StackUses& uses_;
  llvm::StringMap<std::uint64_t> known_;
};

} // namespace

llvm::MachineFunctionPass* createStackUsePass(StackUses& uses) { return new StackUsePass(uses); }

std::uint64_t stackBytesOf(llvm::StringRef function, const StackUses& uses) {
  return uses.contains(function) ? CallTraversal(uses).bytesOf(function) : 0;
}

} // namespace clotho::compiler
