// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/transform/check/check_races.hpp"

#include "compiler/ir/checks.hpp"
#include "compiler/ir/group_facts.hpp"
#include "compiler/ir/intrinsics.hpp"

#include <llvm/IR/Dominators.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Module.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>
#include <llvm/Transforms/Utils/PromoteMemToReg.h>

namespace clotho::compiler {
namespace {

using llvm::IRBuilder;
using llvm::Value;

constexpr unsigned kGlobalSpace = 1, kLocalSpace = 3, kGenericSpace = 4;
constexpr std::uint64_t kMostCells = 64; ///< of an access; larger ones are left out

/// The writes that a call lets the work-item see: those that its group has released, and those that other groups have.
struct Acquire {
  bool group = false, others = false;
};

std::optional<std::uint64_t> numberIn(const llvm::CallInst& call, unsigned operand) {
  if (operand >= call.arg_size()) return std::nullopt;
  const auto* number = llvm::dyn_cast<llvm::ConstantInt>(call.getArgOperand(operand));
  return number != nullptr ? std::optional(number->getZExtValue()) : std::nullopt;
}

Acquire acquireOf(std::optional<std::uint64_t> order, std::optional<std::uint64_t> scope) {
  constexpr std::uint64_t kRelaxed = 0, kRelease = 3, kWorkGroup = 1, kSubGroup = 4;
  if (order == kRelaxed || order == kRelease) return {};
  return {true, !scope || (*scope > kWorkGroup && *scope != kSubGroup)};
}

/// Old atomics are relaxed. Fences of OpenCL C 1.x order whatever programs of the time took them to order.
Acquire acquireOf(const llvm::CallInst& call) {
  if (call.getCalledFunction() == nullptr) return {};
  // Some sub-groups of the group meet there.
  if (call.getCalledFunction()->getName().starts_with("__named_barrier_")) return {true, false};
  const llvm::StringRef name = builtinName(call.getCalledFunction()->getName());
  if (name == "mem_fence" || name == "read_mem_fence") return {true, true};
  if (name == "atomic_work_item_fence") return acquireOf(numberIn(call, 1), numberIn(call, 2));
  if (name.starts_with("sub_group_")) return {true, false};
  const bool isNew = name.starts_with("atomic_fetch_") || name.starts_with("atomic_load") ||
                     name.starts_with("atomic_exchange") || name.starts_with("atomic_compare_exchange") ||
                     name.starts_with("atomic_flag_test_and_set");
  if (!isNew) return {};
  Acquire acquire{true, true};
  if (name.ends_with("_explicit")) {
    unsigned operand = 2; // behind the pointer and the value
    if (name.starts_with("atomic_load") || name.starts_with("atomic_flag")) operand = 1;
    if (name.starts_with("atomic_compare_exchange")) operand = 3;
    const unsigned scope = name.starts_with("atomic_compare_exchange") ? operand + 2 : operand + 1;
    acquire = acquireOf(numberIn(call, operand), numberIn(call, scope));
  }
  if (call.getArgOperand(0)->getType()->getPointerAddressSpace() == kLocalSpace) acquire.others = false;
  return acquire;
}

/// Atomic instructions, as those of `_Atomic` variables.
Acquire acquireOf(const llvm::Instruction& instruction) {
  llvm::AtomicOrdering order = llvm::AtomicOrdering::NotAtomic;
  if (const auto* call = llvm::dyn_cast<llvm::CallInst>(&instruction)) return acquireOf(*call);
  if (const auto* load = llvm::dyn_cast<llvm::LoadInst>(&instruction)) order = load->getOrdering();
  if (const auto* change = llvm::dyn_cast<llvm::AtomicRMWInst>(&instruction)) order = change->getOrdering();
  if (const auto* exchange = llvm::dyn_cast<llvm::AtomicCmpXchgInst>(&instruction))
    order = exchange->getMergedOrdering();
  if (const auto* fence = llvm::dyn_cast<llvm::FenceInst>(&instruction)) order = fence->getOrdering();
  const bool acquires = llvm::isAcquireOrStronger(order);
  return {acquires, acquires};
}

/// Volatile accesses count as relaxed atomics: programs of OpenCL C 1.x, which has no atomic loads, read so what others
/// update atomically.
llvm::StringRef kindOf(const CheckedAccess& access) {
  const bool isVolatile = access.isPlain() && access.at->isVolatile();
  if (!access.isAtomic && !isVolatile) return access.writes ? "write" : "read";
  return access.writes ? "atomic" : "atomic_load";
}

} // namespace

RaceChecks::RaceChecks(llvm::Function& kernel, Checker& checker, const GroupPhases& phases,
                       llvm::ArrayRef<CheckedAccess> accesses)
    : kernel_(kernel), checker_(checker), phases_(phases) {
  for (const CheckedAccess& access : accesses) {
    const unsigned space = access.pointer->getType()->getPointerAddressSpace();
    if (access.bytes == 0 || access.isGroupCopy()) continue;
    // The largest power of two that divides it, or its address.
    const std::uint64_t unit = std::min<std::uint64_t>(access.bytes & (0 - access.bytes), access.align.value());
    for (const unsigned which : {0U, 1U})
      if (space == kGenericSpace || space == (which == 0 ? kGlobalSpace : kLocalSpace))
        granules_[which] = std::min(granules_[which], unit);
  }
  llvm::BasicBlock& entry = kernel.getEntryBlock();
  IRBuilder<> builder(&entry, entry.getFirstNonPHIOrDbgOrAlloca());
  item_ = createLinearLocalId(builder);
  for (llvm::AllocaInst** flag : {&acquired_, &acquiredOthers_}) {
    *flag = builder.CreateAlloca(builder.getInt1Ty(), nullptr, "acquired");
    builder.CreateStore(builder.getFalse(), *flag);
  }
  trackAcquires();
}

/// Keeps in two variables whether the work-item may have synchronised with others by atomics or fences since. A barrier
/// passes on what any work-item of the group may have acquired from other groups.
void RaceChecks::trackAcquires() {
  std::vector<std::pair<llvm::Instruction*, Acquire>> acquires;
  bool mayAcquireOthers = false;
  std::vector<llvm::CallInst*> meetings = groupCallsOf(kernel_);
  for (llvm::Instruction& instruction : llvm::instructions(kernel_))
    if (const Acquire acquire = acquireOf(instruction); acquire.group || acquire.others) {
      acquires.emplace_back(&instruction, acquire);
      mayAcquireOthers = mayAcquireOthers || acquire.others;
    }
  IRBuilder<> builder(kernel_.getContext());
  const auto set = [&](llvm::Instruction& at, llvm::AllocaInst* flag, bool value) {
    builder.SetInsertPoint(at.getParent(), std::next(at.getIterator()));
    builder.CreateStore(builder.getInt1(value), flag);
  };
  for (llvm::CallInst* call : meetings) {
    set(*call, acquired_, false);
    if (mayAcquireOthers) set(*call, acquiredOthers_, true);
  }
  for (const auto& [at, acquire] : acquires) {
    if (acquire.group) set(*at, acquired_, true);
    if (acquire.others) set(*at, acquiredOthers_, true);
  }
}

void RaceChecks::mark(const CheckedAccess& access, const std::optional<PointerExtent>& extent, Value* offset,
                      Value* isMisaligned) {
  // Copies of the group are made by no work-item of its own.
  if (!extent || access.bytes == 0 || access.isGroupCopy()) return;
  const unsigned space = extent->space;
  const bool isLocal = space == kLocalSpace;
  if (!isLocal && space != kGlobalSpace) return;
  const auto* none = llvm::dyn_cast<llvm::ConstantInt>(extent->cells);
  if (!isLocal && none != nullptr && none->isZero()) return;
  const std::uint64_t granule = granules_[isLocal ? 1 : 0];
  const std::uint64_t cells = (access.bytes + granule - 1) / granule;
  if (cells > kMostCells) return;

  IRBuilder<> builder(access.at);
  auto* pointerType = llvm::PointerType::get(kernel_.getContext(), kGlobalSpace);
  llvm::Constant* site =
      checker_.site(*access.at, {access.writes ? kFaultWriteRace : kFaultReadRace, access.bytes, extent->object});
  Value *base = nullptr, *distance = nullptr;
  llvm::Instruction* at = access.at;
  if (isLocal) {
    Value* group = builder.CreateIntToPtr(createIntrinsic(builder, Intrinsic::GroupChecks), builder.getPtrTy());
    base = loadConstant(builder, builder.getInt64Ty(), group, offsetof(CheckedGroup, cells));
    distance = builder.CreateAdd(extent->cells, offset);
  } else {
    base = extent->cells;
    distance = offset;
    // Memory that the runtime does not know has no cells.
    at = llvm::SplitBlockAndInsertIfThen(builder.CreateIsNotNull(base), access.at->getIterator(), false);
    builder.SetInsertPoint(at);
  }
  // Misaligned accesses share cells with their neighbours.
  if (isMisaligned != nullptr) {
    at = llvm::SplitBlockAndInsertIfThen(builder.CreateNot(isMisaligned), at->getIterator(), false);
    builder.SetInsertPoint(at);
  }
  // A multiplication, unlike a division, lets the vectoriser see that neighbours have neighbouring cells. Offsets are
  // multiples of the granule.
  Value* cell = builder.CreateGEP(builder.getInt8Ty(), builder.CreateIntToPtr(base, pointerType),
                                  builder.CreateMul(distance, builder.getInt64(kCellBytes / granule)));
  Value* counted = phases_.isCounted(builder);
  const auto isOff = [&](llvm::AllocaInst* acquired) {
    return builder.CreateOr(builder.CreateLoad(builder.getInt1Ty(), acquired), builder.CreateNot(counted));
  };
  const std::string name =
      (kTouchPrefix + kindOf(access) + (isLocal ? ".local." : ".global.") + llvm::Twine(cells)).str();
  llvm::SmallVector<Value*, 9> arguments = {cell,
                                            builder.CreateShl(phases_.current(builder), kCellPhaseShift),
                                            builder.CreateShl(item_, kCellFlagBits),
                                            builder.CreateShl(phases_.first(), kCellPhaseShift),
                                            builder.getInt64(phases_.count() << kCellPhaseShift),
                                            isOff(acquired_),
                                            isOff(acquiredOthers_),
                                            site,
                                            distance};
  llvm::SmallVector<llvm::Type*, 9> types;
  for (Value* argument : arguments)
    types.push_back(argument->getType());
  auto* function = llvm::cast<llvm::Function>(
      kernel_.getParent()
          ->getOrInsertFunction(name, llvm::FunctionType::get(builder.getVoidTy(), types, false))
          .getCallee());
  function->setMemoryEffects(llvm::MemoryEffects::inaccessibleMemOnly());
  function->setDoesNotThrow();
  function->setWillReturn();
  builder.CreateCall(function, arguments);
}

void RaceChecks::promote() {
  llvm::DominatorTree dominators(kernel_);
  llvm::PromoteMemToReg({acquired_, acquiredOthers_}, dominators);
}

} // namespace clotho::compiler
