// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Entry points and their modes. As with clang, a kernel is a separate function that calls the one with its body.
#include "compiler/frontend/spirv/opcodes.hpp"
#include "compiler/frontend/spirv/reader.hpp"

#include "compiler/ir/kernel_facts.hpp"
#include "compiler/ir/kernels.hpp"
#include "compiler/ir/marks.hpp"
#include "compiler/ir/sub_group_operations.hpp"

#include <llvm/IR/Constants.h>
#include <llvm/Transforms/Utils/ModuleUtils.h>

namespace clotho::compiler::spirv {
namespace {

/// Arguments in local memory have the alignment of the largest type.
const llvm::Align kLocalAlignment(128);

llvm::MDNode* numbers(llvm::LLVMContext& context, llvm::ArrayRef<std::uint32_t> values) {
  llvm::SmallVector<llvm::Metadata*, 3> operands;
  for (const std::uint32_t value : values)
    operands.push_back(llvm::ConstantAsMetadata::get(llvm::ConstantInt::get(llvm::Type::getInt32Ty(context), value)));
  return llvm::MDNode::get(context, operands);
}

const char* accessName(const Type& type) {
  if (type.op != spv::OpTypeImage && type.op != spv::OpTypePipe) return "none";
  switch (type.access) {
  case spv::AccessQualifierWriteOnly: return "write_only";
  case spv::AccessQualifierReadWrite: return "read_write";
  default: return "read_only";
  }
}

/// The type that the literal of VecTypeHint encodes: the kind of number in the lower half, the number of elements in
/// the upper half.
llvm::Type* hintedType(llvm::LLVMContext& context, std::uint32_t literal) {
  llvm::Type* const kinds[] = {llvm::Type::getInt8Ty(context),  llvm::Type::getInt16Ty(context),
                               llvm::Type::getInt32Ty(context), llvm::Type::getInt64Ty(context),
                               llvm::Type::getHalfTy(context),  llvm::Type::getFloatTy(context),
                               llvm::Type::getDoubleTy(context)};
  const std::uint32_t kind = literal & 0xffff, elements = literal >> 16;
  if (kind >= std::size(kinds)) return nullptr;
  return elements < 2 ? kinds[kind] : llvm::FixedVectorType::get(kinds[kind], elements);
}

} // namespace

/// The functions that run as part of `entry`: itself, and those that it calls or enqueues, directly or indirectly.
std::set<Id> Reader::functionsOf(Id entry, const std::map<Id, std::vector<Id>>& called) {
  std::set<Id> found;
  std::vector<Id> reached = {entry};
  while (!reached.empty()) {
    const Id function = reached.back();
    reached.pop_back();
    if (!found.insert(function).second) continue;
    if (const auto next = called.find(function); next != called.end())
      reached.insert(reached.end(), next->second.begin(), next->second.end());
  }
  return found;
}

/// Floating-point modes of an entry point; nothing if it has none.
std::optional<FloatModes> Reader::floatModesOf(llvm::ArrayRef<const Instruction*> modes) {
  FloatModes found;
  bool says = false;
  for (const Instruction* mode : modes) {
    if (mode->operands[1] == spv::ExecutionModeContractionOff) {
      found.contracts = false;
      says = true;
    }
    if (mode->operands[1] != kModeFastMathDefault) continue;
    const Type& of = type(mode->operand(2));
    const auto bits = static_cast<std::uint32_t>(constant(mode->operand(3)).value_or(0));
    if (of.op != spv::OpTypeFloat || of.bits / 32 >= found.defaults.size()) {
      fail("a default of fast arithmetic for what is no float of 16, 32 or 64 bits");
      return std::nullopt;
    }
    found.hasDefaults = says = true;
    found.defaults[of.bits / 32] = bits;
  }
  return says ? std::optional(found) : std::nullopt;
}

/// Finds the modes of each function: those that all entry points which run it allow.
void Reader::findFloatModes() {
  constexpr std::size_t kEnqueued = 6;
  std::map<Id, std::optional<FloatModes>> ofEntries;
  bool says = false;
  for (const Instruction* entryPoint : entryPoints_) {
    const Id entry = entryPoint->operands[1];
    const auto modes = modes_.find(entry);
    const auto known = modes == modes_.end() ? std::nullopt : floatModesOf(modes->second);
    says = says || known.has_value();
    ofEntries.emplace(entry, known);
  }
  if (!says || failed()) return;
  std::map<Id, std::vector<Id>> called;
  std::vector<Id> pointed; // which any entry may run
  std::vector<Id>* ofFunction = nullptr;
  for (const Instruction& instruction : parsed_.instructions) {
    if (instruction.op == spv::OpConstantFunctionPointerINTEL) pointed.push_back(instruction.operand(0));
    if (instruction.op == spv::OpFunction) ofFunction = &called[instruction.result];
    if (ofFunction == nullptr) continue;
    if (instruction.op == spv::OpFunctionCall) ofFunction->push_back(instruction.operand(0));
    if (instruction.op == spv::OpEnqueueKernel) ofFunction->push_back(instruction.operand(kEnqueued));
  }
  for (const auto& [entry, known] : ofEntries) {
    std::vector<Id>& calls = called[entry];
    calls.insert(calls.end(), pointed.begin(), pointed.end());
    const FloatModes modes = known.value_or(FloatModes());
    for (const Id function : functionsOf(entry, called)) {
      const auto [found, isNew] = floatModes_.try_emplace(function, modes);
      FloatModes& all = found->second;
      if (isNew) continue;
      all.contracts = all.contracts && modes.contracts;
      all.hasDefaults = all.hasDefaults || modes.hasDefaults;
      for (std::size_t i = 0; i < all.defaults.size(); ++i)
        all.defaults[i] &= modes.defaults[i];
    }
  }
}

void Reader::makeKernels() {
  for (const Instruction* entryPoint : entryPoints_) {
    llvm::Function* body = functions_.lookup(entryPoint->operands[1]);
    if (body == nullptr || body->isDeclaration()) return fail("an entry point without a function");
    const std::vector<const Instruction*>& modes = modes_[entryPoint->operands[1]];
    const auto has = [&](spv::ExecutionMode wanted) {
      return llvm::any_of(modes, [&](const Instruction* mode) { return mode->operands[1] == wanted; });
    };
    constexpr int kPriority = 65535; // what clang gives those without one
    if (has(spv::ExecutionModeInitializer) || has(spv::ExecutionModeFinalizer)) {
      // The runtime launches these itself.
      if (body->arg_size() != 0) return fail("an initialiser or a clean-up kernel with arguments");
      if (has(spv::ExecutionModeInitializer)) llvm::appendToGlobalCtors(*module_, body, kPriority);
      if (has(spv::ExecutionModeFinalizer)) llvm::appendToGlobalDtors(*module_, body, kPriority);
      continue;
    }
    // LLVM's translators also make an entry point of each function that kernels enqueue. No application can pass it a
    // generic pointer, which the environment does not allow as a kernel parameter.
    if (llvm::any_of(body->getFunctionType()->params(), [](llvm::Type* type) {
          const auto* pointer = llvm::dyn_cast<llvm::PointerType>(type);
          return pointer != nullptr && pointer->getAddressSpace() == kGenericSpace;
        }))
      continue;
    llvm::Function* kernel = makeKernel(*entryPoint, *body);
    for (const Instruction* mode : modes)
      if (!failed()) readMode(*mode, *kernel);
    if (!failed()) checkLimits(*kernel);
    if (failed()) return;
  }
}

std::uint32_t Reader::maxByteOffset(Id id) {
  if (const Decoration* given = decoration(id, spv::DecorationMaxByteOffset); given && !given->operands.empty())
    return given->operands[0];
  if (const Decoration* given = decoration(id, spv::DecorationMaxByteOffsetId); given && !given->operands.empty())
    return static_cast<std::uint32_t>(std::min<std::uint64_t>(constant(given->operands[0]).value_or(0), UINT32_MAX));
  return 0;
}

llvm::Function* Reader::makeKernel(const Instruction& entryPoint, llvm::Function& body) {
  const std::string name = literalString(entryPoint.operands.drop_front(2));
  if (name.empty()) return fail("a kernel without a name"), nullptr;
  if (llvm::GlobalValue* other = module_->getNamedValue(name)) {
    const auto* function = llvm::dyn_cast<llvm::Function>(other);
    if (builtins_.contains(other)) return fail("a kernel has the name of a builtin function, " + name), nullptr;
    if (function != nullptr && isKernel(*function)) return fail("two kernels of one name"), nullptr;
    other->setName(nameBesideKernel(name));
  }
  auto* kernel = llvm::Function::Create(body.getFunctionType(), llvm::GlobalValue::ExternalLinkage, name, *module_);
  if (kernel->getName() != name) return fail("a kernel's name is no name: " + name), nullptr;
  kernel->setCallingConv(llvm::CallingConv::SPIR_KERNEL);
  kernel->setAttributes(body.getAttributes());
  kernel->removeFnAttr(llvm::Attribute::NoInline);
  kernel->removeFnAttr(llvm::Attribute::InlineHint);

  const Id bodyId = entryPoint.operands[1];
  llvm::SmallVector<llvm::Metadata*, 8> accesses;
  llvm::SmallVector<std::uint32_t, 8> maxBytes;
  for (unsigned i = 0; i < kernel->arg_size(); ++i) {
    llvm::Argument& argument = *kernel->getArg(i);
    const Id id = parameters_[bodyId][i];
    const Type& of = typeOf(id);
    argument.setName(body.getArg(i)->getName());
    accesses.push_back(llvm::MDString::get(*context_, accessName(of)));
    maxBytes.push_back(maxByteOffset(id));
    if (of.op != spv::OpTypePointer || argument.hasByValAttr()) continue;
    const Decoration* given = decoration(id, spv::DecorationAlignment);
    const llvm::Align aligned = given != nullptr                           ? alignmentOf(id, builder.getInt8Ty())
                                : of.storage == spv::StorageClassWorkgroup ? kLocalAlignment
                                                                           : llvm::Align(1);
    argument.removeAttr(llvm::Attribute::Alignment);
    argument.addAttr(llvm::Attribute::getWithAlignment(*context_, aligned));
  }
  kernel->setMetadata("kernel_arg_access_qual", llvm::MDNode::get(*context_, accesses));
  if (llvm::any_of(maxBytes, [](std::uint32_t bytes) { return bytes != 0; }))
    kernel->setMetadata(kMaxArgumentBytes, numbers(*context_, maxBytes));

  builder.SetInsertPoint(llvm::BasicBlock::Create(*context_, "entry", kernel));
  builder.SetCurrentDebugLocation(llvm::DebugLoc());
  if (lines_ && body.getSubprogram() != nullptr) lines_->enter(*kernel, name, builder, body.getSubprogram());
  llvm::SmallVector<llvm::Value*, 8> arguments;
  for (llvm::Argument& argument : kernel->args())
    arguments.push_back(&argument);
  callFunction(body, arguments);
  builder.CreateRetVoid();
  if (!body.getReturnType()->isVoidTy()) fail("a kernel returns a value");
  body.removeFnAttr(llvm::Attribute::NoInline);
  body.removeFnAttr(llvm::Attribute::InlineHint);
  body.addFnAttr(llvm::Attribute::AlwaysInline);
  return kernel;
}

/// Checks that the required local size is within the kernel's own limits (SPV_INTEL_kernel_attributes).
void Reader::checkLimits(const llvm::Function& kernel) {
  const llvm::MDNode* required = kernel.getMetadata("reqd_work_group_size");
  if (required == nullptr) return;
  const auto number = [](const llvm::MDNode* node, unsigned index) {
    return llvm::mdconst::extract<llvm::ConstantInt>(node->getOperand(index))->getZExtValue();
  };
  const llvm::MDNode *largest = kernel.getMetadata(kLargestLocalSize), *most = kernel.getMetadata(kMostDimensions);
  for (unsigned i = 0; i < 3; ++i)
    if ((largest != nullptr && number(required, i) > number(largest, i)) ||
        (most != nullptr && i >= number(most, 0) && number(required, i) > 1))
      return fail("a kernel requires work-groups that its own limits do not allow");
}

void Reader::readMode(const Instruction& mode, llvm::Function& kernel) {
  if (mode.operands[1] == kModeFastMathDefault) return; // see findFloatModes()
  const Words operands = mode.operands.drop_front(2);
  const bool areIds = mode.op == spv::OpExecutionModeId;
  llvm::SmallVector<std::uint32_t, 3> values;
  for (const std::uint32_t operand : operands)
    values.push_back(areIds ? static_cast<std::uint32_t>(constant(operand).value_or(0)) : operand);
  if (failed()) return;
  const auto say = [&](const char* name, std::size_t count) {
    if (values.size() < count) return fail("an execution mode lacks operands");
    kernel.setMetadata(name, numbers(*context_, llvm::ArrayRef<std::uint32_t>(values).take_front(count)));
  };
  switch (mode.operands[1]) {
  case spv::ExecutionModeLocalSize:
  case spv::ExecutionModeLocalSizeId:
    if (llvm::is_contained(values, 0U)) return fail("a kernel requires work-groups without work-items");
    return say("reqd_work_group_size", 3);
  case spv::ExecutionModeLocalSizeHint:
  case spv::ExecutionModeLocalSizeHintId: return say("work_group_size_hint", 3);
  case spv::ExecutionModeSubgroupSize: return say("intel_reqd_sub_group_size", 1);
  case spv::ExecutionModeSubgroupsPerWorkgroup:
  case spv::ExecutionModeSubgroupsPerWorkgroupId: return say(kRequiredSubGroups, 1);
  case spv::ExecutionModeVecTypeHint: {
    llvm::Type* type = values.empty() ? nullptr : hintedType(*context_, values[0]);
    if (type == nullptr) return; // but a hint
    llvm::Metadata* parts[] = {llvm::ValueAsMetadata::get(llvm::PoisonValue::get(type)),
                               llvm::ConstantAsMetadata::get(builder.getInt32(1))};
    kernel.setMetadata("vec_type_hint", llvm::MDNode::get(*context_, parts));
    return;
  }
  case spv::ExecutionModeContractionOff: // see findFloatModes()
  // Modes that are the default.
  case spv::ExecutionModeDenormPreserve:
  case spv::ExecutionModeSignedZeroInfNanPreserve:
  case spv::ExecutionModeRoundingModeRTE:
  case kModePoison:
  // Modes for hardware that is made for the kernel.
  case spv::ExecutionModeNumSIMDWorkitemsINTEL:
  case spv::ExecutionModeSchedulerTargetFmaxMhzINTEL:
  case kModeStreamingInterface: return;
  case spv::ExecutionModeMaxWorkgroupSizeINTEL:
    if (llvm::is_contained(values, 0U)) return fail("a kernel allows only work-groups without work-items");
    return say(kLargestLocalSize, 3);
  case spv::ExecutionModeMaxWorkDimINTEL:
    if (!values.empty() && values[0] > 3) return fail("a kernel allows more than three dimensions");
    return say(kMostDimensions, 1);
  case spv::ExecutionModeNoGlobalOffsetINTEL: return say(kRefusesOffset, 0);
  case kModeNamedSubgroupSize:
    if (values.size() != 1 || values[0] != 0) return fail("a named size of sub-groups that is not the primary one");
    return say(kPrimarySubGroups, 0);
  case kModeSubgroupLaneMapping:
    // Lanes always follow the linear local id.
    if (values.size() != 1 || values[0] != 0) return fail("a mapping of lanes other than WrapINTEL is not supported");
    return;
  case spv::ExecutionModeDenormFlushToZero: {
    const std::uint32_t bits = values.empty() ? 0 : values[0];
    if (bits == 16) return; // see define()
    // The processor has one mode for both precisions.
    if (hasDenormalMode(spv::ExecutionModeDenormPreserve, bits == 32 ? 64 : 32))
      return fail("denormal numbers of one precision are to be kept, those of another to become zero");
    return changeFacts(kernel, [](KernelFacts& facts) { facts.flushesDenormals = true; });
  }
  default: return fail("execution mode " + llvm::Twine(mode.operands[1]) + " is not supported");
  }
}

} // namespace clotho::compiler::spirv
