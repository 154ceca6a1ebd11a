// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The order in which a module is read, and helpers for all parts.
#include "compiler/frontend/spirv/reader.hpp"

#include "base/spirv.hpp"
#include "compiler/frontend/spirv/function_order.hpp"
#include "compiler/frontend/spirv/names.hpp"
#include "compiler/frontend/spirv/opcodes.hpp"
#include "compiler/frontend/spirv/spirv.hpp"
#include "compiler/frontend/spirv/validate.hpp"

#include <llvm/ADT/STLExtras.h>
#include <llvm/Analysis/VectorUtils.h>
#include <llvm/IR/Verifier.h>
#include <llvm/Support/raw_ostream.h>

namespace clotho::compiler::spirv {
namespace {

/// clang's data layout for spir64.
constexpr const char* kDataLayout = "e-i64:64-v16:16-v24:32-v32:32-v48:64-v96:128-v192:256-v256:256-v512:512-v1024:"
                                    "1024-G1";

bool isType(spv::Op op) {
  return static_cast<unsigned>(op) == later::OpTypeUntypedPointerKHR ||
         (op >= spv::OpTypeVoid && op <= spv::OpTypeForwardPointer) || op == spv::OpTypePipeStorage ||
         op == spv::OpTypeNamedBarrier;
}

/// Whether the instruction has no effect on a module's meaning.
bool isIgnored(spv::Op op) {
  switch (op) {
  case spv::OpNop:
  case spv::OpSource:
  case spv::OpSourceContinued:
  case spv::OpSourceExtension:
  case spv::OpMemberName:
  case spv::OpLine:
  case spv::OpNoLine:
  case spv::OpModuleProcessed:
  case spv::OpCapability:
  case spv::OpExtension:
  case spv::OpMemoryModel: // checked with the module
  // Read by alias_scopes.cpp.
  case spv::OpAliasDomainDeclINTEL:
  case spv::OpAliasScopeDeclINTEL:
  case spv::OpAliasScopeListDeclINTEL: return true;
  default: return false;
  }
}

/// Whether a result may be denormal although no operand is.
bool mayUnderflow(spv::Op op) {
  switch (op) {
  case spv::OpFConvert:
  case spv::OpFAdd:
  case spv::OpFSub:
  case spv::OpFMul:
  case spv::OpFDiv:
  case spv::OpFRem:
  case spv::OpFMod:
  case spv::OpVectorTimesScalar:
  case spv::OpDot:
  case spv::OpExtInst: return true;
  default: return false;
  }
}

/// Flushes a denormal half. Half precision is computed in single precision, so the processor's mode does not apply to
/// it.
llvm::Value* flushed(llvm::IRBuilder<>& builder, llvm::Value* value) {
  llvm::Type* type = value->getType();
  llvm::Value* size = builder.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, value);
  llvm::Value* isSmall = builder.CreateFCmpOLT(
      size, llvm::ConstantFP::get(type, llvm::APFloat::getSmallestNormalized(llvm::APFloat::IEEEhalf())));
  llvm::Value* zero =
      builder.CreateBinaryIntrinsic(llvm::Intrinsic::copysign, llvm::Constant::getNullValue(type), value);
  return builder.CreateSelect(isSmall, zero, value);
}

/// Ids that must be known before a type, a constant or a variable is read. Literals among them are harmless.
llvm::SmallVector<Id, 8> neededBy(const Instruction& instruction) {
  Words operands = instruction.operands;
  switch (static_cast<unsigned>(instruction.op)) {
  case spv::OpTypeArray:
  case spv::OpTypeStruct:
  case spv::OpTypeFunction:
  case spv::OpConstantComposite:
  case spv::OpSpecConstantComposite: break;
  case spv::OpTypePointer:
  case spv::OpSpecConstantOp:
  case spv::OpVariable:
  case later::OpUntypedVariableKHR: operands = operands.drop_front(std::min<std::size_t>(1, operands.size())); break;
  default: operands = {};
  }
  llvm::SmallVector<Id, 8> needed(operands);
  if (instruction.type != 0) needed.push_back(instruction.type);
  return needed;
}

} // namespace

Reader::Reader(const BuildRequest& request, const BuildOptions& options, llvm::LLVMContext& context,
               ParsedModule parsed)
    : builder(context), request_(&request), options_(&options), context_(&context),
      module_(std::make_unique<llvm::Module>("spirv", context)), parsed_(std::move(parsed)) {
  module_->setDataLayout(kDataLayout);
  module_->setTargetTriple(llvm::Triple("spir64"));
}

void Reader::fail(const llvm::Twine& why) {
  if (failure_.empty()) failure_ = why.str();
}

std::unique_ptr<llvm::Module> Reader::read() {
  collect();
  flushesHalves_ = hasDenormalMode(spv::ExecutionModeDenormFlushToZero, 16);
  declareAliasScopes();
  if (!failed()) readGlobals();
  if (!failed()) findFloatModes();
  if (!failed()) readBodies();
  if (!failed()) defineDispatches();
  if (!failed()) dropAliasScopes();
  if (!failed()) contractProducts();
  if (!failed()) makeKernels();
  if (!failed()) listInitialisers();
  if (lines_ && !failed()) lines_->finish(*module_);
  if (!failed()) verify();
  if (!failed() && !privateVariables_.empty()) {
    placePrivateVariables();
    if (!failed()) verify();
  }
  return failed() ? nullptr : std::move(module_);
}

void Reader::verify() {
  std::string why;
  llvm::raw_string_ostream out(why);
  if (llvm::verifyModule(*module_, &out)) fail("the module means nothing: " + why);
}

/// Collects names, decorations, entry points and modes, which come before the instructions that they refer to.
void Reader::collect() {
  std::vector<const Instruction*> groups;
  for (const Instruction& instruction : parsed_.instructions) {
    const Words operands = instruction.operands;
    // The validator does not see every decoration.
    const bool hasTarget = instruction.op == spv::OpName || instruction.op == spv::OpDecorate ||
                           instruction.op == spv::OpDecorateId || instruction.op == spv::OpDecorateString;
    if (hasTarget && !operands.empty() && operands[0] >= parsed_.bound) return fail("an id is not below the bound");
    if (instruction.op == spv::OpGroupDecorate)
      for (const Id target : operands)
        if (target >= parsed_.bound) return fail("an id is not below the bound");
    switch (instruction.op) {
    case spv::OpCapability:
      hasFloatControls2_ = hasFloatControls2_ || instruction.operand(0) == kCapabilityFloatControls2;
      break;
    case spv::OpName:
      if (!operands.empty()) names_[operands[0]] = literalString(operands.drop_front());
      break;
    case spv::OpString:
    case spv::OpExtInstImport: texts_[instruction.result] = literalString(operands); break;
    case spv::OpDecorate:
    case spv::OpDecorateId:
    case spv::OpDecorateString:
      if (operands.size() >= 2)
        decorations_[operands[0]].push_back({enumOf<spv::Decoration>(operands[1]), operands.drop_front(2)});
      break;
    case spv::OpGroupDecorate: groups.push_back(&instruction); break;
    case spv::OpEntryPoint:
      if (operands.size() >= 3) entryPoints_.push_back(&instruction);
      break;
    case spv::OpExecutionMode:
    case spv::OpExecutionModeId:
      if (operands.size() < 2) break;
      modes_[operands[0]].push_back(&instruction);
      denormalModes_.emplace(operands[1], instruction.operand(2));
      break;
    default: break;
    }
    if (instruction.op == spv::OpFunction) break;
  }
  decorateGroups(groups);
}

/// Applies the decorations of a group to each of its targets.
void Reader::decorateGroups(llvm::ArrayRef<const Instruction*> groups) {
  std::set<Id> ids;
  for (const Instruction* group : groups)
    ids.insert(group->operand(0));
  // Limits decorations: a small module can decorate very many ids, but none has a reason to.
  constexpr std::size_t kMostDecorations = std::size_t{1} << 22;
  std::size_t count = 0;
  for (const Instruction* group : groups) {
    if (group->operands.empty()) continue;
    const auto given = decorations_.lookup(group->operands[0]);
    const Words targets = group->operands.drop_front();
    count += given.size() * targets.size();
    if (count > kMostDecorations) return fail("groups make more than 4194304 decorations");
    for (const Id target : targets) {
      if (ids.contains(target)) return fail("a group of decorations decorates a group");
      decorations_[target].append(given.begin(), given.end());
    }
  }
}

/// Reads types, constants and variables, each after its operands: producers write some constants before these.
/// Forward-declared pointers come first, and types do not wait for their pointees, which may contain the type.
void Reader::readGlobals() {
  llvm::ArrayRef<Instruction> globals(parsed_.instructions);
  globals = globals.take_until([](const Instruction& each) { return each.op == spv::OpFunction; });
  enum State : std::uint8_t { kNew, kBegun, kRead };
  std::vector<State> states(globals.size(), kNew);
  IdMap<std::size_t> positions;
  std::set<Id> forward;
  for (std::size_t at = 0; at < globals.size() && !failed(); ++at) {
    if (globals[at].result != 0) positions[globals[at].result] = at;
    if (globals[at].op != spv::OpTypeForwardPointer) continue;
    readGlobal(globals[at]);
    states[at] = kRead;
    if (!failed()) forward.insert(globals[at].operands[0]);
  }
  std::vector<std::size_t> begun;
  for (std::size_t first = 0; first < globals.size(); ++first) {
    begun.push_back(first);
    while (!begun.empty() && !failed()) {
      const std::size_t at = begun.back();
      if (states[at] == kNew) {
        states[at] = kBegun;
        for (const Id id : neededBy(globals[at])) {
          if (isType(globals[at].op) && forward.contains(id)) continue;
          if (const auto found = positions.find(id); found != positions.end() && states[found->second] == kNew)
            begun.push_back(found->second);
        }
        continue;
      }
      begun.pop_back();
      if (states[at] == kBegun) readGlobal(globals[at]);
      states[at] = kRead;
    }
    if (failed()) return;
  }
}

void Reader::readGlobal(const Instruction& instruction) {
  if (isType(instruction.op))
    readType(instruction);
  else if (instruction.op == spv::OpVariable || static_cast<unsigned>(instruction.op) == later::OpUntypedVariableKHR)
    readGlobalVariable(instruction);
  else
    readConstant(instruction);
}

void Reader::readBodies() {
  declareFunctions();
  for (std::size_t at = 0; at < parsed_.instructions.size() && !failed(); ++at) {
    readLine(parsed_.instructions[at]);
    if (parsed_.instructions[at].op != spv::OpFunction) continue;
    std::size_t end = at;
    while (end < parsed_.instructions.size() && parsed_.instructions[end].op != spv::OpFunctionEnd)
      ++end;
    if (end == parsed_.instructions.size()) return fail("a function does not end");
    readBody(at, end);
    at = end;
  }
}

void Reader::readLine(const Instruction& instruction) {
  const bool isLine = instruction.op == spv::OpLine && instruction.operands.size() == 3;
  if (isLine && options_->debugInfo && !lines_) lines_.emplace(*module_);
  if (!lines_) return;
  if (isLine)
    lines_->say(text(instruction.operands[0]), instruction.operands[1], instruction.operands[2], builder);
  else if (instruction.op == spv::OpNoLine || instruction.op == spv::OpLabel)
    lines_->forget(builder);
}

void Reader::readInstruction(const Instruction& instruction) {
  if (isIgnored(instruction.op)) return;
  for (const auto family :
       {readArithmetic, readInteger, readConversion, readComposite, readMemory, readExtended, readAtomic, readGroup,
        readImage, readPipe, readDeviceQueue, readExtension, readDynamicArray})
    if (family(*this, instruction)) return;
  if (readFlow(instruction) || readConstant(instruction)) return;
  fail(instructionName(instruction.op) + " is not known");
}

llvm::Value* Reader::value(Id id) {
  if (id >= parsed_.bound) {
    fail("an id is not below the bound");
    return llvm::PoisonValue::get(llvm::Type::getInt32Ty(*context_));
  }
  if (llvm::Value* found = values_.lookup(id)) return found;
  // Samplers and built-in variables have no value of their own: the compiler recognises them by the calls that create
  // or query them.
  if (const auto sampler = samplers_.find(id); sampler != samplers_.end() && builder.GetInsertBlock() != nullptr)
    return callNamed("__translate_sampler_initializer", llvm::TargetExtType::get(*context_, "spirv.Sampler"),
                     {builder.getInt32(sampler->second)}, Effects::None);
  if (const auto late = lateConstants_.find(id); late != lateConstants_.end() && function_ != nullptr)
    return lateValue(*late->second);
  if (const auto builtin = builtinVariable(id); builtin && function_ != nullptr) {
    llvm::Type* type = llvmType(pointee(id));
    llvm::AllocaInst* copy = temporary(type);
    llvm::Type* pointer = llvmType(typeIdOf(id));
    if (failed()) return llvm::PoisonValue::get(pointer);
    builder.CreateStore(builtinValue(*builtin, type), copy);
    return builder.CreatePointerBitCastOrAddrSpaceCast(copy, pointer);
  }
  if (largeValues_.contains(id))
    fail("a value of more than " + llvm::Twine(kMostParts) +
         " parts is used otherwise than to load, store and change it");
  fail("id " + llvm::Twine(id) + " is used as a value and is none, or not yet one");
  return llvm::PoisonValue::get(llvm::Type::getInt32Ty(*context_));
}

std::optional<std::uint64_t> Reader::constant(Id id) {
  if (id >= parsed_.bound) {
    fail("an id is not below the bound");
    return std::nullopt;
  }
  const auto* number = llvm::dyn_cast_or_null<llvm::ConstantInt>(values_.lookup(id));
  if (number == nullptr) {
    fail("id " + llvm::Twine(id) + " is no constant integer");
    return std::nullopt;
  }
  return number->getZExtValue();
}

void Reader::define(const Instruction& instruction, llvm::Value* value) {
  if (failed()) return;
  if (instruction.type == 0 || instruction.result == 0) return fail("an instruction without a result");
  if (value->getType() != llvmType(instruction.type)) return fail("an instruction's operands are not of its type");
  if (isLargeType(instruction.type) && !llvm::isa<llvm::Constant>(value))
    return fail("an instruction makes a value of more than " + llvm::Twine(kMostParts) + " parts");
  if (flushesHalves_ && value->getType()->getScalarType()->isHalfTy() && mayUnderflow(instruction.op))
    value = flushed(builder, value);
  values_[instruction.result] = value;
  valueTypes_[instruction.result] = instruction.type;
  if (llvm::isa<llvm::Instruction>(value) && !value->hasName()) value->setName(name(instruction.result));
}

void Reader::defineSampledImage(const Instruction& instruction, llvm::Value* image, llvm::Value* sampler) {
  sampledImages_[instruction.result] = {image, sampler};
  valueTypes_[instruction.result] = instruction.type;
}

llvm::ArrayRef<Decoration> Reader::decorations(Id id) const {
  const auto found = decorations_.find(id);
  return found == decorations_.end() ? llvm::ArrayRef<Decoration>() : llvm::ArrayRef<Decoration>(found->second);
}

const Decoration* Reader::decoration(Id id, spv::Decoration kind) const {
  for (const Decoration& decoration : decorations(id))
    if (decoration.kind == kind) return &decoration;
  return nullptr;
}

Reader::Argument Reader::intArgument(std::int64_t number, bool isSigned) {
  return {builder.getInt32(static_cast<std::uint32_t>(number)), ParameterType::integer(32, isSigned)};
}

llvm::CallInst* Reader::call(llvm::StringRef name, llvm::Type* result, llvm::ArrayRef<Argument> arguments,
                             Effects effects) {
  llvm::SmallVector<llvm::Value*, 6> values;
  llvm::SmallVector<ParameterType, 6> types;
  const auto check = [&](const llvm::Type* type) {
    constexpr unsigned kBits[] = {1, 8, 16, 32, 64};
    const unsigned bits = type->isIntOrIntVectorTy() ? type->getScalarSizeInBits() : 1;
    if (!llvm::is_contained(kBits, bits))
      fail("OpenCL C has no " + name + " for integers of " + llvm::Twine(bits) + " bits");
  };
  check(result);
  for (const Argument& argument : arguments) {
    check(argument.value->getType());
    values.push_back(argument.value);
    types.push_back(argument.type);
  }
  return callNamed(mangle(name, types), result, values, effects);
}

llvm::Value* Reader::callForElements(llvm::StringRef name, llvm::Type* result, llvm::ArrayRef<Argument> arguments) {
  const auto* vector = llvm::dyn_cast<llvm::FixedVectorType>(result);
  const unsigned elements = vector == nullptr ? 1 : vector->getNumElements();
  if (elements < 5 || elements == 8 || elements == 16) return call(name, result, arguments, Effects::None);
  const unsigned longer = elements < 8 ? 8 : 16;
  llvm::SmallVector<Argument, 3> lengthened;
  for (const Argument& argument : arguments) {
    const auto* own = llvm::dyn_cast<llvm::FixedVectorType>(argument.value->getType());
    if (own == nullptr || own->getNumElements() != elements || argument.type.isPointer)
      fail("OpenCL C has no " + name + " for vectors of " + llvm::Twine(elements));
    if (failed()) return llvm::PoisonValue::get(result);
    llvm::SmallVector<int, 16> mask(longer, llvm::PoisonMaskElem);
    for (unsigned i = 0; i < elements; ++i)
      mask[i] = static_cast<int>(i);
    lengthened.push_back({builder.CreateShuffleVector(argument.value, mask), argument.type});
    lengthened.back().type.elements = longer;
  }
  llvm::Value* made =
      call(name, llvm::FixedVectorType::get(vector->getElementType(), longer), lengthened, Effects::None);
  return builder.CreateShuffleVector(made, llvm::createSequentialMask(0, elements, 0));
}

llvm::CallInst* Reader::callNamed(llvm::StringRef mangled, llvm::Type* result, llvm::ArrayRef<llvm::Value*> arguments,
                                  Effects effects, bool isVariadic) {
  llvm::SmallVector<llvm::Type*, 6> types;
  for (llvm::Value* argument : isVariadic ? arguments.take_front(1) : arguments)
    types.push_back(argument->getType());
  auto* signature = llvm::FunctionType::get(result, types, isVariadic);
  llvm::Function* callee = module_->getFunction(mangled);
  if (callee == nullptr) {
    callee = llvm::Function::Create(signature, llvm::GlobalValue::ExternalLinkage, mangled, *module_);
    callee->setCallingConv(llvm::CallingConv::SPIR_FUNC);
    callee->addFnAttr(llvm::Attribute::Convergent);
    callee->addFnAttr(llvm::Attribute::NoUnwind);
    if (effects == Effects::None || effects == Effects::Reads) callee->addFnAttr(llvm::Attribute::WillReturn);
    if (effects == Effects::None) callee->setDoesNotAccessMemory();
    if (effects == Effects::Reads) callee->setOnlyReadsMemory();
    builtins_.insert(callee);
    if (callee->getName() != mangled) fail("the module has a variable with the name of a builtin function, " + mangled);
  } else if (callee->getFunctionType() != signature || definitions_.contains(callee)) {
    fail("the module has a function with the name of a builtin function, " + mangled);
    return builder.CreateCall(callee->getFunctionType(), llvm::PoisonValue::get(callee->getType()), {});
  }
  llvm::CallInst* call = builder.CreateCall(callee, arguments);
  call->setCallingConv(llvm::CallingConv::SPIR_FUNC);
  call->addFnAttr(llvm::Attribute::Convergent);
  if (effects == Effects::Convergent) waiting_.insert(call->getFunction());
  return call;
}

llvm::Value* Reader::generic(llvm::Value* pointer) {
  const auto* type = llvm::dyn_cast<llvm::PointerType>(pointer->getType());
  if (type == nullptr) {
    fail("a pointer is expected");
    return llvm::PoisonValue::get(builder.getPtrTy(kGenericSpace));
  }
  if (type->getAddressSpace() == kGenericSpace) return pointer;
  return builder.CreateAddrSpaceCast(pointer, builder.getPtrTy(kGenericSpace));
}

llvm::Value* Reader::truth(llvm::Value* number) {
  if (!number->getType()->isIntOrIntVectorTy()) {
    fail("an integer is expected");
    return number;
  }
  return builder.CreateICmpNE(number, llvm::Constant::getNullValue(number->getType()));
}

llvm::Value* Reader::number(llvm::Value* truth, llvm::Type* integer) {
  // In OpenCL C, true is -1 in vectors and 1 in scalars.
  return integer->isVectorTy() ? builder.CreateSExt(truth, integer) : builder.CreateZExt(truth, integer);
}

llvm::CallInst* Reader::callWritten(llvm::StringRef name, llvm::Type* result, llvm::ArrayRef<llvm::Value*> arguments,
                                    llvm::function_ref<void(llvm::IRBuilder<>&, llvm::Function&)> fill) {
  llvm::SmallVector<llvm::Type*, 4> types;
  for (const llvm::Value* argument : arguments)
    types.push_back(argument->getType());
  auto* written = llvm::Function::Create(llvm::FunctionType::get(result, types, false),
                                         llvm::GlobalValue::InternalLinkage, name, *module_);
  written->setCallingConv(llvm::CallingConv::SPIR_FUNC);
  written->addFnAttr(llvm::Attribute::NoUnwind);
  written->addFnAttr(llvm::Attribute::AlwaysInline);
  llvm::IRBuilder<> inside(llvm::BasicBlock::Create(*context_, "entry", written));
  fill(inside, *written);
  return callFunction(*written, arguments);
}

llvm::AllocaInst* Reader::temporary(llvm::Type* type) {
  if (!type->isSized()) {
    fail("a private variable of a type without a size");
    type = builder.getInt8Ty();
  }
  llvm::BasicBlock& entry = function_->getEntryBlock();
  llvm::IRBuilder<> atEntry(&entry, entry.begin());
  return atEntry.CreateAlloca(type);
}

} // namespace clotho::compiler::spirv

namespace clotho::compiler {

std::unique_ptr<llvm::Module> readSpirv(const BuildRequest& request, const BuildOptions& options,
                                        llvm::LLVMContext& context, std::string& log) {
  const auto refuse = [&](const std::string& why) {
    log += "error: " + why + "\n";
    return nullptr;
  };
  // The request may come from a program that was created without checking it, or by another compiler.
  if (const std::string why = checkSpirv(request.il); !why.empty()) return refuse(why);
  const auto advise = [&] {
    if (const std::string advice = adviseOnSpirv(request.il); !advice.empty()) log += "note: " + advice + "\n";
  };
  const auto written = clotho::spirvWords(request.il);
  const std::vector<std::uint32_t> words = spirv::withFunctionsInOrder(*written);
  auto parsed = spirv::parse(words);
  if (!parsed) return refuse(llvm::toString(parsed.takeError()));
  spirv::Reader reader(request, options, context, std::move(*parsed));
  auto module = reader.read();
  if (!module) refuse("SPIR-V: " + reader.failure());
  if (!module || options.validate) advise();
  return module;
}

} // namespace clotho::compiler
