// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/analysis/footprints.hpp"

#include "compiler/analysis/footprint_nodes.hpp"
#include "compiler/ir/intrinsics.hpp"
#include "compiler/ir/marks.hpp"

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ScalarEvolutionExpressions.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/Demangle/Demangle.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/InlineAsm.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/PatternMatch.h>

#include <algorithm>
#include <map>

namespace clotho::compiler {
namespace {

using llvm::Instruction;
using llvm::SCEV;
using llvm::Value;

constexpr unsigned kGlobalSpace = 1, kConstantSpace = 2, kLocalSpace = 3;
constexpr std::size_t kMostAccesses = 128;

/// The kind of memory behind a pointer that is not a sum of anything.
enum class Memory {
  Own,      ///< of the work-item, of its group, or constant
  Argument, ///< of a buffer among the arguments
  Image,    ///< of an image among the arguments
  Printf,   ///< the launch's buffer for printf
  Variable, ///< a variable at program scope that kernels may change
  Other,
};

/// Whether an address, as an integer or a pointer, comes from a descriptor for which `isDescriptor` holds: from a load,
/// to which something may be added.
bool isLoadedFrom(const Value& address, llvm::function_ref<bool(const Value&)> isDescriptor, unsigned depth = 0) {
  constexpr unsigned kDepthLimit = 6;
  if (depth > kDepthLimit) return false;
  const auto isOperandLoaded = [&](const Value* operand) { return isLoadedFrom(*operand, isDescriptor, depth + 1); };
  if (const auto* load = llvm::dyn_cast<llvm::LoadInst>(&address))
    return isDescriptor(*llvm::getUnderlyingObject(load->getPointerOperand(), /*MaxLookup=*/0));
  if (const auto* cast = llvm::dyn_cast<llvm::IntToPtrInst>(&address)) return isOperandLoaded(cast->getOperand(0));
  if (const auto* phi = llvm::dyn_cast<llvm::PHINode>(&address))
    return llvm::all_of(phi->incoming_values(), isOperandLoaded);
  if (const auto* select = llvm::dyn_cast<llvm::SelectInst>(&address))
    return isOperandLoaded(select->getTrueValue()) && isOperandLoaded(select->getFalseValue());
  const auto* sum = llvm::dyn_cast<llvm::BinaryOperator>(&address);
  return sum != nullptr && sum->getOpcode() == Instruction::Add &&
         (isOperandLoaded(sum->getOperand(0)) || isOperandLoaded(sum->getOperand(1)));
}

Memory memoryOf(const Value& object) {
  const unsigned space = object.getType()->getPointerAddressSpace();
  if (llvm::isa<llvm::ConstantPointerNull>(object)) return Memory::Other; // an offset from null is any address
  if (space == kLocalSpace || llvm::isa<llvm::AllocaInst>(object)) return Memory::Own;
  if (const auto* argument = llvm::dyn_cast<llvm::Argument>(&object)) {
    if (argument->hasByValAttr()) return Memory::Own;
    if (argument->hasAttribute(kImageArgument)) return Memory::Image;
    if (argument->hasAttribute(kPipeArgument)) return Memory::Other;
    return space == kGlobalSpace || space == kConstantSpace ? Memory::Argument : Memory::Other;
  }
  if (const auto* variable = llvm::dyn_cast<llvm::GlobalVariable>(&object))
    return variable->isConstant() ? Memory::Own : Memory::Variable; // an initialiser may fill others of any space
  if (isIntrinsic(&object, Intrinsic::PrintfBuffer)) return Memory::Printf;
  if (const auto* call = llvm::dyn_cast<llvm::CallBase>(&object); call != nullptr && call->arg_size() > 0)
    return isIntrinsic(call->getArgOperand(0), Intrinsic::PrintfBuffer) ? Memory::Printf : Memory::Other; // a record
  // Descriptors of images have the addresses of the texels.
  const auto isImage = [](const Value& from) {
    const auto* argument = llvm::dyn_cast<llvm::Argument>(&from);
    return argument != nullptr && argument->hasAttribute(kImageArgument);
  };
  return isLoadedFrom(object, isImage) ? Memory::Image : Memory::Other;
}

class Finder {
 public:
  Finder(llvm::Function& function, llvm::FunctionAnalysisManager& analyses)
      : function_(function), evolution_(analyses.getResult<llvm::ScalarEvolutionAnalysis>(function)),
        dominators_(analyses.getResult<llvm::DominatorTreeAnalysis>(function)),
        loops_(analyses.getResult<llvm::LoopAnalysis>(function)), nodes_(footprint_, evolution_, dominators_) {
    footprint_.unknown.clear();
  }

  KernelFootprint find() {
    for (Instruction& instruction : llvm::instructions(function_))
      if (dominators_.isReachableFromEntry(instruction.getParent())) examine(instruction);
    if (footprint_.unknown.empty() && (!nodes_.hasRoom() || footprint_.accesses.size() > kMostAccesses))
      refuse(nullptr, "it has more accesses, or longer expressions of addresses, than are examined");
    if (!footprint_.unknown.empty()) {
      footprint_.nodes.clear();
      footprint_.accesses.clear();
    }
    return std::move(footprint_);
  }

 private:
  /// Notes why launches cannot be split; the first reason stays.
  void refuse(const Instruction* at, std::string why) {
    if (!footprint_.unknown.empty()) return;
    footprint_.unknown = std::move(why);
    footprint_.unknownLine = at != nullptr ? lineOf(*at) : 0;
  }

  static std::uint32_t lineOf(const Instruction& instruction) {
    return instruction.getDebugLoc() ? instruction.getDebugLoc().getLine() : 0;
  }

  void examine(Instruction& instruction) {
    if (const auto call = matchIntrinsic(&instruction)) return examine(*call);
    if (const auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction)) return examineCall(*call);
    if (const Value* pointer = llvm::getLoadStorePointerOperand(&instruction)) {
      const bool isStore = llvm::isa<llvm::StoreInst>(instruction);
      if (instruction.isVolatile() && !isOwn(*pointer)) return refuse(&instruction, "it makes a volatile access");
      if (instruction.isAtomic() && !isOwn(*pointer)) return refuse(&instruction, "it makes an atomic access");
      const llvm::TypeSize size = function_.getDataLayout().getTypeStoreSize(llvm::getLoadStoreType(&instruction));
      return addAccess(instruction, *pointer, isStore, size.getFixedValue());
    }
    if (const auto* change = llvm::dyn_cast<llvm::AtomicRMWInst>(&instruction))
      return examineAtomic(instruction, *change->getPointerOperand());
    if (const auto* exchange = llvm::dyn_cast<llvm::AtomicCmpXchgInst>(&instruction))
      return examineAtomic(instruction, *exchange->getPointerOperand());
    if (instruction.mayReadOrWriteMemory() && !llvm::isa<llvm::FenceInst>(instruction))
      refuse(&instruction, "it accesses memory in a way that is not examined");
  }

  void examine(const IntrinsicCall& call) {
    switch (call.intrinsic) {
    case Intrinsic::GroupId:
    case Intrinsic::NumGroups:
    case Intrinsic::GlobalSize:
    case Intrinsic::GlobalOffset: footprint_.seesLaunch |= 1U << call.dimension; break;
    case Intrinsic::Enqueuing: refuse(nullptr, "it enqueues kernels"); break;
    default: break;
    }
  }

  void examineAtomic(const Instruction& atomic, const Value& pointer) {
    if (!isOwn(pointer)) refuse(&atomic, "it changes global memory by an atomic operation");
  }

  /// Whether a pointer can only point to memory that needs no footprint: private or local memory, constant variables,
  /// and structs passed by value.
  static bool isOwn(const Value& pointer) {
    llvm::SmallVector<const Value*, 4> objects;
    llvm::getUnderlyingObjects(&pointer, objects, nullptr, /*MaxLookup=*/0);
    return llvm::all_of(objects, [](const Value* object) { return memoryOf(*object) == Memory::Own; });
  }

  // --- Calls ---

  void examineCall(const llvm::CallBase& call) {
    if (const auto* access = llvm::dyn_cast<llvm::AnyMemIntrinsic>(&call);
        access != nullptr && (access->isVolatile() || access->isAtomic()))
      return refuse(&call, access->isVolatile() ? "it makes a volatile access" : "it makes an atomic access");
    if (const auto* transfer = llvm::dyn_cast<llvm::AnyMemTransferInst>(&call)) {
      addAccess(call, *transfer->getRawSource(), false, sizeOf(*transfer));
      return addAccess(call, *transfer->getRawDest(), true, sizeOf(*transfer));
    }
    if (const auto* set = llvm::dyn_cast<llvm::AnyMemSetInst>(&call))
      return addAccess(call, *set->getRawDest(), true, sizeOf(*set));
    if (const auto* intrinsic = llvm::dyn_cast<llvm::IntrinsicInst>(&call);
        intrinsic != nullptr &&
        (intrinsic->isAssumeLikeIntrinsic() || intrinsic->getIntrinsicID() == llvm::Intrinsic::prefetch))
      return;
    if (const auto* assembly = llvm::dyn_cast<llvm::InlineAsm>(call.getCalledOperand())) {
      if (!assembly->getAsmString().empty()) refuse(&call, "it has inline assembly");
      return;
    }
    const llvm::Function* callee = call.getCalledFunction();
    if (callee == nullptr) return refuse(&call, "it calls a function by its address");
    if (reachesNothing(call, *callee)) return;
    if (isPrintf(call)) return;
    if (!touchesArgumentsAlone(*callee))
      return refuse(&call, "it calls '" + nameOf(*callee) + "', which is not inlined");
    for (const llvm::Use& operand : call.args()) {
      if (!operand->getType()->isPtrOrPtrVectorTy()) continue;
      if (operand->getType()->isVectorTy()) return refuse(&call, "it passes pointers in a vector");
      examinePassed(call, *operand, call.getArgOperandNo(&operand), *callee);
    }
  }

  /// Whether a call accesses no memory. What attributes say of a function in the program is not taken for it, since
  /// functions that programs declare as `const` may read.
  static bool reachesNothing(const llvm::CallBase& call, const llvm::Function& callee) {
    if (!call.doesNotAccessMemory() && !call.onlyAccessesInaccessibleMemory()) return false;
    if (callee.isIntrinsic()) return true;
    return callee.isDeclaration() && llvm::none_of(call.args(), [](const llvm::Use& operand) {
             return operand->getType()->isPtrOrPtrVectorTy();
           });
  }

  /// A pointer that a function gets which is not inlined: it may access anything behind it.
  void examinePassed(const llvm::CallBase& call, const Value& pointer, unsigned number, const llvm::Function& callee) {
    if (isOwn(pointer)) return;
    const bool isImage = memoryOf(*llvm::getUnderlyingObject(&pointer, /*MaxLookup=*/0)) == Memory::Image;
    if (!isImage && readsDescriptors_.contains(&callee))
      return refuse(&call, "it passes a pointer to '" + nameOf(callee) + "', which loads pointers from memory");
    if (!isOnlyRead(callee, number))
      return refuse(&call, "it passes a pointer to '" + nameOf(callee) + "', which is not inlined");
    addWhole(call, pointer, false);
  }

  static std::string nameOf(const llvm::Function& function) {
    const std::string name = llvm::demangle(function.getName());
    return name.substr(0, name.find('('));
  }

  /// Whether the call reserves a record in the printf buffer.
  static bool isPrintf(const llvm::CallBase& call) {
    return call.getType()->isPointerTy() && memoryOf(call) == Memory::Printf;
  }

  /// Whether a function reaches nothing but what its arguments point to, and changes none of it by atomics.
  bool touchesArgumentsAlone(const llvm::Function& function) {
    const auto [known, isNew] = touchesArguments_.try_emplace(&function, true); // also while it is examined: recursion
    if (!isNew) return known->second;
    const bool result =
        !function.isDeclaration() && llvm::all_of(llvm::instructions(function), [&](const Instruction& each) {
          if (llvm::isa<llvm::FenceInst>(each) || matchIntrinsic(&each)) return true;
          if (!each.mayReadOrWriteMemory() && !llvm::isa<llvm::CallBase>(each)) return true;
          if (const auto* intrinsic = llvm::dyn_cast<llvm::IntrinsicInst>(&each);
              intrinsic != nullptr && intrinsic->isAssumeLikeIntrinsic())
            return true;
          if (const auto* call = llvm::dyn_cast<llvm::CallBase>(&each)) {
            if (llvm::isa<llvm::AnyMemIntrinsic>(call)) return false;
            const llvm::Function* called = call->getCalledFunction();
            if (called == nullptr) return false;
            if (reachesNothing(*call, *called)) return true;
            if (!touchesArgumentsAlone(*called) || !passesArgumentsAlone(*call)) return false;
            if (readsDescriptors_.contains(called)) readsDescriptors_.insert(&function);
            return true;
          }
          const Value* pointer = llvm::getLoadStorePointerOperand(&each);
          if (pointer == nullptr || each.isVolatile() || each.isAtomic()) return false;
          const Value& object = *llvm::getUnderlyingObject(pointer, /*MaxLookup=*/0);
          const Memory memory = memoryOf(object);
          const bool isRead = llvm::isa<llvm::LoadInst>(each);
          if (memory == Memory::Own || llvm::isa<llvm::Argument>(object)) return true;
          if (!isRead || !isOfDescriptor(object)) return false;
          readsDescriptors_.insert(&function);
          return true;
        });
    touchesArguments_[&function] = result;
    return result;
  }

  /// Whether the pointers that a function passes on are its arguments, or to memory of its own.
  static bool passesArgumentsAlone(const llvm::CallBase& call) {
    return llvm::all_of(call.args(), [](const llvm::Use& operand) {
      if (!operand->getType()->isPtrOrPtrVectorTy()) return true;
      if (operand->getType()->isVectorTy()) return false;
      const Value& object = *llvm::getUnderlyingObject(operand, /*MaxLookup=*/0);
      return llvm::isa<llvm::Argument>(object) || memoryOf(object) == Memory::Own;
    });
  }

  /// Whether a pointer comes from a descriptor behind an argument: texels of an image.
  static bool isOfDescriptor(const Value& object) {
    return isLoadedFrom(object, [](const Value& from) {
      return llvm::isa<llvm::Argument>(from) && from.getType()->getPointerAddressSpace() == kConstantSpace;
    });
  }

  /// Whether a function only loads from a pointer argument, and passes it on to nothing.
  static bool isOnlyRead(const llvm::Function& function, unsigned number) {
    if (function.onlyReadsMemory()) return true;
    llvm::SmallVector<const Value*, 8> work{function.getArg(number)};
    while (!work.empty())
      for (const llvm::User* user : work.pop_back_val()->users()) {
        if (llvm::isa<llvm::LoadInst, llvm::ICmpInst>(user)) continue;
        if (!llvm::isa<llvm::GetElementPtrInst, llvm::AddrSpaceCastInst>(user)) return false;
        work.push_back(user);
      }
    return true;
  }

  // --- Accesses ---

  static std::uint64_t sizeOf(const llvm::AnyMemIntrinsic& access) {
    const auto* length = llvm::dyn_cast<llvm::ConstantInt>(access.getLength());
    return length != nullptr ? length->getZExtValue() : UINT64_MAX; // any
  }

  void addAccess(const Instruction& instruction, const Value& pointer, bool isWrite, std::uint64_t bytes) {
    // Nothing is at null itself.
    if (isOwn(pointer) || bytes == 0 || llvm::isa<llvm::ConstantPointerNull>(*pointer.stripPointerCasts())) return;
    if (bytes > INT64_MAX) return addWhole(instruction, pointer, isWrite);
    // Conversions between address spaces keep the address.
    const Value* from = &pointer;
    const SCEV* offset = nullptr;
    for (;;) {
      const SCEV* address = evolution_.getSCEV(const_cast<Value*>(from));
      const auto* base = llvm::dyn_cast<llvm::SCEVUnknown>(evolution_.getPointerBase(address));
      const SCEV* part = evolution_.removePointerBase(address);
      if (base == nullptr || llvm::isa<llvm::SCEVCouldNotCompute>(part) || !part->getType()->isIntegerTy(64))
        return addWhole(instruction, pointer, isWrite);
      offset = offset != nullptr ? evolution_.getAddExpr(offset, part) : part;
      from = base->getValue();
      const auto* cast = llvm::dyn_cast<llvm::AddrSpaceCastOperator>(from);
      if (cast == nullptr) break;
      from = cast->getPointerOperand();
    }
    if (memoryOf(*from) != Memory::Argument) return addWhole(instruction, pointer, isWrite);
    const llvm::BasicBlock& block = *instruction.getParent();
    FootprintAccess access{.argument = llvm::cast<llvm::Argument>(from)->getArgNo(),
                           .isWrite = isWrite,
                           .offset = nodes_.nodeOf(offset, block),
                           .bytes = bytes,
                           .line = lineOf(instruction),
                           .guards = guardsOf(block)};
    add(std::move(access));
  }

  void add(FootprintAccess access) {
    // One of several equal accesses is enough, as of elements of a vector, or in a loop that is written out.
    const bool isKnown = llvm::any_of(footprint_.accesses, [&](const FootprintAccess& other) {
      return other.argument == access.argument && other.isWrite == access.isWrite && other.isWhole == access.isWhole &&
             other.offset == access.offset && other.bytes >= access.bytes && other.guards == access.guards;
    });
    if (!isKnown) footprint_.accesses.push_back(std::move(access));
  }

  /// An access to unknown bytes of what the pointer may point to.
  void addWhole(const Instruction& instruction, const Value& pointer, bool isWrite) {
    llvm::SmallVector<const Value*, 4> objects;
    llvm::getUnderlyingObjects(&pointer, objects, &loops_, /*MaxLookup=*/0);
    for (const Value* object : objects) {
      switch (memoryOf(*object)) {
      case Memory::Own:
      case Memory::Printf: break;
      case Memory::Argument:
        add({.argument = llvm::cast<llvm::Argument>(object)->getArgNo(),
             .isWrite = isWrite,
             .isWhole = true,
             .line = lineOf(instruction)});
        break;
      case Memory::Image:
        if (isWrite) refuse(&instruction, "it writes an image");
        break;
      case Memory::Variable: refuse(&instruction, "it uses a variable at program scope"); break;
      case Memory::Other: refuse(&instruction, "it uses a pointer that is no argument"); break;
      }
    }
  }

  // --- Guards ---

  /// The conditions that hold wherever the block runs.
  std::vector<FootprintGuard> guardsOf(const llvm::BasicBlock& block) {
    std::vector<FootprintGuard> guards;
    for (const auto* node = dominators_.getNode(&block)->getIDom(); node != nullptr; node = node->getIDom()) {
      const auto* branch = llvm::dyn_cast<llvm::BranchInst>(node->getBlock()->getTerminator());
      if (branch == nullptr || !branch->isConditional() || branch->getSuccessor(0) == branch->getSuccessor(1)) continue;
      for (unsigned i = 0; i < 2; ++i)
        if (dominators_.dominates(llvm::BasicBlockEdge(node->getBlock(), branch->getSuccessor(i)), &block))
          addGuards(*branch->getCondition(), /*outcome=*/i == 0, block, guards);
    }
    return guards;
  }

  void addGuards(const Value& condition, bool outcome, const llvm::BasicBlock& block,
                 std::vector<FootprintGuard>& guards) {
    using namespace llvm::PatternMatch;
    constexpr std::size_t kMostGuards = 16;
    const Value *left = nullptr, *right = nullptr;
    if (guards.size() >= kMostGuards) return;
    if (match(&condition, m_Not(m_Value(left)))) return addGuards(*left, !outcome, block, guards);
    const bool isBoth = outcome ? match(&condition, m_LogicalAnd(m_Value(left), m_Value(right)))
                                : match(&condition, m_LogicalOr(m_Value(left), m_Value(right)));
    if (isBoth && condition.getType()->isIntegerTy(1)) {
      addGuards(*left, outcome, block, guards);
      return addGuards(*right, outcome, block, guards);
    }
    const auto* comparison = llvm::dyn_cast<llvm::ICmpInst>(&condition);
    const auto guard = comparison != nullptr ? nodes_.guardOf(*comparison, outcome, block) : std::nullopt;
    if (guard && !llvm::is_contained(guards, *guard)) guards.push_back(*guard);
  }

  llvm::Function& function_;
  llvm::ScalarEvolution& evolution_;
  const llvm::DominatorTree& dominators_;
  llvm::LoopInfo& loops_;
  KernelFootprint footprint_;
  FootprintNodes nodes_;
  std::map<const llvm::Function*, bool> touchesArguments_;
  llvm::SmallPtrSet<const llvm::Function*, 4> readsDescriptors_; ///< functions that load pointers from their arguments
};

} // namespace

llvm::AnalysisKey FootprintAnalysis::Key;

KernelFootprint FootprintAnalysis::run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses) {
  return Finder(function, analyses).find();
}

} // namespace clotho::compiler
