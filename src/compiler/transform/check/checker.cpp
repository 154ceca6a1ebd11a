// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/transform/check/checker.hpp"

#include "compiler/ir/checks.hpp"
#include "compiler/ir/intrinsics.hpp"
#include "compiler/ir/kernels.hpp"
#include "compiler/transform/check/kept_functions.hpp"

#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/MDBuilder.h>
#include <llvm/IR/Module.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>

namespace clotho::compiler {
namespace {

using llvm::IRBuilder;
using llvm::Value;

/// Local variables are named `kernel.variable`.
llvm::StringRef nameOf(const Value* object) {
  if (object == nullptr) return {};
  llvm::StringRef name = object->getName();
  if (llvm::isa<llvm::GlobalVariable>(object) && name.contains('.')) name = name.drop_front(name.find('.') + 1);
  if (const auto* variable = llvm::dyn_cast<llvm::AllocaInst>(object)) return nameOfVariable(*variable);
  return name;
}

llvm::MDNode* seldom(llvm::LLVMContext& context) { return llvm::MDBuilder(context).createUnlikelyBranchWeights(); }

/// Whether work-items must meet at the call, or LLVM wants constants for some of its operands.
bool mustStay(const llvm::Instruction& access) {
  const auto* call = llvm::dyn_cast<llvm::CallInst>(&access);
  return call != nullptr && (llvm::isa<llvm::IntrinsicInst>(call) || call->isConvergent());
}

} // namespace

namespace {
constexpr llvm::StringLiteral kAddressForCheck = "clotho.address_for_check";
} // namespace

llvm::Value* addressForCheck(IRBuilder<>& builder, Value& pointer) {
  auto* address = builder.Insert(new llvm::PtrToIntInst(&pointer, builder.getInt64Ty()));
  address->setMetadata(kAddressForCheck, llvm::MDNode::get(builder.getContext(), {}));
  return address;
}

bool isAddressForCheck(const llvm::Instruction& instruction) { return instruction.hasMetadata(kAddressForCheck); }

llvm::StringRef nameOfVariable(const llvm::AllocaInst& variable) {
  return variable.getName().take_until([](char c) { return c == '.'; });
}

/// A line of a file, counted from 1; empty if it is not known.
llvm::StringRef Checker::lineOf(const llvm::DIFile& file, unsigned number) {
  const auto [found, isNew] = lines_.try_emplace(&file);
  std::vector<llvm::StringRef>& lines = found->second;
  if (isNew)
    for (llvm::StringRef text = file.getSource().value_or(""); !text.empty();) {
      const auto [line, rest] = text.split('\n');
      lines.push_back(line.take_until([](char c) { return c == '\r'; }));
      text = rest;
    }
  return number == 0 || number > lines.size() ? llvm::StringRef() : lines[number - 1];
}

llvm::Constant* Checker::site(const llvm::Instruction& at, const CheckDetails& details) {
  llvm::LLVMContext& context = module_.getContext();
  unsigned line = 0, column = 0;
  llvm::StringRef file, source;
  if (const llvm::DILocation* place = at.getDebugLoc()) {
    line = place->getLine();
    column = place->getColumn();
    file = place->getFilename();
    if (const llvm::DIFile* its = place->getFile()) source = lineOf(*its, line);
  }
  std::string texts;
  for (const llvm::StringRef text : {file, source, details.name.empty() ? nameOf(details.object) : details.name})
    texts += (text + llvm::Twine('\0')).str();
  const auto* argument = llvm::dyn_cast_or_null<llvm::Argument>(details.object);
  const bool isOfKernel = argument != nullptr && isKernel(*argument->getParent());
  llvm::SmallVector<llvm::Constant*, 7> fields;
  for (const std::uint64_t number :
       {std::uint64_t(sites_++), std::uint64_t(details.kind), std::uint64_t(line), std::uint64_t(column), details.bytes,
        std::uint64_t(isOfKernel ? argument->getArgNo() : unsigned(kNoCheckedArgument))})
    fields.push_back(llvm::ConstantInt::get(llvm::Type::getInt32Ty(context), number & UINT32_MAX));
  fields.push_back(llvm::ConstantDataArray::getString(context, texts, /*AddNull=*/false));
  llvm::Constant* value = llvm::ConstantStruct::getAnon(context, fields);
  auto* variable = new llvm::GlobalVariable(module_, value->getType(), /*isConstant=*/true,
                                            llvm::GlobalValue::PrivateLinkage, value, "clotho.site",
                                            /*InsertBefore=*/nullptr, llvm::GlobalValue::NotThreadLocal,
                                            /*AddressSpace=*/0U);
  variable->setAlignment(llvm::Align(8));
  return variable;
}

namespace {

struct FailureBranch {
  llvm::Function* function;
  llvm::BasicBlock *failed, *passed; ///< still empty
};

/// Creates a function that is rarely called and branches on its first parameter, whether a check has failed.
FailureBranch branchOnFailure(llvm::Module& module, llvm::FunctionType* type, const llvm::Twine& name) {
  auto* function = llvm::Function::Create(type, llvm::GlobalValue::InternalLinkage, name, module);
  function->addFnAttr(llvm::Attribute::NoInline);
  function->addFnAttr(llvm::Attribute::Cold);
  function->setDoesNotThrow();
  llvm::LLVMContext& context = module.getContext();
  auto* entry = llvm::BasicBlock::Create(context, "entry", function);
  auto* failed = llvm::BasicBlock::Create(context, "failed", function);
  auto* passed = llvm::BasicBlock::Create(context, "passed", function);
  IRBuilder<>(entry).CreateCondBr(function->getArg(0), failed, passed);
  return {function, failed, passed};
}

} // namespace

/// Creates void clotho.check.report(i1 bad, ptr launch, ptr site, i64 a, i64 b, i64 x, i64 y, i64 z), which calls
/// CheckedLaunch::report.
llvm::Function* Checker::reportFunction() {
  if (llvm::Function* existing = module_.getFunction(kReportFunction)) return existing;
  llvm::LLVMContext& context = module_.getContext();
  auto* pointer = llvm::PointerType::get(context, 0);
  auto* number = llvm::Type::getInt64Ty(context);
  llvm::SmallVector<llvm::Type*, 8> types = {pointer, pointer};
  types.append(5, number);
  auto* reportType = llvm::FunctionType::get(llvm::Type::getVoidTy(context), types, false);
  types.insert(types.begin(), llvm::Type::getInt1Ty(context));
  const auto [function, failed, passed] =
      branchOnFailure(module_, llvm::FunctionType::get(llvm::Type::getVoidTy(context), types, false), kReportFunction);
  IRBuilder<> builder(failed);
  llvm::SmallVector<Value*, 8> arguments;
  for (llvm::Argument& argument : llvm::drop_begin(function->args()))
    arguments.push_back(&argument);
  static_assert(offsetof(CheckedLaunch, report) == 0);
  Value* report = builder.CreateLoad(pointer, function->getArg(1));
  builder.CreateCall(reportType, report, arguments);
  builder.CreateBr(passed);
  builder.SetInsertPoint(passed);
  builder.CreateRetVoid();
  return function;
}

/// Creates a function that makes the access unless the check has failed, and otherwise reports and returns zero. Its
/// parameters are those of the report, then the operands of the access.
llvm::Function* Checker::accessFunction(const llvm::Instruction& access) {
  const auto* call = llvm::dyn_cast<llvm::CallInst>(&access);
  for (const auto& [same, function] : accesses_)
    if (same->isSameOperationAs(&access) &&
        (call == nullptr || llvm::cast<llvm::CallInst>(same)->getCalledOperand() == call->getCalledOperand()))
      return function;

  llvm::Function* report = reportFunction();
  const std::size_t first = report->arg_size();
  llvm::SmallVector<llvm::Type*, 16> types(report->getFunctionType()->params());
  llvm::SmallVector<unsigned, 4> numbers;
  for (const llvm::Use& operand : access.operands()) {
    if (call != nullptr && call->isCallee(&operand)) continue;
    numbers.push_back(operand.getOperandNo());
    types.push_back(operand->getType());
  }
  const auto [created, failed, passed] =
      branchOnFailure(module_, llvm::FunctionType::get(access.getType(), types, false), kFailedCheckPrefix + "access");
  llvm::Function* function = created;
  IRBuilder<> builder(failed);
  llvm::SmallVector<Value*, 8> arguments;
  for (std::size_t i = 0; i < first; ++i)
    arguments.push_back(function->getArg(static_cast<unsigned>(i)));
  builder.CreateCall(report, arguments);
  const bool returns = !access.getType()->isVoidTy();
  if (returns)
    builder.CreateRet(llvm::Constant::getNullValue(access.getType()));
  else
    builder.CreateRetVoid();
  builder.SetInsertPoint(passed);
  llvm::Instruction* copy = access.clone();
  copy->setDebugLoc({});
  for (const auto& [i, number] : llvm::enumerate(numbers))
    copy->setOperand(number, function->getArg(static_cast<unsigned>(first + i)));
  builder.Insert(copy);
  if (returns)
    builder.CreateRet(copy);
  else
    builder.CreateRetVoid();
  accesses_.emplace_back(copy, function);
  return function;
}

/// Arguments that all reports of a function have in common. Calls of intrinsics where each check has failed would make
/// kernels larger, and passes look at each for whether it may leave loops.
llvm::ArrayRef<llvm::WeakTrackingVH> Checker::contextOf(llvm::Function& function) {
  llvm::SmallVectorImpl<llvm::WeakTrackingVH>& context = contexts_[&function];
  // Passes may have removed them, and a function may lie where another one lay.
  const auto isThere = [&](Value* value) {
    if (const auto* argument = llvm::dyn_cast_or_null<llvm::Argument>(value)) return argument->getParent() == &function;
    const auto* instruction = llvm::dyn_cast_or_null<llvm::Instruction>(value);
    return instruction != nullptr && instruction->getFunction() == &function;
  };
  llvm::BasicBlock& entry = function.getEntryBlock();
  if (context.empty() || !llvm::all_of(context, isThere)) {
    IRBuilder<> builder(&entry, entry.getFirstNonPHIOrDbgOrAlloca());
    context.clear();
    context.emplace_back(createCheckIntrinsic(builder, Intrinsic::Checks));
    for (unsigned dimension = 0; dimension < 3; ++dimension)
      context.emplace_back(createCheckIntrinsic(builder, Intrinsic::GlobalId, dimension));
  }
  // A check at the beginning of the function has moved them behind it.
  for (Value* value : context)
    if (auto* instruction = llvm::dyn_cast<llvm::Instruction>(value);
        instruction != nullptr && instruction->getParent() != &entry)
      instruction->moveBefore(entry, entry.getFirstNonPHIOrDbgOrAlloca());
  return context;
}

llvm::SmallVector<Value*, 12> Checker::reportArguments(IRBuilder<>& builder, Value* bad, llvm::Constant* site, Value* a,
                                                       Value* b) {
  const auto number = [&](Value* value) -> Value* { return value != nullptr ? value : builder.getInt64(0); };
  const auto context = contextOf(*builder.GetInsertBlock()->getParent());
  llvm::SmallVector<Value*, 12> arguments = {bad, context.front(), site, number(a), number(b)};
  arguments.append(std::next(context.begin()), context.end());
  return arguments;
}

void Checker::emitReport(IRBuilder<>& builder, Value* bad, llvm::Constant* site, Value* a, Value* b) {
  builder.CreateCall(reportFunction(), reportArguments(builder, bad, site, a, b));
}

bool Checker::reportIf(Value* bad, llvm::Instruction& at, const CheckDetails& details) {
  if (const auto* known = llvm::dyn_cast<llvm::ConstantInt>(bad); known != nullptr && known->isZero()) return false;
  reportIf(bad, at, *site(at, details), details.a, details.b);
  return true;
}

void Checker::reportIf(Value* bad, llvm::Instruction& at, llvm::Constant& site, Value* a, Value* b) {
  llvm::Instruction* end =
      llvm::SplitBlockAndInsertIfThen(bad, at.getIterator(), /*Unreachable=*/false, seldom(module_.getContext()));
  IRBuilder<> builder(end);
  builder.SetCurrentDebugLocation(at.getDebugLoc());
  emitReport(builder, bad, &site, a, b);
}

void Checker::guard(Value* bad, llvm::Instruction& access, const CheckDetails& details, bool byBranch) {
  if (const auto* known = llvm::dyn_cast<llvm::ConstantInt>(bad); known != nullptr && known->isZero()) return;
  llvm::Constant* place = site(access, details);
  llvm::Instruction *failedEnd = nullptr, *passedEnd = nullptr;
  llvm::SplitBlockAndInsertIfThenElse(bad, access.getIterator(), &failedEnd, &passedEnd, seldom(module_.getContext()));
  llvm::BasicBlock* after = access.getParent();
  IRBuilder<> builder(failedEnd);
  builder.SetCurrentDebugLocation(access.getDebugLoc());
  // Passing the address of a private variable to a function would keep it from registers.
  const bool isPrivate = llvm::isa_and_nonnull<llvm::AllocaInst>(details.object);
  Value* otherwise = nullptr;
  if (byBranch || isPrivate || mustStay(access)) {
    emitReport(builder, bad, place, details.a, details.b);
    if (!access.getType()->isVoidTy()) otherwise = llvm::Constant::getNullValue(access.getType());
  } else {
    llvm::SmallVector<Value*, 12> arguments = reportArguments(builder, bad, place, details.a, details.b);
    const auto* call = llvm::dyn_cast<llvm::CallInst>(&access);
    for (llvm::Use& operand : access.operands())
      if (call == nullptr || !call->isCallee(&operand)) arguments.push_back(operand);
    otherwise = builder.CreateCall(accessFunction(access), arguments);
  }
  access.moveBefore(passedEnd->getIterator());
  if (access.getType()->isVoidTy() || access.use_empty()) return;
  builder.SetInsertPoint(after, after->begin());
  llvm::PHINode* result = builder.CreatePHI(access.getType(), 2);
  access.replaceAllUsesWith(result);
  result->addIncoming(otherwise, failedEnd->getParent());
  result->addIncoming(&access, passedEnd->getParent());
}

} // namespace clotho::compiler
