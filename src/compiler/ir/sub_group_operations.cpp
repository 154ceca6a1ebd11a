// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/ir/sub_group_operations.hpp"

#include "compiler/ir/kernel_facts.hpp"

#include <llvm/IR/Module.h>
#include <llvm/Support/raw_ostream.h>

namespace clotho::compiler {

using llvm::Value;

namespace {

constexpr llvm::StringLiteral kPrefix = "clotho.sub_group.";
constexpr llvm::StringLiteral kOperations[] = {"reduce",    "scan_inclusive", "scan_exclusive", "shuffle",
                                               "broadcast", "first",          "ballot",         "leaves",
                                               "barrier",   "live_count",     "live_rank",      "agree"};
constexpr llvm::StringLiteral kCombinations[] = {"none", "add",  "fadd", "mul",  "fmul", "smin", "smax",
                                                 "umin", "umax", "fmin", "fmax", "and",  "or",   "xor"};

template <class T, std::size_t N> std::optional<T> find(const llvm::StringLiteral (&names)[N], llvm::StringRef name) {
  for (std::size_t i = 0; i < N; ++i)
    if (names[i] == name) return static_cast<T>(i);
  return std::nullopt;
}

llvm::StringRef nameOf(SubGroupOperation operation) { return kOperations[static_cast<unsigned>(operation)]; }
llvm::StringRef nameOf(Combination combination) { return kCombinations[static_cast<unsigned>(combination)]; }

llvm::Type* resultType(llvm::IRBuilderBase& builder, SubGroupOperation operation, llvm::Type* operand) {
  switch (operation) {
  case SubGroupOperation::Ballot: return builder.getInt64Ty();
  case SubGroupOperation::Barrier: return builder.getVoidTy();
  case SubGroupOperation::LiveCount:
  case SubGroupOperation::LiveRank: return builder.getInt32Ty();
  default: return operand;
  }
}

} // namespace

bool isSubGroupOperationName(llvm::StringRef name) { return name.starts_with(kPrefix); }

std::optional<SubGroupCall> matchSubGroupCall(const llvm::Value* value) {
  const auto* call = llvm::dyn_cast<llvm::CallInst>(value);
  if (call == nullptr || call->getCalledFunction() == nullptr) return std::nullopt;
  return matchSubGroupFunction(*call->getCalledFunction());
}

std::optional<SubGroupCall> matchSubGroupFunction(const llvm::Function& function) {
  llvm::StringRef name = function.getName();
  if (!name.consume_front(kPrefix)) return std::nullopt;
  const auto [operation, rest] = name.split('.');
  const auto found = find<SubGroupOperation>(kOperations, operation);
  const auto combination = find<Combination>(kCombinations, rest.split('.').first);
  if (!found || !combination) return std::nullopt;
  return SubGroupCall{*found, *combination};
}

/// Builds names such as `clotho.sub_group.reduce.add.i32`.
llvm::CallInst* createSubGroupCall(llvm::IRBuilderBase& builder, SubGroupCall call, llvm::ArrayRef<Value*> arguments) {
  std::string name;
  llvm::raw_string_ostream out(name);
  out << kPrefix << nameOf(call.operation) << '.' << nameOf(call.combination) << '.' << *arguments[0]->getType();
  llvm::SmallVector<llvm::Type*, 2> parameters;
  for (const Value* argument : arguments)
    parameters.push_back(argument->getType());
  auto* type = llvm::FunctionType::get(resultType(builder, call.operation, parameters[0]), parameters, false);
  auto* function =
      llvm::cast<llvm::Function>(builder.GetInsertBlock()->getModule()->getOrInsertFunction(name, type).getCallee());
  function->setDoesNotThrow();
  function->setConvergent();
  function->addFnAttr(llvm::Attribute::WillReturn);
  function->addFnAttr(llvm::Attribute::NoFree);
  if (call.operation != SubGroupOperation::Barrier) function->setDoesNotAccessMemory();
  llvm::CallInst* made = builder.CreateCall(function, arguments);
  made->setConvergent();
  return made;
}

void createFence(llvm::IRBuilderBase& builder, const llvm::CallInst& barrier) {
  const bool reachesFar = llvm::cast<llvm::ConstantInt>(barrier.getArgOperand(0))->isOne();
  builder.CreateFence(llvm::AtomicOrdering::AcquireRelease,
                      reachesFar ? llvm::SyncScope::System : llvm::SyncScope::SingleThread);
}

bool tellsSubGroups(SubGroupOperation operation) {
  return operation != SubGroupOperation::LiveCount && operation != SubGroupOperation::LiveRank &&
         operation != SubGroupOperation::Agree;
}

bool isUniformOperation(const llvm::CallInst& call, SubGroupOperation operation) {
  switch (operation) {
  case SubGroupOperation::Reduce: {
    const auto* cluster = llvm::dyn_cast<llvm::ConstantInt>(call.getArgOperand(1));
    return cluster != nullptr && cluster->isZero();
  }
  case SubGroupOperation::Broadcast:
  case SubGroupOperation::First:
  case SubGroupOperation::Leaves:
  case SubGroupOperation::LiveCount:
  case SubGroupOperation::Agree:
  case SubGroupOperation::Ballot: return true;
  default: return false;
  }
}

llvm::Constant* neutralElement(Combination combination, llvm::Type* type) {
  const auto integer = [&](const llvm::APInt& value) { return llvm::ConstantInt::get(type, value); };
  switch (combination) {
  case Combination::Mul: return llvm::ConstantInt::get(type, 1);
  case Combination::FMul: return llvm::ConstantFP::get(type, 1.0);
  case Combination::SMin: return integer(llvm::APInt::getSignedMaxValue(type->getIntegerBitWidth()));
  case Combination::SMax: return integer(llvm::APInt::getSignedMinValue(type->getIntegerBitWidth()));
  case Combination::UMin:
  case Combination::And: return llvm::Constant::getAllOnesValue(type);
  case Combination::FMin: return llvm::ConstantFP::getInfinity(type);
  case Combination::FMax: return llvm::ConstantFP::getInfinity(type, /*Negative=*/true);
  default: return llvm::Constant::getNullValue(type);
  }
}

Value* combine(llvm::IRBuilderBase& builder, Combination combination, Value* a, Value* b) {
  const auto intrinsic = [&](llvm::Intrinsic::ID id) { return builder.CreateBinaryIntrinsic(id, a, b); };
  switch (combination) {
  case Combination::Add: return builder.CreateAdd(a, b);
  case Combination::FAdd: return builder.CreateFAdd(a, b);
  case Combination::Mul: return builder.CreateMul(a, b);
  case Combination::FMul: return builder.CreateFMul(a, b);
  case Combination::SMin: return intrinsic(llvm::Intrinsic::smin);
  case Combination::SMax: return intrinsic(llvm::Intrinsic::smax);
  case Combination::UMin: return intrinsic(llvm::Intrinsic::umin);
  case Combination::UMax: return intrinsic(llvm::Intrinsic::umax);
  case Combination::FMin: return intrinsic(llvm::Intrinsic::minnum);
  case Combination::FMax: return intrinsic(llvm::Intrinsic::maxnum);
  case Combination::And: return builder.CreateAnd(a, b);
  case Combination::Or: return builder.CreateOr(a, b);
  case Combination::Xor: return builder.CreateXor(a, b);
  case Combination::None: break;
  }
  llvm_unreachable("nothing to combine by");
}

std::string describe(const SubGroupCall& call) {
  std::string text = nameOf(call.operation).str();
  if (call.combination != Combination::None) text += " " + nameOf(call.combination).str();
  return text;
}

unsigned requiredSubGroupSize(const llvm::Function& kernel) {
  const llvm::MDNode* size = kernel.getMetadata("intel_reqd_sub_group_size");
  if (size == nullptr) return 0;
  return llvm::mdconst::extract<llvm::ConstantInt>(size->getOperand(0))->getZExtValue();
}

bool usesSubGroups(const llvm::Function& kernel) { return factsOf(kernel).usesSubGroups; }

} // namespace clotho::compiler
