// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/transform/lower/lower_enqueue.hpp"

#include "abi/device_queue.h"
#include "compiler/builtins/properties.hpp"
#include "compiler/ir/kernels.hpp"
#include "compiler/ir/replace_calls.hpp"

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/StringSwitch.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Module.h>

namespace clotho::compiler {
namespace {

using llvm::Value;

enum class Call {
  None,
  Enqueue,       ///< (queue, flags, range, block, literal)
  EnqueueEvents, ///< (queue, flags, range, count of events, events, event, block, literal)
  EnqueueLocal,  ///< (queue, flags, range, block, literal, count of sizes, sizes)
  EnqueueEventsLocal,
  Marker,       ///< (queue, count of events, events, event)
  MostItems,    ///< (block, literal)
  Multiple,     ///< (block, literal)
  SubGroupSize, ///< (range, block, literal)
  SubGroups,    ///< (range, block, literal)
  // Calls from the SPIR-V reader rather than from clang:
  MostSubGroups, ///< (block, literal)
  LocalSize,     ///< (count of sub-groups, block, literal)
};

Call callOf(llvm::StringRef name) {
  if (builtinBaseName(name) == "enqueue_marker" && name != "enqueue_marker") return Call::Marker;
  return llvm::StringSwitch<Call>(name)
      .Case("__enqueue_kernel_basic", Call::Enqueue)
      .Case("__enqueue_kernel_basic_events", Call::EnqueueEvents)
      .Case("__enqueue_kernel_varargs", Call::EnqueueLocal)
      .Case("__enqueue_kernel_events_varargs", Call::EnqueueEventsLocal)
      .Case("__get_kernel_work_group_size_impl", Call::MostItems)
      .Case("__get_kernel_preferred_work_group_size_multiple_impl", Call::Multiple)
      .Case("__get_kernel_max_sub_group_size_for_ndrange_impl", Call::SubGroupSize)
      .Case("__get_kernel_sub_group_count_for_ndrange_impl", Call::SubGroups)
      .Case("__get_kernel_max_num_sub_groups_impl", Call::MostSubGroups)
      .Case("__get_kernel_local_size_for_sub_group_count_impl", Call::LocalSize)
      .Default(Call::None);
}

using Numbers = llvm::DenseMap<const Value*, unsigned>;

/// Lowers one call to a call of the library.
class Lowering {
 public:
  Lowering(llvm::CallInst& call, const Numbers& blocks)
      : call_(call), builder_(&call), blocks_(blocks),
        generic_(llvm::PointerType::get(call.getContext(), kGenericSpace)) {}

  /// Returns null, with an error, if the block is unknown.
  Value* lower(Call what) {
    switch (what) {
    case Call::None: return nullptr;
    case Call::Enqueue:
    case Call::EnqueueLocal: return enqueue(3, false, what == Call::EnqueueLocal);
    case Call::EnqueueEvents:
    case Call::EnqueueEventsLocal: return enqueue(6, true, what == Call::EnqueueEventsLocal);
    case Call::Marker: return make("clotho.queue_mark", {argument(0), argument(1), pointer(2), pointer(3), tells()});
    case Call::MostItems: return query("clotho.queue_most_items", 0, nullptr);
    case Call::Multiple: return query("clotho.queue_preferred_multiple", 0, nullptr);
    case Call::SubGroupSize: return query("clotho.queue_sub_group_size", 1, pointer(0));
    case Call::SubGroups: return query("clotho.queue_sub_groups", 1, pointer(0));
    case Call::MostSubGroups: return query("clotho.queue_most_sub_groups", 0, nullptr);
    case Call::LocalSize: return query("clotho.queue_local_size_for", 1, argument(0));
    }
    return nullptr;
  }

 private:
  static constexpr unsigned kGenericSpace = 4;
  static constexpr std::uint64_t kLiteralHeader = kBlockLiteralHeader; // size, alignment, function

  Value* enqueue(unsigned blockAt, bool hasEvents, bool hasLocal) {
    Value* number = block(blockAt);
    if (number == nullptr || !isLiteral(argument(blockAt + 1))) return refuse();
    Value* none = llvm::ConstantPointerNull::get(generic_);
    Value* zero = builder_.getInt32(0);
    const auto [captures, bytes] = capturesOf(argument(blockAt + 1));
    return make("clotho.queue_enqueue",
                {argument(0), argument(1), pointer(2), hasEvents ? argument(3) : zero, hasEvents ? pointer(4) : none,
                 hasEvents ? pointer(5) : none, number, captures, bytes, hasLocal ? argument(blockAt + 2) : zero,
                 hasLocal ? pointer(blockAt + 3) : none, tells()});
  }

  /// A copy of the values that the block has captured, and its size. The literal also has the address of a function,
  /// for callers of the block. That function will be removed, so the library must not see it.
  std::pair<Value*, Value*> capturesOf(Value* literal) {
    Value* memory = literal->stripPointerCasts();
    const auto* variable = llvm::dyn_cast<llvm::AllocaInst>(memory);
    // Blocks without captures have a constant literal.
    if (variable == nullptr) return {llvm::ConstantPointerNull::get(generic_), builder_.getInt32(0)};
    const llvm::DataLayout& layout = call_.getDataLayout();
    const std::uint64_t whole = layout.getTypeStoreSize(variable->getAllocatedType());
    const std::uint64_t bytes = whole > kLiteralHeader ? whole - kLiteralHeader : 0;
    if (bytes == 0) return {llvm::ConstantPointerNull::get(generic_), builder_.getInt32(0)};
    llvm::IRBuilder<> entry(&*call_.getFunction()->getEntryBlock().getFirstInsertionPt());
    llvm::AllocaInst* copy = entry.CreateAlloca(llvm::ArrayType::get(entry.getInt8Ty(), bytes), nullptr, "captures");
    copy->setAlignment(llvm::Align(8));
    Value* from = builder_.CreateConstInBoundsGEP1_64(builder_.getInt8Ty(), memory, kLiteralHeader);
    builder_.CreateMemCpy(copy, copy->getAlign(), from, copy->getAlign(), bytes);
    return {builder_.CreateAddrSpaceCast(copy, generic_), builder_.getInt32(static_cast<std::uint32_t>(bytes))};
  }

  /// `of`: further operand of the query; null if it is about the block alone.
  Value* query(llvm::StringRef name, unsigned blockAt, Value* of) {
    Value* number = block(blockAt);
    if (number == nullptr) return refuse();
    return of == nullptr ? make(name, {number}) : make(name, {number, of});
  }

  Value* argument(unsigned index) { return call_.getArgOperand(index); }
  Value* pointer(unsigned index) {
    return builder_.CreatePointerBitCastOrAddrSpaceCast(call_.getArgOperand(index), generic_);
  }
  Value* tells() { return builder_.getInt32(tellsWhy(*call_.getModule()) ? 1 : 0); }

  /// Number of the block; null if the block is unknown.
  Value* block(unsigned index) {
    const auto found = blocks_.find(call_.getArgOperand(index)->stripPointerCasts());
    return found != blocks_.end() ? builder_.getInt32(found->second) : nullptr;
  }
  static bool isLiteral(const Value* pointer) {
    return llvm::isa<llvm::AllocaInst, llvm::GlobalVariable>(pointer->stripPointerCasts());
  }
  Value* refuse() {
    call_.getContext().emitError(&call_, "a block that is enqueued must be known when the program is built");
    return nullptr;
  }

  /// Calls a library function with the running thread's data as first argument.
  llvm::CallInst* make(llvm::StringRef name, llvm::ArrayRef<Value*> arguments) {
    llvm::Module& module = *call_.getModule();
    auto* thread = llvm::FunctionType::get(builder_.getInt64Ty(), false);
    auto threadFunction = module.getOrInsertFunction("clotho.get_enqueuing", thread);
    llvm::cast<llvm::Function>(threadFunction.getCallee())->setCallingConv(llvm::CallingConv::SPIR_FUNC);
    llvm::CallInst* own = builder_.CreateCall(threadFunction);
    own->setCallingConv(llvm::CallingConv::SPIR_FUNC);
    llvm::SmallVector<Value*, 12> all = {own};
    all.append(arguments.begin(), arguments.end());
    llvm::SmallVector<llvm::Type*, 12> types;
    for (const Value* each : all)
      types.push_back(each->getType());
    auto callee = module.getOrInsertFunction(name, llvm::FunctionType::get(builder_.getInt32Ty(), types, false));
    llvm::cast<llvm::Function>(callee.getCallee())->setCallingConv(llvm::CallingConv::SPIR_FUNC);
    llvm::CallInst* made = builder_.CreateCall(callee, all);
    made->setCallingConv(llvm::CallingConv::SPIR_FUNC);
    made->setDebugLoc(call_.getDebugLoc());
    return made;
  }

  llvm::CallInst& call_;
  llvm::IRBuilder<> builder_;
  const Numbers& blocks_;
  llvm::PointerType* generic_;
};

} // namespace

llvm::PreservedAnalyses LowerEnqueuePass::run(llvm::Module& module, llvm::ModuleAnalysisManager&) {
  Numbers numbers;
  for (const llvm::Function* block : blocksOf(module))
    numbers.try_emplace(block, numbers.size());
  bool changed = false;
  for (llvm::Function& function : llvm::make_early_inc_range(module)) {
    const Call what = function.isDeclaration() ? callOf(function.getName()) : Call::None;
    if (what == Call::None) continue;
    changed |= replaceCalls(function, [&](llvm::CallInst& call) {
      Value* result = Lowering(call, numbers).lower(what);
      call.replaceAllUsesWith(result != nullptr ? result : llvm::PoisonValue::get(call.getType()));
      return true;
    });
  }
  return changed ? llvm::PreservedAnalyses::none() : llvm::PreservedAnalyses::all();
}

} // namespace clotho::compiler
