// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/transform/groups/region_builder.hpp"

#include "compiler/analysis/interleaving.hpp"
#include "compiler/ir/copy_instruction.hpp"
#include "compiler/ir/group_results.hpp"
#include "compiler/ir/intrinsics.hpp"
#include "compiler/ir/loop_marks.hpp"
#include "compiler/ir/marks.hpp"
#include "compiler/ir/variants.hpp"

#include <llvm/ADT/SetVector.h>
#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/Analysis/ValueTracking.h>
#include <llvm/IR/CFG.h>
#include <llvm/IR/DebugInfo.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/DebugProgramInstruction.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/MDBuilder.h>
#include <llvm/IR/PatternMatch.h>
#include <llvm/Transforms/Utils/SSAUpdater.h>

namespace clotho::compiler {
namespace {

using llvm::BasicBlock;
using llvm::Instruction;
using llvm::IRBuilder;
using llvm::Value;

constexpr std::uint32_t kReturned = ~0U; // stands for the number of an end
constexpr unsigned kEvaluateLimit = 16;  // most instructions that are recomputed
constexpr unsigned kGenericSpace = 4;

bool contains(const BarrierRegion& region, const BasicBlock* block) { return llvm::is_contained(region.blocks, block); }

/// Recomputes a work-item's value outside the loops over work-items. Null unless the value is uniform and cheap.
class GroupEvaluator {
 public:
  GroupEvaluator(const llvm::SmallPtrSetImpl<const BasicBlock*>& itemBlocks, IRBuilder<>& builder)
      : itemBlocks_(itemBlocks), builder_(builder) {}

  Value* evaluate(Value* value) {
    auto* instruction = llvm::dyn_cast<Instruction>(value);
    if (instruction == nullptr || !itemBlocks_.contains(instruction->getParent())) return value;
    if (Value* known = known_.lookup(value)) return known;
    if (auto* phi = llvm::dyn_cast<llvm::PHINode>(instruction)) {
      Value* same = phi->hasConstantValue(); // other predecessors are in other regions
      return same != nullptr && same != phi ? evaluate(same) : nullptr;
    }
    const bool pure =
        llvm::isa<llvm::CastInst, llvm::GetElementPtrInst, llvm::CmpInst, llvm::SelectInst, llvm::BinaryOperator>(
            instruction) &&
        !instruction->isIntDivRem();
    if (!pure || ++cost_ > kEvaluateLimit) return nullptr;
    return known_[value] = copyInstruction(builder_, *instruction, [&](Value* operand) { return evaluate(operand); });
  }

 private:
  const llvm::SmallPtrSetImpl<const BasicBlock*>& itemBlocks_;
  IRBuilder<>& builder_;
  llvm::DenseMap<Value*, Value*> known_;
  unsigned cost_ = 0;
};

bool hasLifetimeMarkers(const llvm::AllocaInst& memory) {
  return llvm::any_of(memory.users(), [](const llvm::User* user) { return llvm::isa<llvm::LifetimeIntrinsic>(user); });
}

/// Whether the variable is described by debug information.
bool hasDeclaration(const llvm::AllocaInst& memory) {
  return !llvm::findDVRDeclares(const_cast<llvm::AllocaInst*>(&memory)).empty();
}

/// Whether the access is to data that two work-items may access between two barriers only by reading: global, constant
/// and local memory. A generic pointer may point to private memory, which work-items share one after the other; so may
/// they share a slot of a pipe.
bool isSharedAccess(const Instruction& instruction) {
  const Value* pointer = llvm::getLoadStorePointerOperand(&instruction);
  if (pointer == nullptr || instruction.isVolatile() || instruction.isAtomic()) return false;
  const unsigned space = pointer->getType()->getPointerAddressSpace();
  if (space == 0 || space == kGenericSpace) return false;
  const auto* argument = llvm::dyn_cast<llvm::Argument>(llvm::getUnderlyingObject(pointer));
  return argument == nullptr || !argument->hasAttribute(kPipeArgument);
}

/// Whether a region with these blocks uses the live-in value or recomputes it. Other values are untouched.
bool isTouched(const Instruction& value, const llvm::SmallPtrSetImpl<const BasicBlock*>& blocks) {
  return blocks.contains(value.getParent()) || llvm::any_of(value.users(), [&](const llvm::User* user) {
           return blocks.contains(llvm::cast<Instruction>(user)->getParent());
         });
}

} // namespace

RegionBuilder::RegionBuilder(const Group& group, const BarrierRegions& regions, const GroupFrame& frame)
    : group_(group), regions_(regions), frame_(frame), context_(group.function->getContext()) {}

RegionBuilder::~RegionBuilder() = default;

void RegionBuilder::build() {
  // Rows of a work-group are too short for a call of memcpy.
  if (regions_.regions.size() > 1 && group_.width > 1) group_.function->addFnAttr("no-builtin-memcpy");
  createGroupStorage();
  chooseOrder();
  for (const Instruction& instruction : llvm::instructions(*regions_.regions.front().start->getParent()))
    if (const auto call = matchIntrinsic(&instruction); call && call->intrinsic == Intrinsic::LocalId)
      localIds_.emplace_back(&instruction, call->dimension);
  for (unsigned i = 0; i < regions_.regions.size(); ++i)
    starts_.push_back(BasicBlock::Create(context_, "region" + llvm::Twine(i), group_.function));
  return_ = BasicBlock::Create(context_, "return", group_.function);
  llvm::ReturnInst::Create(context_, group_.resume != nullptr ? IRBuilder<>(context_).getInt64(0) : nullptr, return_);
  for (unsigned i = 0; i < regions_.regions.size(); ++i)
    buildRegion(i);
  IRBuilder<> entry(group_.entry);
  Instruction* end = nullptr;
  if (group_.resume == nullptr) {
    end = entry.CreateBr(starts_.front());
  } else {
    llvm::SwitchInst* go = entry.CreateSwitch(group_.resume, starts_.front());
    for (const auto& [block, next] : regions_.after)
      if (isInterleavingPoint(*block)) go->addCase(entry.getInt64(next.front()), starts_[next.front()]);
    end = go;
  }
  declareVariables(end);
}

/// Tells debuggers where the running work-item's variables in memory are, the same in all regions.
void RegionBuilder::declareVariables(Instruction* point) {
  const llvm::Function& kernel = *regions_.regions.front().start->getParent();
  for (const Instruction& instruction : llvm::instructions(kernel))
    for (llvm::DbgVariableRecord& record : llvm::filterDbgVars(instruction.getDbgRecordRange())) {
      auto* memory = llvm::dyn_cast_or_null<llvm::AllocaInst>(record.isDbgDeclare() ? record.getAddress() : nullptr);
      if (memory == nullptr) continue;
      const auto address = addresses_.find(memory);
      const auto copy = group_.map->find(memory);
      if (address == addresses_.end() && copy == group_.map->end()) continue;
      llvm::DbgVariableRecord* declaration = record.clone();
      if (address != addresses_.end()) {
        declaration->replaceVariableLocationOp(0U, address->second);
        declaration->setExpression(
            llvm::DIExpression::prepend(record.getExpression(), llvm::DIExpression::DerefBefore));
      } else {
        declaration->replaceVariableLocationOp(0U, copy->second);
      }
      point->getParent()->insertDbgRecordBefore(declaration, point->getIterator());
    }
}

/// Chooses the order of the loops. Between barriers, work-items that differ in y or z share more data than neighbours
/// in a row, which are in one vector already: rows of local memory that a tile's columns read stay in registers if y is
/// innermost. If the kernel streams through memory, rows run in memory order.
void RegionBuilder::chooseOrder() {
  const llvm::Function& kernel = *regions_.regions.front().start->getParent();
  if (group_.width == 1 || regions_.regions.size() == 1 || countsOnOrder(kernel)) return;
  if (llvm::any_of(llvm::instructions(kernel), [](const Instruction& i) { return i.hasMetadata(kAscendingRowsName); }))
    return;
  // Work-items of a single row do not differ in y and z.
  const auto isOne = [&](unsigned i) { return match(group_.localSize[i], llvm::PatternMatch::m_One()); };
  if (isOne(1) && isOne(2)) return;
  for (const Instruction& instruction : llvm::instructions(kernel))
    if (const auto call = matchIntrinsic(&instruction);
        call && call->intrinsic == Intrinsic::LocalId && call->dimension != 0) {
      order_[0] = 0;
      order_[1] = 2;
      order_[2] = 1;
    }
}

/// Stack memory of the function, most of which LLVM turns into registers.
void RegionBuilder::createGroupStorage() {
  IRBuilder<> builder(group_.entry, group_.entry->begin());
  if (regions_.regions.size() > 1) {
    end_ = builder.CreateAlloca(builder.getInt32Ty(), nullptr, "end");
    decision_ = builder.CreateAlloca(builder.getInt1Ty(), nullptr, "decision");
  }
  if (group_.resume == nullptr)
    for (const auto& [value, storage] : regions_.liveAcross)
      if (storage == Storage::Group)
        uniform_[value] = builder.CreateAlloca(value->getType(), nullptr, value->getName() + ".uniform");
  for (llvm::AllocaInst* memory : regions_.privateAllocas) {
    auto* copy = llvm::cast<llvm::AllocaInst>(memory->clone());
    builder.Insert(copy, memory->getName());
    (*group_.map)[memory] = copy;
  }
  for (const llvm::AllocaInst* memory : regions_.frameAllocas)
    if (hasDeclaration(*memory))
      addresses_[memory] = builder.CreateAlloca(builder.getPtrTy(), nullptr, memory->getName() + ".address");
  if (frame_.bytesPerItem != 0) {
    IRBuilder<> end(group_.entry);
    rowCount_ = group_.localSize[0];
    if (group_.width > 1)
      rowCount_ = end.CreateUDiv(end.CreateAdd(rowCount_, end.getInt64(group_.width - 1), "", true, true),
                                 end.getInt64(group_.width), "sub_groups");
    itemCount_ = end.CreateMul(rowCount_, end.CreateMul(group_.localSize[1], group_.localSize[2], "", true, true),
                               "items", true, true);
  }
  if (group_.resume != nullptr) createState();
}

/// Creates the state of an interleaved group, which outlives the call.
void RegionBuilder::createState() {
  IRBuilder<> builder(group_.entry);
  Value* state = group_.frame;
  if (itemCount_ != nullptr) {
    Value* bytes = builder.CreateMul(itemCount_, builder.getInt64(frame_.bytesPerItem), "", true, true);
    bytes = builder.CreateAdd(bytes, builder.getInt64(kStateAlign - 1), "", true, true);
    state = builder.CreateInBoundsGEP(builder.getInt8Ty(), state,
                                      builder.CreateAnd(bytes, builder.getInt64(~(kStateAlign - 1))), "state");
  }
  const llvm::DataLayout& layout = group_.function->getDataLayout();
  for (const auto& [value, storage] : regions_.liveAcross) {
    if (storage != Storage::Group) continue;
    stateBytes_ = llvm::alignTo(stateBytes_, layout.getABITypeAlign(value->getType()));
    uniform_[value] =
        builder.CreateConstInBoundsGEP1_64(builder.getInt8Ty(), state, stateBytes_, value->getName() + ".uniform");
    stateBytes_ += layout.getTypeAllocSize(value->getType()).getFixedValue();
  }
}

RegionBuilder::Loops RegionBuilder::buildLoops(unsigned region) {
  const auto block = [&](const char* name) { return BasicBlock::Create(context_, name, group_.function); };
  Loops loops{};
  loops.before = starts_[region];
  loops.after = block("after");
  BasicBlock* header[3];
  BasicBlock* latch[3];
  const char* names[3][2] = {{"x", "x.next"}, {"y", "y.next"}, {"z", "z.next"}};
  for (int i = 2; i >= 0; --i)
    header[i] = block(names[i][0]);
  loops.item = block("item");
  for (int i = 0; i < 3; ++i)
    latch[i] = block(names[i][1]);
  loops.latch = latch[order_[2]];

  const auto property = [&](const char* name, llvm::Metadata* value = nullptr) -> llvm::Metadata* {
    llvm::SmallVector<llvm::Metadata*, 2> operands = {llvm::MDString::get(context_, name)};
    if (value != nullptr) operands.push_back(value);
    return llvm::MDNode::get(context_, operands);
  };

  const bool isPredicated = variantOf(*regions_.regions.front().start->getParent()) == Variant::Predicated;
  IRBuilder<> builder(context_);
  // Loops are bottom-tested, since there is at least one work-item: LLVM then knows that uniform values are set after
  // them.
  for (unsigned level = 0; level < 3; ++level) {
    const unsigned i = order_[level];
    builder.SetInsertPoint(header[i]);
    llvm::PHINode* id = builder.CreatePHI(builder.getInt64Ty(), 2, llvm::Twine("local_id.") + names[i][0]);
    loops.localId[i] = id;
    id->addIncoming(builder.getInt64(0), level == 0 ? loops.before : header[order_[level - 1]]);
    if (level < 2) builder.CreateBr(header[order_[level + 1]]);
  }
  if (itemCount_ != nullptr) loops.index = itemIndex(loops.localId, builder);

  for (unsigned level = 0; level < 3; ++level) {
    const unsigned i = order_[level];
    IRBuilder<> end(latch[i]);
    Value* step = end.getInt64(i == 0 ? group_.width : i == 1 ? group_.rows : 1);
    Value* next = end.CreateAdd(loops.localId[i], step, "", /*HasNUW=*/true, /*HasNSW=*/true);
    llvm::cast<llvm::PHINode>(loops.localId[i])->addIncoming(next, latch[i]);
    Value* more = end.CreateICmpULT(next, group_.localSize[i]);
    llvm::BranchInst* branch = end.CreateCondBr(more, header[i], level == 0 ? loops.after : latch[order_[level - 1]]);
    // Unrolling by an unknown trip count costs more compile time than it gains; a small constant one is worth it.
    llvm::SmallVector<llvm::Metadata*, 4> properties = {property("llvm.loop.unroll.runtime.disable")};
    if (i == 0) properties.push_back(property(kIndependentLoopName));
    if (level == 2) {
      // Work-items of one region are independent, as the loop vectoriser requires.
      accessGroup_ = llvm::MDNode::getDistinct(context_, {});
      properties.push_back(property("llvm.loop.parallel_accesses", accessGroup_));
      // The CPU overlaps independent work-items anyway, and interleaved copies cost compile time.
      properties.push_back(property("llvm.loop.interleave.count", llvm::ConstantAsMetadata::get(builder.getInt32(1))));
      // The predicated variant is not split or unrolled.
      if (i == 0 && regions_.regions.size() > 1 && !isPredicated)
        properties.push_back(
            property(kSubGroupLoopName, llvm::ConstantAsMetadata::get(builder.getInt32(group_.width))));
    }
    setLoopProperties(*branch, properties);
  }

  builder.SetInsertPoint(header[order_[2]]);
  // Work-items that have returned count as arrived: they take part in no later region.
  if (region != 0 && regions_.needsLiveFlags) {
    Value* address = slotAddress(frame_.returned, loops.index, builder);
    llvm::LoadInst* returned = builder.CreateLoad(builder.getInt8Ty(), address, "returned");
    markParallel(*returned);
    builder.CreateCondBr(builder.CreateIsNull(returned), loops.item, loops.latch);
  } else {
    builder.CreateBr(loops.item);
  }
  return loops;
}

/// Index of the work-item in the context array, computed in the innermost loop: LICM hoists the invariant parts.
Value* RegionBuilder::itemIndex(Value* const (&localId)[3], IRBuilder<>& builder) {
  Value* row =
      builder.CreateAdd(builder.CreateMul(localId[2], group_.localSize[1], "", true, true), localId[1], "", true, true);
  row = builder.CreateMul(row, rowCount_, "row", true, true);
  Value* inRow = localId[0];
  if (group_.width > 1) inRow = builder.CreateLShr(inRow, llvm::Log2_32(group_.width), "", /*isExact=*/true);
  return builder.CreateAdd(row, inRow, "index", true, true);
}

Value* RegionBuilder::slotAddress(const GroupFrame::Slot& slot, Value* index, IRBuilder<>& builder) {
  Value*& base = slotBases_[slot.offset];
  if (base == nullptr) {
    IRBuilder<> entry(group_.entry);
    Value* offset = entry.CreateMul(itemCount_, entry.getInt64(slot.offset), "", true, true);
    base = entry.CreateInBoundsGEP(entry.getInt8Ty(), group_.frame, offset, "slot");
  }
  return builder.CreateInBoundsGEP(slot.type, base, index);
}

void RegionBuilder::markParallel(Instruction& access) {
  access.setMetadata(llvm::LLVMContext::MD_access_group, accessGroup_);
}

void RegionBuilder::buildRegion(unsigned number) {
  const BarrierRegion& region = regions_.regions[number];
  map_.clear();
  restored_.clear();
  repairs_.clear();
  for (const auto& [from, to] : *group_.map)
    map_[from] = to;

  const Loops loops = buildLoops(number);
  IRBuilder<> before(loops.before);
  IRBuilder<> item(loops.item);
  if (region.mayReturn && !region.ends.empty()) before.CreateStore(before.getInt32(kReturned), end_);
  if (number == 0 && regions_.needsLiveFlags)
    markParallel(*item.CreateStore(item.getInt8(0), slotAddress(frame_.returned, loops.index, item)));
  for (const llvm::AllocaInst* memory : regions_.frameAllocas) {
    const GroupFrame::Slot& slot = frame_.slots.find(memory)->second;
    map_[memory] = slotAddress(slot, loops.index, item);
    if (const auto address = addresses_.find(memory); address != addresses_.end())
      item.CreateStore(map_[memory], address->second);
  }
  for (const llvm::AllocaInst* memory : regions_.privateAllocas)
    if (!hasLifetimeMarkers(*memory)) item.CreateLifetimeStart(map_[memory]);
  // Maps all local ids of the kernel, since values recomputed here may use ids of other regions.
  for (const auto& [id, dimension] : localIds_)
    map_[id] = loops.localId[dimension];

  restore(region, loops, before, item);
  cloneBlocks(region, loops);
  item.CreateBr(llvm::cast<BasicBlock>(map_[region.start]));
  repairValues(region, loops.item);
  finishPaths(region, loops);
  before.SetInsertPoint(loops.before);
  before.CreateBr(llvm::cast<llvm::PHINode>(loops.localId[order_[0]])->getParent());
  dispatch(region, loops);
}

/// Loads the values from earlier regions that this one uses.
void RegionBuilder::restore(const BarrierRegion& region, const Loops& loops, IRBuilder<>& before, IRBuilder<>& item) {
  const llvm::SmallPtrSet<const BasicBlock*, 16> blocks(llvm::from_range, region.blocks);
  for (Instruction* value : region.liveIn) {
    if (!isTouched(*value, blocks)) continue;
    switch (regions_.liveAcross.find(value)->second) {
    case Storage::Recompute: restored_[value] = recompute(value, item); break;
    case Storage::Group:
      restored_[value] = before.CreateLoad(value->getType(), uniform_[value], value->getName());
      break;
    case Storage::Item: {
      const GroupFrame::Slot& slot = frame_.slots.find(value)->second;
      llvm::LoadInst* load =
          item.CreateAlignedLoad(slot.type, slotAddress(slot, loops.index, item), slot.align, value->getName());
      markParallel(*load);
      restored_[value] = load;
      if (load->getType() != value->getType()) restored_[value] = item.CreateTrunc(load, value->getType());
      break;
    }
    }
  }
  for (const auto& [value, replacement] : restored_)
    map_[value] = replacement;
}

Value* RegionBuilder::recompute(Value* value, IRBuilder<>& builder) {
  if (const auto found = map_.find(value); found != map_.end()) return found->second;
  auto* instruction = llvm::dyn_cast<Instruction>(value);
  if (instruction == nullptr) return value; // a constant
  Instruction* copy = instruction->clone();
  for (llvm::Use& operand : copy->operands())
    operand.set(recompute(operand.get(), builder));
  builder.Insert(copy, instruction->getName());
  map_[value] = copy;
  return copy;
}

void RegionBuilder::cloneBlocks(const BarrierRegion& region, const Loops& loops) {
  for (const BasicBlock* block : region.blocks)
    map_[block] = BasicBlock::Create(context_, block->getName(), group_.function, loops.latch);

  const bool severalRegions = regions_.regions.size() > 1;
  llvm::SmallVector<Instruction*, 64> copies;
  for (const BasicBlock* block : region.blocks) {
    auto* target = llvm::cast<BasicBlock>(map_[block]);
    for (const Instruction& instruction : *block) {
      if (matchIntrinsic(&instruction) || llvm::isa<llvm::AllocaInst>(instruction)) continue; // The map has it already.
      if (leavesRegion(*block) && instruction.isTerminator()) continue;                       // see finishPaths
      if (isFrameLifetime(instruction)) continue; // the frame outlives the kernel
      // Alias scopes of restrict pointers hold for one work-item's call, but not across work-items and barriers.
      if (severalRegions && llvm::isa<llvm::NoAliasScopeDeclInst>(instruction)) continue;
      Instruction* copy = instruction.clone();
      copy->insertInto(target, target->end());
      if (instruction.hasName()) copy->setName(instruction.getName());
      map_[&instruction] = copy;
      copies.push_back(copy);
      if (severalRegions) {
        copy->setMetadata(llvm::LLVMContext::MD_alias_scope, nullptr);
        copy->setMetadata(llvm::LLVMContext::MD_noalias, nullptr);
      }
      if (isSharedAccess(instruction)) markParallel(*copy);
    }
  }
  for (Instruction* copy : copies) {
    if (auto* phi = llvm::dyn_cast<llvm::PHINode>(copy))
      phi->removeIncomingValueIf([&](unsigned i) { return !contains(region, phi->getIncomingBlock(i)); },
                                 /*DeletePHIIfEmpty=*/false);
    llvm::RemapInstruction(copy, map_, llvm::RF_NoModuleLevelChanges | llvm::RF_IgnoreMissingLocals);
  }
}

bool RegionBuilder::isFrameLifetime(const Instruction& instruction) const {
  const auto* marker = llvm::dyn_cast<llvm::LifetimeIntrinsic>(&instruction);
  return marker != nullptr && llvm::is_contained(regions_.frameAllocas, marker->getArgOperand(0));
}

bool RegionBuilder::leavesRegion(const BasicBlock& block) const {
  return regions_.after.contains(&block) || llvm::isa<llvm::ReturnInst>(block.getTerminator());
}

/// Rewrites a live-in value that the region also computes (its loop passes a barrier), since it has two definitions
/// now.
void RegionBuilder::repairValues(const BarrierRegion& region, BasicBlock* item) {
  for (Instruction* value : region.liveIn) {
    if (!contains(region, value->getParent())) continue;
    Value* restored = restored_[value];
    if (matchIntrinsic(value)) continue;
    auto* copy = llvm::cast<Instruction>(map_[value]);
    if (regions_.liveAcross.find(value)->second == Storage::Recompute) {
      copy->replaceAllUsesWith(restored);
      copy->eraseFromParent();
      map_[value] = restored;
      continue;
    }
    auto& updater = repairs_[value] = std::make_unique<llvm::SSAUpdater>();
    updater->Initialize(value->getType(), value->getName());
    updater->AddAvailableValue(item, restored);
    updater->AddAvailableValue(copy->getParent(), copy);
    llvm::SmallVector<llvm::Use*, 8> uses;
    for (llvm::Use& use : copy->uses()) {
      const auto* user = llvm::cast<Instruction>(use.getUser());
      if (llvm::isa<llvm::PHINode>(user) || user->getParent() != copy->getParent()) uses.push_back(&use);
    }
    for (llvm::Use* use : uses)
      updater->RewriteUse(*use);
  }
}

/// Ends the copies of the blocks in which work-items leave the region.
void RegionBuilder::finishPaths(const BarrierRegion& region, const Loops& loops) {
  leaves_.clear();
  for (unsigned i = 0; i < region.ends.size(); ++i)
    leaves_.push_back(BasicBlock::Create(context_, "leave", group_.function));
  itemBlocks_.clear();
  for (const BasicBlock* block : region.blocks)
    itemBlocks_.insert(llvm::cast<BasicBlock>(map_[block]));
  itemBlocks_.insert(loops.item);
  for (const Value* id : loops.localId)
    itemBlocks_.insert(llvm::cast<Instruction>(id)->getParent());

  for (unsigned i = 0; i < region.ends.size(); ++i)
    endItem(region, loops, i);
  for (BasicBlock* block : region.blocks)
    if (llvm::isa<llvm::ReturnInst>(block->getTerminator())) returnItem(region, loops, block);
}

void RegionBuilder::returnItem(const BarrierRegion& region, const Loops& loops, BasicBlock* original) {
  IRBuilder<> builder(llvm::cast<BasicBlock>(map_[original]));
  if (regions_.needsLiveFlags && !region.ends.empty())
    markParallel(*builder.CreateStore(builder.getInt8(1), slotAddress(frame_.returned, loops.index, builder)));
  builder.CreateBr(loops.latch);
}

/// Ends a work-item's path: stores the values that later regions need, and the number of the end if there are several.
void RegionBuilder::endItem(const BarrierRegion& region, const Loops& loops, unsigned end) {
  BasicBlock* original = region.ends[end];
  IRBuilder<> item(llvm::cast<BasicBlock>(map_[original]));
  IRBuilder<> leave(leaves_[end]);
  llvm::SmallSetVector<Instruction*, 16> values;
  for (unsigned next : regions_.after.find(original)->second)
    values.insert_range(regions_.regions[next].liveIn);
  for (Instruction* value : values)
    if (contains(region, value->getParent())) save(value, loops, item, leave); // Otherwise its slot is unchanged.
  // The ends agree for all work-items that have not returned, since barriers are in uniform control flow.
  if (region.mayReturn || region.ends.size() > 1) item.CreateStore(item.getInt32(end), end_);
  leaveRegion(original, item, leave);
  item.CreateBr(loops.latch);
}

void RegionBuilder::save(Instruction* value, const Loops& loops, IRBuilder<>& item, IRBuilder<>& leave) {
  const Storage storage = regions_.liveAcross.find(value)->second;
  if (storage == Storage::Recompute) return;
  const auto repair = repairs_.find(value);
  Value* current = repair == repairs_.end() ? static_cast<Value*>(map_[value])
                                            : repair->second->GetValueAtEndOfBlock(item.GetInsertBlock());
  if (current == restored_.lookup(value)) return;
  if (storage == Storage::Group) {
    // Storing outside the loops is better, since they then contain only the work of work-items.
    if (Value* once = GroupEvaluator(itemBlocks_, leave).evaluate(current))
      leave.CreateStore(once, uniform_[value]);
    else
      item.CreateStore(current, uniform_[value]);
    return;
  }
  const GroupFrame::Slot& slot = frame_.slots.find(value)->second;
  if (current->getType() != slot.type) current = item.CreateZExt(current, slot.type);
  markParallel(*item.CreateAlignedStore(current, slotAddress(slot, loops.index, item), slot.align));
}

/// Emits the code that runs once all work-items have reached an end.
void RegionBuilder::leaveRegion(BasicBlock* original, IRBuilder<>& item, IRBuilder<>& leave) {
  const auto& next = regions_.after.find(original)->second;
  if (group_.resume != nullptr && isInterleavingPoint(*original)) {
    leave.CreateRet(leave.getInt64(next.front()));
    return;
  }
  if (next.size() == 1) {
    leave.CreateBr(starts_[next.front()]);
    return;
  }
  Value* condition = llvm::cast<llvm::BranchInst>(original->getTerminator())->getCondition();
  if (const auto found = map_.find(condition); found != map_.end()) condition = found->second;
  Value* once = GroupEvaluator(itemBlocks_, leave).evaluate(condition);
  if (once == nullptr) {
    item.CreateStore(condition, decision_);
    once = leave.CreateLoad(leave.getInt1Ty(), decision_, "decision");
  }
  leave.CreateCondBr(once, starts_[next[0]], starts_[next[1]]);
}

/// Emits the branch after the loops to the next region.
void RegionBuilder::dispatch(const BarrierRegion& region, const Loops& loops) {
  IRBuilder<> builder(loops.after);
  if (region.ends.empty()) {
    builder.CreateBr(return_);
    return;
  }
  if (region.ends.size() == 1 && !region.mayReturn) {
    builder.CreateBr(leaves_.front());
    return;
  }
  Value* end = builder.CreateLoad(builder.getInt32Ty(), end_, "end");
  BasicBlock* otherwise = region.mayReturn ? return_ : leaves_.front();
  llvm::SwitchInst* go = builder.CreateSwitch(end, otherwise, leaves_.size());
  for (unsigned i = 0; i < leaves_.size(); ++i)
    if (leaves_[i] != otherwise) go->addCase(builder.getInt32(i), leaves_[i]);
}

} // namespace clotho::compiler
