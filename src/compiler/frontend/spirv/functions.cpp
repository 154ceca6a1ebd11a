// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Functions, blocks and control flow.
#include "compiler/frontend/spirv/reader.hpp"

#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/MDBuilder.h>

namespace clotho::compiler::spirv {
void Reader::addParameterAttributes(llvm::Function& function, unsigned index, Id id, const Type& of) {
  llvm::Argument& argument = *function.getArg(index);
  if (of.op != spv::OpTypePointer) return;
  llvm::AttrBuilder attributes(*context_);
  for (const Decoration& decoration : decorations(id)) {
    const std::uint32_t operand = decoration.operands.empty() ? 0 : decoration.operands[0];
    if (decoration.kind == spv::DecorationRestrict) attributes.addAttribute(llvm::Attribute::NoAlias);
    if (decoration.kind != spv::DecorationFuncParamAttr) continue;
    const bool needsSize =
        operand == spv::FunctionParameterAttributeByVal || operand == spv::FunctionParameterAttributeSret;
    if (needsSize && (!llvmType(of.element)->isSized() || failed())) return fail("a parameter by value without size");
    switch (operand) {
    case spv::FunctionParameterAttributeByVal:
      attributes.addByValAttr(llvmType(of.element));
      attributes.addAlignmentAttr(alignmentOf(id, llvmType(of.element)));
      break;
    case spv::FunctionParameterAttributeSret: attributes.addStructRetAttr(llvmType(of.element)); break;
    case spv::FunctionParameterAttributeNoAlias: attributes.addAttribute(llvm::Attribute::NoAlias); break;
    case spv::FunctionParameterAttributeNoWrite: attributes.addAttribute(llvm::Attribute::ReadOnly); break;
    case spv::FunctionParameterAttributeNoReadWrite: attributes.addAttribute(llvm::Attribute::ReadNone); break;
    default: break;
    }
  }
  if (!failed()) argument.addAttrs(attributes);
}

/// Ignores NoInline in modules of producers that do not optimise and mark every function so, even kernels. No program
/// marks a kernel, so a marked kernel identifies such a producer.
void Reader::inlineUnoptimised() {
  const bool isUnoptimised = llvm::any_of(entryPoints_, [&](const Instruction* entryPoint) {
    const llvm::Function* kernel = functions_.lookup(entryPoint->operand(1));
    return kernel != nullptr && kernel->hasFnAttribute(llvm::Attribute::NoInline);
  });
  if (!isUnoptimised) return;
  for (const auto& [id, function] : functions_)
    function->removeFnAttr(llvm::Attribute::NoInline);
}

void Reader::declareFunctions() {
  const auto& instructions = parsed_.instructions;
  for (std::size_t at = 0; at < instructions.size() && !failed(); ++at) {
    const Instruction& instruction = instructions[at];
    if (instruction.op != spv::OpFunction) continue;
    if (instruction.operands.size() < 2) return fail("a function's declaration is too short");
    const Type& signature = type(instruction.operands[1]);
    if (signature.op != spv::OpTypeFunction) return fail("a function is not of a function's type");
    const bool isLarge = isLargeType(signature.element) ||
                         llvm::any_of(signature.members, [&](Id parameter) { return isLargeType(parameter); });
    if (isLarge) return fail("a function takes or returns a value of more than " + llvm::Twine(kMostParts) + " parts");
    std::string linkName;
    bool isImport = false;
    auto linkage = llvm::GlobalValue::InternalLinkage;
    readLinkage(instruction.result, linkName, isImport, linkage);
    if (llvm::StringRef(linkName).starts_with("llvm.")) {
      if (!isImport) return fail("a name that the compiler has for itself: " + linkName);
      llvmFunctions_[instruction.result] = linkName;
      continue;
    }
    auto* function = llvm::Function::Create(llvm::cast<llvm::FunctionType>(signature.type), linkage,
                                            linkName.empty() ? ownName(instruction.result) : linkName, *module_);
    function->setCallingConv(llvm::CallingConv::SPIR_FUNC);
    function->addFnAttr(llvm::Attribute::Convergent);
    function->addFnAttr(llvm::Attribute::NoUnwind);
    const std::uint32_t control = instruction.operands[0];
    if ((control & spv::FunctionControlInlineMask) != 0) function->addFnAttr(llvm::Attribute::InlineHint);
    const bool isUnoptimised = (control & spv::FunctionControlOptNoneINTELMask) != 0;
    if ((control & spv::FunctionControlDontInlineMask) != 0 && !isUnoptimised)
      function->addFnAttr(llvm::Attribute::NoInline);
    // LLVM's SPIR-V generator writes Const for functions that read by-value arguments, which for LLVM are memory.
    const bool hasPointers = llvm::any_of(
        function->args(), [](const llvm::Argument& argument) { return argument.getType()->isPointerTy(); });
    if ((control & spv::FunctionControlConstMask) != 0 && !hasPointers)
      function->setDoesNotAccessMemory();
    else if ((control & spv::FunctionControlConstMask) != 0)
      function->setMemoryEffects(llvm::MemoryEffects::argMemOnly(llvm::ModRefInfo::Ref));
    else if ((control & spv::FunctionControlPureMask) != 0)
      function->setOnlyReadsMemory();
    functions_[instruction.result] = function;
    if (!isImport) definitions_.insert(function);
    for (unsigned index = 0; index < signature.members.size(); ++index) {
      do
        ++at;
      while (at < instructions.size() && (instructions[at].op == spv::OpLine || instructions[at].op == spv::OpNoLine));
      if (at >= instructions.size() || instructions[at].op != spv::OpFunctionParameter)
        return fail("a function has other parameters than its type");
      const Instruction& parameter = instructions[at];
      if (parameter.type != signature.members[index]) return fail("a parameter is not of its function's type");
      values_[parameter.result] = function->getArg(index);
      valueTypes_[parameter.result] = parameter.type;
      function->getArg(index)->setName(name(parameter.result));
      addParameterAttributes(*function, index, parameter.result, type(parameter.type));
      parameters_[instruction.result].push_back(parameter.result);
    }
  }
  inlineUnoptimised();
}

void Reader::readBody(std::size_t first, std::size_t end) {
  const auto& instructions = parsed_.instructions;
  function_ = functions_.lookup(instructions[first].result);
  const auto modes = floatModes_.find(instructions[first].result);
  arithmetic_ = modes == floatModes_.end() ? FloatModes() : modes->second;
  blocks_.clear();
  phis_.clear();
  loops_.clear();
  arrayStack_.reset();
  builder.ClearInsertionPoint();
  builder.SetCurrentDebugLocation(llvm::DebugLoc());
  const bool isDefined = llvm::any_of(llvm::ArrayRef(instructions).slice(first, end - first),
                                      [](const Instruction& each) { return each.op == spv::OpLabel; });
  if (function_ == nullptr) {
    if (isDefined) fail("a function of LLVM's with a body");
    return;
  }
  if (lines_ && isDefined) lines_->enter(*function_, name(instructions[first].result), builder);
  for (std::size_t at = first + 1; at < end && !failed(); ++at) {
    const Instruction& instruction = instructions[at];
    readLine(instruction);
    if (instruction.op == spv::OpFunctionParameter) continue;
    if (instruction.op == spv::OpLabel) {
      llvm::BasicBlock* begun = block(instruction.result);
      if (!begun->empty() || begun->getParent() != nullptr) return fail("a block that begins twice");
      if (builder.GetInsertBlock() != nullptr && builder.GetInsertBlock()->getTerminator() == nullptr)
        return fail("a block without an end");
      begun->insertInto(function_);
      builder.SetInsertPoint(begun);
      continue;
    }
    if (instruction.op == spv::OpNoLine || instruction.op == spv::OpLine) continue;
    if (builder.GetInsertBlock() == nullptr || builder.GetInsertBlock()->getTerminator() != nullptr)
      return fail("an instruction outside of all blocks");
    readInstruction(instruction);
  }
  if (failed()) return dropBlocks();
  if (!function_->empty() && builder.GetInsertBlock()->getTerminator() == nullptr) fail("a block without an end");
  for (const auto& [id, block] : blocks_)
    if (block->getParent() == nullptr) fail("a branch to a block that there is not");
  if (failed()) return dropBlocks();
  fillPhis();
  markLoops();
}

/// Deletes blocks that are in no function and have no other owner.
void Reader::dropBlocks() {
  for (const auto& [id, block] : blocks_) {
    if (block->getParent() != nullptr) continue;
    block->replaceAllUsesWith(llvm::PoisonValue::get(block->getType()));
    block->deleteValue();
  }
  blocks_.clear();
}

llvm::BasicBlock* Reader::block(Id id) {
  if (id >= parsed_.bound) {
    fail("an id is not below the bound");
    id = 0; // which no block has
  }
  llvm::BasicBlock*& block = blocks_[id];
  if (block == nullptr) block = llvm::BasicBlock::Create(*context_, name(id));
  return block;
}

llvm::CallInst* Reader::callFunction(llvm::Function& callee, llvm::ArrayRef<llvm::Value*> arguments) {
  llvm::CallInst* call = builder.CreateCall(&callee, arguments);
  call->setCallingConv(callee.getCallingConv());
  for (unsigned i = 0; i < arguments.size(); ++i)
    call->setAttributes(call->getAttributes().addParamAttributes(
        *context_, i, llvm::AttrBuilder(*context_, callee.getAttributes().getParamAttrs(i))));
  call->addFnAttr(llvm::Attribute::Convergent);
  return call;
}

// NOLINTNEXTLINE(readability-function-size): a case an instruction
bool Reader::readFlow(const Instruction& instruction) {
  const Words operands = instruction.operands;
  switch (instruction.op) {
  case spv::OpPhi: {
    llvm::BasicBlock& here = *builder.GetInsertBlock();
    if (!here.empty() && !llvm::isa<llvm::PHINode>(here.back())) {
      fail("a phi behind other instructions");
      return true;
    }
    llvm::Type* type = llvmType(instruction.type);
    if (type->isVoidTy() || failed()) {
      fail("a phi of no type");
      return true;
    }
    llvm::PHINode* phi = builder.CreatePHI(type, static_cast<unsigned>(operands.size() / 2));
    phis_.emplace_back(phi, operands);
    define(instruction, phi);
    return true;
  }
  case spv::OpSelectionMerge: return true; // flow need not be structured
  case spv::OpLoopMerge:
    if (operands.size() >= 3) loops_.emplace_back(builder.GetInsertBlock(), operands.drop_front(2));
    return true;
  case spv::OpLoopControlINTEL:
    if (!operands.empty()) loops_.emplace_back(builder.GetInsertBlock(), operands);
    return true;
  case spv::OpBranch:
    if (operands.empty())
      fail("a branch to nowhere");
    else
      builder.CreateBr(block(operands[0]));
    return true;
  case spv::OpBranchConditional: {
    if (operands.size() < 3) {
      fail("a branch to nowhere");
      return true;
    }
    llvm::Value* condition = value(operands[0]);
    if (!condition->getType()->isIntegerTy(1)) {
      fail("a branch's condition is not true or false");
      return true;
    }
    llvm::MDNode* weights = nullptr;
    if (operands.size() >= 5 && (operands[3] != 0 || operands[4] != 0))
      weights = llvm::MDBuilder(*context_).createBranchWeights(operands[3], operands[4]);
    builder.CreateCondBr(condition, block(operands[1]), block(operands[2]), weights);
    return true;
  }
  case spv::OpSwitch: {
    auto* selector = operands.size() < 2 ? nullptr : value(operands[0]);
    if (selector == nullptr || !selector->getType()->isIntegerTy()) {
      fail("a switch by what is no integer");
      return true;
    }
    const unsigned bits = selector->getType()->getIntegerBitWidth();
    const std::size_t words = llvm::divideCeil(bits, 32);
    if ((operands.size() - 2) % (words + 1) != 0) {
      fail("a switch ends in the middle of a case");
      return true;
    }
    llvm::SwitchInst* made = builder.CreateSwitch(selector, block(operands[1]));
    llvm::SmallPtrSet<llvm::ConstantInt*, 16> numbers;
    for (std::size_t at = 2; at < operands.size(); at += words + 1) {
      auto* number = llvm::ConstantInt::get(*context_, literalInteger(operands.slice(at, words), bits));
      if (!numbers.insert(number).second) fail("a switch has a case twice");
      if (failed()) return true;
      made->addCase(number, block(operands[at + words]));
    }
    return true;
  }
  case spv::OpReturn:
    if (!function_->getReturnType()->isVoidTy())
      fail("a function returns nothing where it should");
    else
      builder.CreateRetVoid();
    return true;
  case spv::OpReturnValue: {
    llvm::Value* result = value(instruction.operand(0));
    if (result->getType() != function_->getReturnType())
      fail("a function returns what is not of its type");
    else
      builder.CreateRet(result);
    return true;
  }
  case spv::OpUnreachable:
  case spv::OpKill: builder.CreateUnreachable(); return true;
  case spv::OpFunctionPointerCallINTEL: readPointerCall(instruction); return true;
  case spv::OpFunctionCall: {
    llvm::Function* callee = functions_.lookup(instruction.operand(0));
    llvm::SmallVector<llvm::Value*, 8> arguments;
    for (const Id id : operands.drop_front(std::min<std::size_t>(1, operands.size())))
      arguments.push_back(value(id));
    if (callee == nullptr && !llvmFunctions_.contains(instruction.operand(0))) fail("a call of what is no function");
    if (failed()) return true;
    if (callee == nullptr)
      return callLlvmFunction(llvmFunctions_.lookup(instruction.operand(0)), instruction, arguments), true;
    if (arguments.size() != callee->arg_size()) fail("a call has other arguments than its function");
    for (unsigned i = 0; i < arguments.size() && !failed(); ++i)
      if (arguments[i]->getType() != callee->getArg(i)->getType()) fail("a call has other arguments than its function");
    if (failed()) return true;
    llvm::CallInst* call = callFunction(*callee, arguments);
    if (const Decoration* scope = decoration(instruction.result, spv::DecorationAliasScopeINTEL))
      call->setMetadata(llvm::LLVMContext::MD_alias_scope, aliasList(scope->operands.empty() ? 0 : scope->operands[0]));
    if (const Decoration* others = decoration(instruction.result, spv::DecorationNoAliasINTEL))
      call->setMetadata(llvm::LLVMContext::MD_noalias, aliasList(others->operands.empty() ? 0 : others->operands[0]));
    if (call->getType()->isVoidTy())
      valueTypes_[instruction.result] = instruction.type;
    else
      define(instruction, call);
    return true;
  }
  default: return false;
  }
}

/// Fills phis. SPIR-V names each predecessor once, LLVM each edge.
void Reader::fillPhis() {
  // A switch with many cases for one block makes as many edges for its phis: a small module could fill all memory.
  constexpr std::size_t kMostEdges = std::size_t{1} << 22;
  std::size_t edges = 0;
  for (const auto& [phi, operands] : phis_) {
    llvm::SmallDenseMap<llvm::BasicBlock*, std::pair<Id, llvm::Value*>> from;
    for (std::size_t at = 0; at + 1 < operands.size(); at += 2) {
      // Translators name a predecessor once for each of its edges.
      llvm::BasicBlock* predecessor = blocks_.lookup(operands[at + 1]);
      const auto [found, isNew] = from.try_emplace(predecessor, operands[at], nullptr);
      if (!isNew && found->second.first == operands[at]) continue;
      // Instructions that compute the incoming value come before the branch.
      if (predecessor != nullptr) builder.SetInsertPoint(predecessor->getTerminator());
      llvm::Value* incoming = value(operands[at]);
      if (incoming->getType() != phi->getType()) return fail("a phi's values are not of its type");
      if (isNew)
        found->second.second = incoming;
      else if (found->second.second != incoming)
        return fail("a phi has two values for one block that control comes from");
    }
    for (llvm::BasicBlock* predecessor : llvm::predecessors(phi->getParent())) {
      llvm::Value* incoming = from.lookup(predecessor).second;
      if (incoming == nullptr) return fail("a phi lacks a block that control comes from");
      if (++edges > kMostEdges) return fail("the phis of a function have more than 4194304 edges");
      phi->addIncoming(incoming, predecessor);
    }
  }
}

/// Converts unrolling hints of a loop's control to metadata at its back edges, as clang writes it.
void Reader::markLoops() {
  if (loops_.empty()) return;
  llvm::DenseMap<const llvm::BasicBlock*, std::size_t> positions;
  for (const llvm::BasicBlock& block : *function_)
    positions.try_emplace(&block, positions.size());
  for (const auto& [header, operands] : loops_) {
    const std::uint32_t control = operands[0];
    llvm::SmallVector<llvm::Metadata*, 3> parts = {nullptr};
    const auto say = [&](llvm::StringRef text) {
      parts.push_back(llvm::MDNode::get(*context_, llvm::MDString::get(*context_, text)));
    };
    if ((control & spv::LoopControlUnrollMask) != 0) say("llvm.loop.unroll.enable");
    if ((control & spv::LoopControlDontUnrollMask) != 0) say("llvm.loop.unroll.disable");
    if (parts.size() == 1) continue;
    llvm::MDNode* mark = llvm::MDNode::getDistinct(*context_, parts);
    mark->replaceOperandWith(0, mark);
    // Blocks come after their dominators, so back edges come from later blocks.
    for (llvm::BasicBlock* from : llvm::predecessors(header))
      if (positions.lookup(from) >= positions.lookup(header))
        from->getTerminator()->setMetadata(llvm::LLVMContext::MD_loop, mark);
  }
}

} // namespace clotho::compiler::spirv
