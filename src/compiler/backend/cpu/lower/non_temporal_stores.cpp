// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/backend/cpu/lower/non_temporal_stores.hpp"

#include "abi/cpu_kernel.h"
#include "compiler/analysis/kernel_arguments.hpp"
#include "compiler/ir/group_facts.hpp"
#include "compiler/ir/kernel_facts.hpp"
#include "compiler/ir/kernels.hpp"
#include "compiler/ir/marks.hpp"

#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/Transforms/Utils/BasicBlockUtils.h>

namespace clotho::compiler {

using llvm::Function;
using llvm::IRBuilder;
using llvm::Value;

namespace {

constexpr unsigned kGlobal = 1;
/// Shortest vector, in bytes, for a non-temporal store. Shorter ones are so many stores for a cache line that they wait
/// for each other.
constexpr std::uint64_t kShortest = 16, kLine = 64;

/// Whether another thread may observe the order of the instruction and non-temporal stores. These are weakly ordered,
/// and on x86 a release does not order them. Kernels with non-temporal stores must therefore have no atomics, no fences
/// and no unknown calls. Single-thread fences only order instructions.
bool mayBeWatched(const llvm::Instruction& instruction) {
  if (const auto* fence = llvm::dyn_cast<llvm::FenceInst>(&instruction);
      fence != nullptr && fence->getSyncScopeID() == llvm::SyncScope::SingleThread)
    return false;
  if (instruction.isAtomic() || instruction.isVolatile() || llvm::isa<llvm::FenceInst>(instruction)) return true;
  const auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction);
  return call != nullptr && !llvm::isa<llvm::IntrinsicInst>(call) && !isIntrinsic(call, Intrinsic::Barrier) &&
         !call->doesNotAccessMemory();
}

/// The image argument from whose descriptor the value is loaded; null for other values.
const llvm::Argument* imageOf(const Value* value) {
  const auto* load = llvm::dyn_cast<llvm::LoadInst>(value);
  const auto* argument =
      load != nullptr ? llvm::dyn_cast<llvm::Argument>(llvm::getUnderlyingObject(load->getPointerOperand())) : nullptr;
  return argument != nullptr && argument->hasAttribute(kImageArgument) ? argument : nullptr;
}

/// The object that the pointer points into: the argument, or for texels the image argument.
const Value* memoryBehind(const Value* pointer) {
  const Value* object = llvm::getUnderlyingObject(pointer, /*MaxLookup=*/0);
  const auto* address = llvm::dyn_cast<llvm::IntToPtrInst>(object);
  const llvm::Argument* image = address != nullptr ? imageOf(address->getOperand(0)) : nullptr;
  return image != nullptr ? image : object;
}

/// Objects that the function reads, which may be what it has just written. The descriptor of an image is never written.
llvm::SmallPtrSet<const Value*, 8> objectsRead(Function& function) {
  llvm::SmallPtrSet<const Value*, 8> objects;
  for (const llvm::Instruction& instruction : llvm::instructions(function)) {
    if (!instruction.mayReadFromMemory()) continue;
    if (imageOf(&instruction) != nullptr) continue;
    for (const Value* operand : instruction.operands())
      if (operand->getType()->isPtrOrPtrVectorTy()) objects.insert(memoryBehind(operand));
  }
  return objects;
}

bool isNonTemporal(const llvm::StoreInst& store, const llvm::LoopInfo& loops,
                   const llvm::SmallPtrSetImpl<const Value*>& read) {
  if (!store.isSimple() || store.getPointerAddressSpace() != kGlobal || loops.getLoopFor(store.getParent()) != nullptr)
    return false;
  const Value* object = memoryBehind(store.getPointerOperand());
  return llvm::isa<llvm::Argument>(object) && !read.contains(object);
}

/// Whether the address depends on the work-item's id, without going through loaded values as in tables.
bool isOwnAddress(const Value* value, llvm::SmallPtrSetImpl<const Value*>& seen) {
  const auto* instruction = llvm::dyn_cast<llvm::Instruction>(value);
  if (instruction == nullptr || llvm::isa<llvm::LoadInst>(instruction) || !seen.insert(instruction).second)
    return false;
  if (isIntrinsic(instruction, Intrinsic::LocalId) || isIntrinsic(instruction, Intrinsic::GlobalId)) return true;
  return llvm::any_of(instruction->operands(), [&](const llvm::Use& operand) { return isOwnAddress(operand, seen); });
}

/// Bytes that a work-item reads through pointer arguments at addresses of its own: the widest load of each argument, as
/// if it read the argument once.
std::uint64_t bytesRead(Function& function) {
  llvm::SmallDenseMap<const Value*, std::uint64_t> largest;
  for (const llvm::Instruction& instruction : llvm::instructions(function)) {
    const auto* load = llvm::dyn_cast<llvm::LoadInst>(&instruction);
    if (load == nullptr || imageOf(load) != nullptr) continue;
    const Value* object = memoryBehind(load->getPointerOperand());
    const auto* argument = llvm::dyn_cast<llvm::Argument>(object);
    const bool isImage = argument != nullptr && argument->hasAttribute(kImageArgument);
    if (load->getPointerAddressSpace() != kGlobal && !isImage) continue;
    llvm::SmallPtrSet<const Value*, 16> seen;
    if (!llvm::isa<llvm::Argument>(object) || !isOwnAddress(load->getPointerOperand(), seen)) continue;
    std::uint64_t& bytes = largest[object];
    bytes = std::max<std::uint64_t>(bytes, function.getDataLayout().getTypeStoreSize(load->getType()).getFixedValue());
  }
  std::uint64_t sum = 0;
  for (const auto& [object, bytes] : largest)
    sum += bytes;
  return sum;
}

/// Cache space that the kernel takes, in units of 1 / kNonTemporalUnits of a byte. Measured on Zen 4: non-temporal
/// stores are slower than cached ones while repeatedly written data fits into three quarters of the cache and little
/// else is read. They take a quarter less time if stores and loads together are seven quarters of the cache, or twice
/// as much is read as written.
std::uint64_t takenFromCaches(std::uint64_t stored, std::uint64_t read) {
  const std::uint64_t units = stored * cpu::kNonTemporalUnits;
  return std::max(units, std::min(units * 10 / 7, (stored + read) * cpu::kNonTemporalUnits * 4 / 7));
}

/// Whether the launch is large enough for non-temporal stores.
Value* isLarge(IRBuilder<>& builder, const Function& function, Value* launch) {
  Value* from = loadConstant(builder, builder.getInt64Ty(), launch, offsetof(cpu::LaunchParams, nonTemporalFrom));
  return builder.CreateICmpUGE(builder.getInt64(factsOf(function).nonTemporalUnits), from, "streams");
}

/// Adds a non-temporal variant of `store` for vectors that are aligned as `align` says, if `bits` selects it.
void addSecondWay(llvm::StoreInst& store, Value* bits, std::uint64_t align) {
  IRBuilder<> builder(&store);
  Value* address = builder.CreatePtrToInt(store.getPointerOperand(), builder.getInt64Ty());
  Value* isAligned = builder.CreateIsNull(builder.CreateAnd(address, bits));
  llvm::Instruction *past = nullptr, *usual = nullptr;
  llvm::SplitBlockAndInsertIfThenElse(isAligned, &store, &past, &usual);
  auto* nonTemporal = llvm::cast<llvm::StoreInst>(store.clone());
  nonTemporal->insertBefore(past->getIterator());
  nonTemporal->setAlignment(std::max(store.getAlign(), llvm::Align(align)));
  auto* one = llvm::ConstantAsMetadata::get(builder.getInt32(1));
  nonTemporal->setMetadata(llvm::LLVMContext::MD_nontemporal, llvm::MDNode::get(store.getContext(), one));
  store.moveBefore(usual->getIterator());
}

/// Bit mask over the buffer arguments, in order: set if `isMeant`.
std::uint64_t bufferBits(const Function& kernel, llvm::function_ref<bool(const llvm::Argument*)> isMeant) {
  const ArgumentLayout layout = layoutArguments(kernel);
  std::uint64_t bits = 0;
  unsigned number = 0;
  for (const llvm::Argument& argument : kernel.args()) {
    if (layout.args[argument.getArgNo()].kind != ArgKind::Buffer) continue;
    if (number < 64 && isMeant(&argument)) bits |= std::uint64_t{1} << number;
    ++number;
  }
  return bits;
}

/// Objects that the function stores to.
llvm::SmallPtrSet<const Value*, 8> objectsStored(Function& function) {
  llvm::SmallPtrSet<const Value*, 8> objects;
  for (const llvm::Instruction& instruction : llvm::instructions(function))
    if (const auto* store = llvm::dyn_cast<llvm::StoreInst>(&instruction))
      objects.insert(memoryBehind(store->getPointerOperand()));
  return objects;
}

} // namespace

llvm::PreservedAnalyses MarkNonTemporalStoresPass::run(Function& function, llvm::FunctionAnalysisManager& analyses) {
  if (!isKernel(function) || function.isDeclaration()) return llvm::PreservedAnalyses::all();
  const auto stored = objectsStored(function), loaded = objectsRead(function);
  const auto changed = bufferBits(
      function, [&](const llvm::Argument* argument) { return stored.contains(argument) && loaded.contains(argument); });
  changeFacts(function, [&](KernelFacts& facts) { facts.changed = changed; });
  if (llvm::any_of(llvm::instructions(function), mayBeWatched)) return llvm::PreservedAnalyses::all();
  const auto& loops = analyses.getResult<llvm::LoopAnalysis>(function);
  // A work-item may run only one of several blocks with stores to an argument, so the block that stores most counts.
  llvm::SmallDenseMap<const Value*, std::uint64_t> most;
  for (llvm::BasicBlock& block : function) {
    llvm::SmallDenseMap<const Value*, std::uint64_t> here;
    for (llvm::Instruction& instruction : block) {
      auto* store = llvm::dyn_cast<llvm::StoreInst>(&instruction);
      if (store == nullptr || !isNonTemporal(*store, loops, loaded)) continue;
      store->setMetadata(kNonTemporalName, llvm::MDNode::get(function.getContext(), {}));
      // One value for each work-group is negligible.
      llvm::SmallPtrSet<const Value*, 16> seen;
      if (!isOwnAddress(store->getPointerOperand(), seen)) continue;
      const Value* object = memoryBehind(store->getPointerOperand());
      here[object] += function.getDataLayout().getTypeStoreSize(store->getValueOperand()->getType()).getFixedValue();
    }
    for (const auto& [object, bytes] : here)
      most[object] = std::max(most[object], bytes);
  }
  std::uint64_t bytes = 0;
  for (const auto& [object, its] : most)
    bytes += its;
  if (bytes == 0) return llvm::PreservedAnalyses::all();
  changeFacts(function, [&](KernelFacts& facts) {
    facts.nonTemporalUnits = takenFromCaches(bytes, bytesRead(function));
    facts.outputs = bufferBits(function, [&](const llvm::Argument* argument) { return most.contains(argument); });
  });
  return llvm::PreservedAnalyses::all();
}

llvm::PreservedAnalyses NonTemporalStoresPass::run(Function& function, llvm::FunctionAnalysisManager&) {
  if (factsOf(function).nonTemporalUnits == 0) return llvm::PreservedAnalyses::all();
  llvm::SmallVector<std::pair<llvm::StoreInst*, std::uint64_t>, 4> stores;
  for (llvm::Instruction& instruction : llvm::instructions(function)) {
    auto* store = llvm::dyn_cast<llvm::StoreInst>(&instruction);
    if (store == nullptr || !store->hasMetadata(kNonTemporalName)) continue;
    const auto size = function.getDataLayout().getTypeStoreSize(store->getValueOperand()->getType()).getFixedValue();
    if (llvm::isPowerOf2_64(size) && size >= kShortest) stores.push_back({store, std::min(size, kLine)});
  }
  if (stores.empty()) return llvm::PreservedAnalyses::all();
  IRBuilder<> entry(&function.getEntryBlock(), function.getEntryBlock().getFirstNonPHIOrDbgOrAlloca());
  Value* large = isLarge(entry, function, function.getArg(kLaunch));
  // Collects all first, since the changes that follow split the entry block.
  llvm::SmallDenseMap<std::uint64_t, Value*> bits;
  for (const auto& [store, align] : stores)
    // The other value has all bits set, so that no address passes the test.
    if (Value*& its = bits[align]; its == nullptr)
      its = entry.CreateSelect(large, entry.getInt64(align - 1), entry.getInt64(~std::uint64_t(0)));
  for (const auto& [store, align] : stores)
    addSecondWay(*store, bits[align], align);
  return llvm::PreservedAnalyses::none();
}

} // namespace clotho::compiler
