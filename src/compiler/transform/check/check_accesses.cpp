// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/transform/check/check_accesses.hpp"

#include "compiler/build_options.hpp"
#include "compiler/ir/group_facts.hpp"
#include "compiler/ir/intrinsics.hpp"
#include "compiler/ir/kernels.hpp"
#include "compiler/ir/sub_group_operations.hpp"
#include "compiler/transform/check/check_races.hpp"
#include "compiler/transform/check/check_variables.hpp"
#include "compiler/transform/check/checked_accesses.hpp"
#include "compiler/transform/check/initialised_arrays.hpp"
#include "compiler/transform/check/kept_functions.hpp"
#include "compiler/transform/check/known_pointers.hpp"
#include "compiler/transform/check/pointer_extents.hpp"

#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/Operator.h>
#include <llvm/Transforms/Utils/Local.h>
#include <llvm/Transforms/Utils/PromoteMemToReg.h>

namespace clotho::compiler {
namespace {

using llvm::IRBuilder;
using llvm::Value;

constexpr unsigned kPrivateSpace = 0, kGlobalSpace = 1, kLocalSpace = 3;

/// An access with what its checks need: all is computed before the first check divides a block.
struct Plan {
  CheckedAccess access;
  std::optional<PointerExtent> extent;
  Value* offset = nullptr; ///< in the object, or the address if there is no extent
  Value* isOutside = nullptr;
  Value* address = nullptr; ///< set if it may be misaligned
  Value* isMisaligned = nullptr;
};

/// Creates i1 clotho.has_memory(ptr launch, i64 group, i64 address, i64 bytes), which calls CheckedLaunch::hasMemory.
llvm::Function* hasMemoryFunction(llvm::Module& module) {
  constexpr llvm::StringLiteral kName = "clotho.has_memory";
  if (llvm::Function* existing = module.getFunction(kName)) return existing;
  llvm::LLVMContext& context = module.getContext();
  auto* pointer = llvm::PointerType::get(context, 0);
  auto* number = llvm::Type::getInt64Ty(context);
  auto* function = llvm::Function::Create(
      llvm::FunctionType::get(llvm::Type::getInt1Ty(context), {pointer, number, number, number}, false),
      llvm::GlobalValue::InternalLinkage, kName, module);
  function->addFnAttr(llvm::Attribute::NoInline);
  function->setDoesNotThrow();
  function->setWillReturn();
  IRBuilder<> builder(llvm::BasicBlock::Create(context, "entry", function));
  Value* ask =
      builder.CreateLoad(pointer, fieldAddress(builder, function->getArg(0), offsetof(CheckedLaunch, hasMemory)));
  Value* group = builder.CreateIntToPtr(function->getArg(1), pointer);
  auto* type = llvm::FunctionType::get(number, {pointer, pointer, number, number}, false);
  Value* answer = builder.CreateCall(type, ask, {function->getArg(0), group, function->getArg(2), function->getArg(3)});
  builder.CreateRet(builder.CreateIsNotNull(answer));
  return function;
}

/// The number of bytes that an access takes.
Value* bytesOf(IRBuilder<>& builder, const CheckedAccess& access) {
  if (access.length == nullptr) return builder.getInt64(access.bytes);
  return builder.CreateMul(builder.CreateZExtOrTrunc(access.length, builder.getInt64Ty()),
                           builder.getInt64(access.unit));
}

/// Whether the access passes the end of its memory. An offset before the beginning is a huge one.
Value* isOutside(IRBuilder<>& builder, const CheckedAccess& access, const PointerExtent& extent, Value* offset) {
  const auto roomBefore = [&](Value* size, Value* taken) -> Value* {
    const auto* known = llvm::dyn_cast<llvm::ConstantInt>(size);
    const auto* knownTaken = llvm::dyn_cast<llvm::ConstantInt>(taken);
    if (known != nullptr && knownTaken != nullptr)
      return builder.getInt64(known->getZExtValue() - std::min(known->getZExtValue(), knownTaken->getZExtValue()));
    return builder.CreateBinaryIntrinsic(llvm::Intrinsic::usub_sat, size, taken);
  };
  if (access.length == nullptr)
    return builder.CreateICmpUGE(offset, roomBefore(extent.size, builder.getInt64(access.bytes - 1)));
  return builder.CreateICmpUGT(bytesOf(builder, access), roomBefore(extent.size, offset));
}

class AccessChecks {
 public:
  AccessChecks(llvm::Function& function, Checker& checker, unsigned checks)
      : function_(function), checker_(checker), checks_(checks), extents_(function) {}

  CheckFacts run(const GroupPhases* phases, llvm::ArrayRef<CheckedAccess> accesses) {
    std::vector<Plan> plans;
    for (const CheckedAccess& access : accesses) {
      const auto* variable = llvm::dyn_cast<llvm::AllocaInst>(access.pointer);
      if (variable == nullptr || !llvm::isAllocaPromotable(variable)) plans.push_back(planOf(access));
    }
    passExtents();
    if (checks_ & kCheckMemory) findArrays(plans);
    if ((checks_ & kCheckMemory) && phases != nullptr) findLocals(plans, *phases);
    if ((checks_ & kCheckRace) && phases != nullptr) races_.emplace(function_, checker_, *phases, accesses);
    if ((checks_ & kCheckMemory) && isKernel(function_)) checkArguments();
    for (const Plan& plan : plans)
      apply(plan);
    if (!races_) return {};
    races_->promote();
    return {0, static_cast<std::uint32_t>(races_->granule()), written_};
  }

 private:
  /// Passes to functions that are kept what they are to know of the pointers.
  void passExtents() {
    constexpr std::uint64_t kAnywhere = std::uint64_t{1} << 46;
    for (llvm::Instruction& instruction : llvm::instructions(function_)) {
      auto* call = llvm::dyn_cast<llvm::CallInst>(&instruction);
      if (call == nullptr || call->getCalledFunction() == nullptr || !isKept(*call->getCalledFunction())) continue;
      for (const auto& [parameter, at] : keptPointers(*call->getCalledFunction())) {
        IRBuilder<> builder(call);
        const std::optional<PointerExtent> extent = extents_.of(call->getArgOperand(parameter));
        call->setArgOperand(at, extent ? extent->offset : builder.getInt64(kAnywhere));
        call->setArgOperand(at + 1, extent ? extent->size : builder.getInt64(2 * kAnywhere));
      }
    }
  }

  Plan planOf(const CheckedAccess& access) {
    Plan plan{access, extents_.of(access.pointer)};
    IRBuilder<> builder(access.at);
    Value* distance = nullptr;
    if (access.index != nullptr)
      distance = builder.CreateMul(builder.CreateSExtOrTrunc(access.index, builder.getInt64Ty()),
                                   builder.getInt64(access.stride));
    const auto moved = [&](Value* from) { return distance != nullptr ? builder.CreateAdd(from, distance) : from; };
    if (plan.extent) plan.offset = moved(plan.extent->offset);
    if (plan.extent) {
      plan.isOutside = isOutside(builder, access, *plan.extent, plan.offset);
    } else if ((checks_ & kCheckMemory) && access.pointer->getType()->getPointerAddressSpace() != kPrivateSpace) {
      plan.offset = moved(builder.CreatePtrToInt(access.pointer, builder.getInt64Ty()));
      Value* hasMemory = builder.CreateCall(hasMemoryFunction(*function_.getParent()),
                                            {createCheckIntrinsic(builder, Intrinsic::Checks),
                                             createCheckIntrinsic(builder, Intrinsic::GroupChecks), plan.offset,
                                             bytesOf(builder, access)});
      plan.isOutside = builder.CreateNot(hasMemory);
    }
    if (alignmentOf(*access.pointer, *access.at) < access.align) {
      plan.address = addressForCheck(builder, *access.pointer);
      plan.isMisaligned = builder.CreateIsNotNull(builder.CreateAnd(plan.address, access.align.value() - 1));
    }
    return plan;
  }

  /// Pointers that the application passes are as well aligned as their types, or all that LLVM concludes is wrong.
  void checkArguments() {
    for (llvm::Argument& argument : function_.args()) {
      if (!argument.getType()->isPointerTy() || argument.hasByValAttr() || argument.use_empty()) continue;
      const std::uint64_t align = argument.getParamAlign().valueOrOne().value();
      if (align == 1) continue;
      llvm::Instruction& at = *function_.getEntryBlock().getFirstNonPHIOrDbgOrAlloca();
      IRBuilder<> builder(&at);
      Value* address = builder.CreatePtrToInt(&argument, builder.getInt64Ty());
      Value* isMisaligned = builder.CreateIsNotNull(builder.CreateAnd(address, align - 1));
      checker_.reportIf(isMisaligned, at, {kFaultMisaligned, 0, &argument, address, builder.getInt64(align)});
    }
  }

  void apply(const Plan& plan) {
    const CheckedAccess& access = plan.access;
    const Value* object = plan.extent ? plan.extent->object : nullptr;
    IRBuilder<> builder(access.at);
    // Blocks are aligned as a whole (check_blocks.hpp).
    const auto* element = llvm::dyn_cast<llvm::GEPOperator>(access.pointer);
    const bool isOfBlock = element != nullptr && isOfFirstLane(*element->getPointerOperand());
    if (plan.isMisaligned != nullptr && (checks_ & kCheckMemory) && !isOfBlock)
      checker_.reportIf(plan.isMisaligned, *access.at,
                        {kFaultMisaligned, access.bytes, object, plan.address, builder.getInt64(access.align.value())});
    if (plan.isOutside != nullptr) applyBounds(plan);
    if (object != nullptr)
      if (llvm::AllocaInst* shadow = arrays_.lookup(object)) applyShadow(plan, *shadow);
    if (object != nullptr && locals_.contains(object)) applyLocal(plan);
    if (races_) races_->mark(access, plan.extent, plan.offset, plan.isMisaligned);
    if (access.writes && plan.extent)
      for (const Value* each : extents_.objectsOf(access.pointer))
        if (const auto* argument = llvm::dyn_cast<llvm::Argument>(each);
            argument != nullptr && argument->getArgNo() < 64)
          written_ |= std::uint64_t{1} << argument->getArgNo();
  }

  void applyBounds(const Plan& plan) {
    const CheckedAccess& access = plan.access;
    const Value* object = plan.extent ? plan.extent->object : nullptr;
    const bool isKnown = plan.extent.has_value();
    const CheckKind kind =
        access.writes ? (isKnown ? kFaultWrite : kFaultWritePointer) : (isKnown ? kFaultRead : kFaultReadPointer);
    checker_.guard(plan.isOutside, *access.at,
                   {kind, access.bytes, object, plan.offset, isKnown ? plan.extent->size : nullptr});
  }

  /// Whether all uses of an array, also through computed addresses, are accesses that are checked.
  bool isFollowed(const Value& pointer, const llvm::SmallPtrSetImpl<const llvm::Instruction*>& accesses) const {
    return llvm::all_of(pointer.users(), [&](const llvm::User* user) {
      const auto* instruction = llvm::dyn_cast<llvm::Instruction>(user);
      if (instruction == nullptr) return llvm::isa<llvm::ConstantExpr>(user) && isFollowed(*user, accesses);
      if (llvm::isa<llvm::GetElementPtrInst, llvm::AddrSpaceCastInst>(instruction) || matchSubGroupCall(instruction))
        return isFollowed(*instruction, accesses);
      const auto* store = llvm::dyn_cast<llvm::StoreInst>(instruction);
      if (store != nullptr && store->getValueOperand() == &pointer) return false;
      return instruction->isLifetimeStartOrEnd() || accesses.contains(instruction) || extents_.isOwn(*instruction) ||
             isAddressForCheck(*instruction);
    });
  }

  /// Gives shadows to the arrays whose uses are all followed.
  void findArrays(llvm::ArrayRef<Plan> plans) {
    llvm::SmallPtrSet<const llvm::Instruction*, 32> accesses;
    for (const Plan& plan : plans)
      accesses.insert(plan.access.at);
    for (const Plan& plan : plans) {
      auto* array =
          plan.extent ? llvm::dyn_cast_or_null<llvm::AllocaInst>(const_cast<Value*>(plan.extent->object)) : nullptr;
      if (array == nullptr || !plan.access.reads || isShadow(*array) || arrays_.contains(array)) continue;
      if (llvm::isAllocaPromotable(array) || isInitialised(*array)) continue;
      if (isFollowed(*array, accesses)) arrays_[array] = createShadow(*array);
    }
  }

  /// Finds the local memory whose uses are all loads, stores, and atomics. `phases_` tells work-groups apart.
  void findLocals(llvm::ArrayRef<Plan> plans, const GroupPhases& phases) {
    llvm::SmallPtrSet<const llvm::Instruction*, 32> accesses;
    for (const Plan& plan : plans)
      if (!plan.access.at->mayReadOrWriteMemory() || plan.access.bytes != 0) accesses.insert(plan.access.at);
    for (const Plan& plan : plans)
      if (plan.extent && plan.extent->space == kLocalSpace && plan.extent->object != nullptr &&
          isFollowed(*plan.extent->object, accesses))
        locals_.insert(plan.extent->object);
    for (const Plan& plan : plans)
      if (plan.extent && locals_.contains(plan.extent->object))
        localUnit_ = std::min({localUnit_, plan.access.bytes & (0 - plan.access.bytes), plan.access.align.value()});
    const bool hasLarge = llvm::any_of(plans, [&](const Plan& plan) {
      return plan.extent && locals_.contains(plan.extent->object) && plan.access.bytes / localUnit_ > kMostLocalUnits;
    });
    if (hasLarge) locals_.clear();
    phases_ = &phases;
  }

  /// Notes in which group local memory was written last, and reports reads of what this group has not written.
  void applyLocal(const Plan& plan) {
    const CheckedAccess& access = plan.access;
    const std::uint64_t count = access.bytes / localUnit_;
    IRBuilder<> builder(access.at);
    Value* group = builder.CreateIntToPtr(createIntrinsic(builder, Intrinsic::GroupChecks), builder.getPtrTy());
    Value* words = loadConstant(builder, builder.getInt64Ty(), group, offsetof(CheckedGroup, initialised));
    // Offsets are multiples of the unit (RaceChecks::mark), except those of misaligned accesses.
    Value* distance = builder.CreateAdd(plan.extent->cells, plan.offset);
    if (plan.isMisaligned != nullptr) distance = builder.CreateAnd(distance, 0 - localUnit_);
    Value* first = builder.CreateGEP(
        builder.getInt8Ty(), builder.CreateIntToPtr(words, llvm::PointerType::get(builder.getContext(), kGlobalSpace)),
        builder.CreateMul(distance, builder.getInt64(sizeof(std::uint64_t) / localUnit_)));
    Value* isLacking = builder.getFalse();
    for (std::uint64_t i = 0; i < count; ++i) {
      Value* word = builder.CreateConstGEP1_64(builder.getInt64Ty(), first, i);
      if (access.reads)
        isLacking = builder.CreateOr(
            isLacking, builder.CreateICmpNE(builder.CreateAlignedLoad(builder.getInt64Ty(), word, llvm::Align(8)),
                                            phases_->first()));
      if (access.writes) builder.CreateAlignedStore(phases_->first(), word, llvm::Align(8));
    }
    if (!access.reads) return;
    if (plan.isMisaligned != nullptr) isLacking = builder.CreateAnd(isLacking, builder.CreateNot(plan.isMisaligned));
    Value* isZeroed = loadConstant(builder, builder.getInt64Ty(), createIntrinsic(builder, Intrinsic::Checks),
                                   offsetof(CheckedLaunch, isLocalZeroed));
    checker_.reportIf(builder.CreateAnd(isLacking, builder.CreateIsNull(isZeroed)), *access.at,
                      {kFaultUninitialised, access.bytes, plan.extent->object, plan.offset, plan.extent->size});
  }

  /// Notes which bytes of an array are written, and reports reads of others.
  void applyShadow(const Plan& plan, llvm::AllocaInst& shadow) {
    const CheckedAccess& access = plan.access;
    IRBuilder<> builder(access.at);
    Value* at = builder.CreateGEP(builder.getInt8Ty(), &shadow, plan.offset);
    if (access.bytes == 0 || access.bytes > kMostShadowBytes) {
      if (access.writes) builder.CreateMemSet(at, builder.getInt8(0xff), bytesOf(builder, access), llvm::Align(1));
      return;
    }
    const std::uint64_t unit = std::min<std::uint64_t>(access.bytes & (0 - access.bytes), 8);
    llvm::Type* type = builder.getIntNTy(static_cast<unsigned>(8 * unit));
    if (unit != access.bytes) type = llvm::FixedVectorType::get(type, static_cast<unsigned>(access.bytes / unit));
    llvm::Constant* all = llvm::Constant::getAllOnesValue(type);
    const llvm::Align align(std::min<std::uint64_t>(unit, access.align.value()));
    if (access.reads && access.isPlain()) {
      Value* isLacking = builder.CreateICmpNE(builder.CreateAlignedLoad(type, at, align), all);
      if (isLacking->getType()->isVectorTy()) isLacking = builder.CreateOrReduce(isLacking);
      checker_.reportIf(isLacking, *access.at,
                        {kFaultUninitialised, access.bytes, plan.extent->object, plan.offset, plan.extent->size});
    } else if (access.writes) {
      builder.CreateAlignedStore(all, at, align);
    }
  }

  static constexpr std::uint64_t kMostShadowBytes = 64; ///< of a load or store of a shadow
  static constexpr std::uint64_t kMostLocalUnits = 16;  ///< of an access

  llvm::Function& function_;
  Checker& checker_;
  const unsigned checks_;
  PointerExtents extents_;
  std::optional<RaceChecks> races_;
  std::uint64_t written_ = 0;                              ///< CheckFacts::written
  llvm::DenseMap<const Value*, llvm::AllocaInst*> arrays_; ///< shadows
  llvm::SmallPtrSet<const Value*, 8> locals_;              ///< local memory of which it is known what has been written
  std::uint64_t localUnit_ = 8;                            ///< bytes of it for which there is a word
  const GroupPhases* phases_ = nullptr;
};

} // namespace

CheckFacts checkAccesses(llvm::Function& function, Checker& checker, unsigned checks, const GroupPhases* phases,
                         llvm::ArrayRef<CheckedAccess> accesses) {
  if ((checks & (kCheckMemory | kCheckRace)) == 0) return {};
  return AccessChecks(function, checker, checks).run(phases, accesses);
}

} // namespace clotho::compiler
