// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/transform/check/kept_functions.hpp"

#include "compiler/build_options.hpp"
#include "compiler/ir/kernels.hpp"
#include "compiler/transform/check/check_loops.hpp"
#include "compiler/transform/check/check_values.hpp"
#include "compiler/transform/check/checked_accesses.hpp"
#include "compiler/transform/check/group_phases.hpp"
#include "compiler/transform/check/pointer_extents.hpp"

#include <llvm/ADT/STLExtras.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>

namespace clotho::compiler {
namespace {

using llvm::IRBuilder;
using llvm::Value;

/// Attribute of functions that are kept. Its value is the number of their own parameters, once there are others.
constexpr llvm::StringLiteral kKept = "clotho-kept";

/// Attribute of functions that compute values alone. Its value is their size (sizeOf).
constexpr llvm::StringLiteral kPure = "clotho-pure";

/// Instructions that the calls of one function may add to those around them. Kernels of bench/ are far below.
constexpr std::uint64_t kMostInlined = 8000;
/// Functions of fewer instructions are inlined, however many calls there are.
constexpr std::uint64_t kSmallFunction = 200;
/// Functions with fewer calls are inlined up to kMostCopied: what their calls pass makes many of them smaller.
constexpr std::uint64_t kManyCalls = 8;
/// Instructions that the calls of one function may add beyond the first of them.
constexpr std::uint64_t kMostCopied = 16000;

constexpr unsigned kPrivateSpace = 0, kConstantSpace = 2, kGenericSpace = 4;
/// The launch, the group, and three ids.
constexpr unsigned kContextParameters = 5;

/// Whether all uses of a function are calls of it.
bool isOnlyCalled(const llvm::Function& function) {
  return llvm::all_of(function.users(), [&](const llvm::User* user) {
    const auto* call = llvm::dyn_cast<llvm::CallInst>(user);
    return call != nullptr && call->getCalledOperand() == &function &&
           llvm::none_of(call->args(), [&](const llvm::Use& argument) { return argument == &function; });
  });
}

/// Whether a pointer is to private variables, if it is a parameter by what all calls pass, through all functions
/// between.
bool isToVariable(Value& pointer) {
  llvm::SmallPtrSet<const Value*, 16> seen;
  llvm::SmallVector<const Value*, 16> open = {&pointer};
  while (!open.empty()) {
    const Value* next = open.pop_back_val();
    if (!seen.insert(next).second || llvm::isa<llvm::AllocaInst>(next)) continue;
    if (const auto* address = llvm::dyn_cast<llvm::GEPOperator>(next)) {
      open.push_back(address->getPointerOperand());
    } else if (const auto* cast = llvm::dyn_cast<llvm::AddrSpaceCastOperator>(next)) {
      open.push_back(cast->getPointerOperand());
    } else if (const auto* phi = llvm::dyn_cast<llvm::PHINode>(next)) {
      open.append(phi->value_op_begin(), phi->value_op_end());
    } else if (const auto* select = llvm::dyn_cast<llvm::SelectInst>(next)) {
      open.append({select->getTrueValue(), select->getFalseValue()});
    } else if (const auto* parameter = llvm::dyn_cast<llvm::Argument>(next);
               parameter != nullptr && !isKernel(*parameter->getParent())) {
      if (!isOnlyCalled(*parameter->getParent())) return false;
      for (const llvm::User* user : parameter->getParent()->users())
        open.push_back(llvm::cast<llvm::CallInst>(user)->getArgOperand(parameter->getArgNo()));
    } else {
      return false;
    }
  }
  return true;
}

/// Whether all that the function accesses is private memory or constant, and nothing in it orders accesses or depends
/// on other work-items.
bool mayBeKept(llvm::Function& function) {
  if (!isOnlyCalled(function)) return false;
  for (llvm::Instruction& instruction : llvm::instructions(function)) {
    const auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction);
    if (instruction.isAtomic() || llvm::isa<llvm::FenceInst>(instruction)) return false;
    if (call == nullptr) continue;
    const llvm::Function* callee = call->getCalledFunction();
    if (callee == nullptr) return false;
    const llvm::StringRef name = builtinName(callee->getName());
    // To clang all functions of OpenCL C are convergent.
    if (call->isConvergent() && !call->doesNotAccessMemory() && !isKept(*callee) && !callee->hasFnAttribute(kPure) &&
        !name.starts_with("vload") && !name.starts_with("vstore"))
      return false;
    if (callee->getName().contains("_group")) return false;
    // Functions that need the work-item's place, or print, are inlined in the end (InlineWorkItemFunctionsPass).
    if (name.starts_with("atom") || name.ends_with("mem_fence") || name.starts_with("get_")) return false;
    if (callee->getName() == "printf") return false;
  }
  PointerExtents extents(function);
  const auto isOwn = [&](Value* pointer) {
    const unsigned space = pointer->getType()->getPointerAddressSpace();
    if (space == kPrivateSpace || space == kConstantSpace) return true;
    const llvm::SmallPtrSet<Value*, 4> objects = extents.objectsOf(pointer);
    return !objects.empty() && llvm::all_of(objects, [](const Value* object) {
      return llvm::isa<llvm::AllocaInst>(object) || object->getType()->getPointerAddressSpace() == kConstantSpace;
    });
  };
  for (const CheckedAccess& access : checkedAccesses(function)) {
    // Generic parameters are looked at where they are passed.
    if (isOwn(access.pointer)) continue;
    const auto* object = llvm::dyn_cast<llvm::Argument>(access.pointer->stripInBoundsOffsets());
    if (object == nullptr || object->getType()->getPointerAddressSpace() != kGenericSpace) return false;
  }
  return llvm::all_of(function.args(), [](llvm::Argument& argument) {
    return !argument.getType()->isPointerTy() || argument.getType()->getPointerAddressSpace() != kGenericSpace ||
           isToVariable(argument);
  });
}

/// Whether the instruction only computes a value of others. Calls of builtins that do may still be group functions,
/// which work-items must meet.
bool isPure(const llvm::Instruction& instruction) {
  const auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction);
  if (call == nullptr) return !instruction.mayReadOrWriteMemory() && !llvm::isa<llvm::AllocaInst>(instruction);
  const llvm::Function* callee = call->getCalledFunction();
  if (callee == nullptr) return false;
  return callee->hasFnAttribute(kPure) || (call->doesNotAccessMemory() && !callee->getName().contains("_group"));
}

/// The number that is the value of an attribute.
std::uint64_t numberOf(const llvm::Function& function, llvm::StringRef attribute) {
  std::uint64_t number = 0;
  function.getFnAttribute(attribute).getValueAsString().getAsInteger(10, number);
  return number;
}

/// Instructions of a function, with those of pure functions that it calls: LLVM mostly inlines these later.
std::uint64_t sizeOf(const llvm::Function& function) {
  std::uint64_t size = 0;
  for (const llvm::Instruction& instruction : llvm::instructions(function)) {
    const auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction);
    size +=
        1 + (call != nullptr && call->getCalledFunction() != nullptr ? numberOf(*call->getCalledFunction(), kPure) : 0);
  }
  return size;
}

unsigned ownParameters(const llvm::Function& function) { return static_cast<unsigned>(numberOf(function, kKept)); }

/// The function with its further parameters. `function` is left empty, without a name.
llvm::Function* extended(llvm::Function& function) {
  llvm::LLVMContext& context = function.getContext();
  auto* number = llvm::Type::getInt64Ty(context);
  llvm::SmallVector<llvm::Type*, 16> types(function.getFunctionType()->params());
  types.push_back(llvm::PointerType::get(context, 0));
  types.append(kContextParameters - 1, number);
  for (const llvm::Argument& argument : function.args())
    if (argument.getType()->isPointerTy()) types.append(2, number);
  auto* result = llvm::Function::Create(llvm::FunctionType::get(function.getReturnType(), types, false),
                                        function.getLinkage(), function.getAddressSpace(), "", function.getParent());
  result->copyAttributesFrom(&function);
  result->copyMetadata(&function, 0);
  function.clearMetadata();
  result->takeName(&function);
  result->addFnAttr(kKept, std::to_string(function.arg_size()));
  result->splice(result->begin(), &function);
  for (const auto& [from, to] : llvm::zip(function.args(), result->args())) {
    from.replaceAllUsesWith(&to);
    to.takeName(&from);
  }
  // Checks that are there already.
  for (llvm::Instruction& instruction : llvm::make_early_inc_range(llvm::instructions(*result)))
    if (const auto found = matchIntrinsic(&instruction)) {
      IRBuilder<> builder(&instruction);
      instruction.replaceAllUsesWith(createCheckIntrinsic(builder, found->intrinsic, found->dimension));
      instruction.eraseFromParent();
    }
  return result;
}

} // namespace

bool isKept(const llvm::Function& function) { return function.hasFnAttribute(kKept); }

void leaveIfPure(llvm::Function& function, unsigned checks, llvm::FunctionAnalysisManager& analyses) {
  if (isKernel(function) || !function.hasLocalLinkage() || function.isVarArg()) return;
  const auto isValue = [](llvm::Type* type) { return type->isVoidTy() || type->isSingleValueType(); };
  const auto isNumber = [&](llvm::Type* type) {
    return isValue(type) && !type->isPtrOrPtrVectorTy() && !type->isTargetExtTy();
  };
  if (!isNumber(function.getReturnType()) || !llvm::all_of(function.getFunctionType()->params(), isNumber)) return;
  if (!llvm::all_of(llvm::instructions(function), [&](const llvm::Instruction& instruction) {
        return isPure(instruction) && ((checks & kCheckValue) == 0 || !mayLackValue(instruction));
      }))
    return;
  if ((checks & kCheckLoop) && hasUnboundedLoop(function, analyses)) return;
  function.setDoesNotAccessMemory();
  function.addFnAttr(kPure, std::to_string(sizeOf(function)));
  function.removeFnAttr(llvm::Attribute::AlwaysInline);
}

void keepIfLarge(llvm::Function& function) {
  if (isKernel(function) || !function.hasLocalLinkage() || function.isVarArg() || function.hasFnAttribute(kPure))
    return;
  const std::uint64_t size = sizeOf(function), calls = function.getNumUses();
  if (size < kSmallFunction || calls < 2) return;
  const bool isLarge = calls < kManyCalls ? size * (calls - 1) >= kMostCopied : size * calls >= kMostInlined;
  if (!isLarge || !mayBeKept(function)) return;
  function.addFnAttr(kKept);
  function.removeFnAttr(llvm::Attribute::AlwaysInline);
  function.addFnAttr(llvm::Attribute::NoInline);
}

void extendKeptFunctions(llvm::Module& module) {
  llvm::SmallVector<llvm::Function*, 8> functions;
  for (llvm::Function& function : module)
    if (isKept(function)) functions.push_back(&function);
  llvm::SmallVector<std::pair<llvm::Function*, llvm::Function*>, 8> pairs;
  for (llvm::Function* function : functions)
    pairs.emplace_back(function, extended(*function));
  for (const auto& [before, after] : pairs) {
    for (llvm::User* user : llvm::make_early_inc_range(before->users())) {
      auto* call = llvm::cast<llvm::CallInst>(user);
      IRBuilder<> builder(call);
      llvm::SmallVector<Value*, 16> arguments(call->args());
      arguments.push_back(createCheckIntrinsic(builder, Intrinsic::Checks));
      arguments.push_back(createCheckIntrinsic(builder, Intrinsic::GroupChecks));
      for (unsigned dimension = 0; dimension < 3; ++dimension)
        arguments.push_back(createCheckIntrinsic(builder, Intrinsic::GlobalId, dimension));
      while (arguments.size() < after->arg_size())
        arguments.push_back(builder.getInt64(0));
      llvm::CallInst* changed = builder.CreateCall(after, arguments);
      changed->setCallingConv(call->getCallingConv());
      changed->setAttributes(call->getAttributes());
      changed->setDebugLoc(call->getDebugLoc());
      changed->takeName(call);
      call->replaceAllUsesWith(changed);
      call->eraseFromParent();
    }
    before->eraseFromParent();
  }
}

llvm::SmallVector<KeptPointer, 4> keptPointers(const llvm::Function& function) {
  llvm::SmallVector<KeptPointer, 4> pointers;
  const unsigned own = ownParameters(function);
  unsigned at = own + kContextParameters;
  for (unsigned i = 0; i < own; ++i)
    if (function.getArg(i)->getType()->isPointerTy()) {
      pointers.push_back({i, at});
      at += 2;
    }
  return pointers;
}

Value* createCheckIntrinsic(IRBuilder<>& builder, Intrinsic which, unsigned dimension) {
  const llvm::Function& function = *builder.GetInsertBlock()->getParent();
  if (!isKept(function)) return createIntrinsic(builder, which, dimension);
  const unsigned place = which == Intrinsic::Checks ? 0 : which == Intrinsic::GroupChecks ? 1 : 2 + dimension;
  return function.getArg(ownParameters(function) + place);
}

} // namespace clotho::compiler
