// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "compiler/analysis/lane_shapes.hpp"
#include "compiler/analysis/lane_steps.hpp"
#include "compiler/analysis/packed_vectors.hpp"
#include "compiler/analysis/private_arrays.hpp"
#include "compiler/analysis/processor_model.hpp"
#include "compiler/analysis/sub_group_flow.hpp"
#include "compiler/ir/scalar_types.hpp"
#include "compiler/ir/sub_group_operations.hpp"
#include "compiler/transform/widen/vectorisation_report.hpp"

#include <llvm/ADT/MapVector.h>
#include <llvm/ADT/SetVector.h>
#include <llvm/IR/IRBuilder.h>

#include <map>
#include <vector>

namespace clotho::compiler {

/// Representation of a kernel's value in the sub-group function.
struct Lanes {
  LaneShape shape = LaneShape::unknown();
  llvm::Value* first = nullptr;             ///< affine: lane 0's value, of the original type
  llvm::SmallVector<llvm::Value*, 4> parts; ///< varying: one vector over the lanes for each scalar of the type
  /// Varying vectors in memory order: one vector, all elements of lane 0 first. `parts` are then computed on demand.
  llvm::Value* packed = nullptr;
};

/// Numbers of blocks in SubGroupFlow's order, ascending. There may be thousands, which are copied for each block.
using BlockNumbers = std::vector<unsigned>;

/// Writes the sub-group function of a kernel: the same work for W work-items at once, neighbours along dimension 0.
/// get_local_id gives the id of the first. Divergent paths run one after the other under masks; blocks without an
/// active lane are skipped if that pays or is necessary. Uniform values stay scalar.
class Widener {
 public:
  struct Plan {
    llvm::Function& kernel; ///< Kernel in the form that SubGroupFlow needs
    const SubGroupFlow& flow;
    const LaneShapes& shapes;
    const PrivateArrays& arrays;
    const PackedVectors& packed;
    unsigned width;
    bool masked; ///< the last sub-group of a row may be short
    const ProcessorModel& cpu;
    bool linear = false; ///< get_local_id(0) stands for get_local_linear_id (KernelFacts::isLinear)
    /// Shapes within aligned blocks of `blockLanes` lanes, for kernels whose rows consist of such blocks; or null.
    const LaneShapes* blocks = nullptr;
    unsigned blockLanes = 0;
  };
  /// Writes into `target`, a function without a body that has the kernel's parameters.
  Widener(const Plan& plan, llvm::Function& target, VectorisationReport* report);
  ~Widener();
  void run();

 private:
  using Builder = llvm::IRBuilder<>;

  // Values (widen_value.cpp).
  Lanes lanesOf(llvm::Value* value);
  llvm::Value* uniform(llvm::Value* value); ///< lane 0's value if it is affine
  llvm::SmallVector<llvm::Value*, 4> vectors(llvm::Value* value);
  llvm::Value* vector(llvm::Value* value) { return vectors(value).front(); }
  llvm::SmallVector<llvm::Value*, 4> materialise(const Lanes& lanes, llvm::Type* type);
  llvm::Value* packed(llvm::Value* value); ///< One vector in memory order
  /// One vector in memory order, or one a part.
  llvm::SmallVector<llvm::Value*, 4> widened(llvm::Value* value, bool isPacked);
  llvm::SmallVector<llvm::Type*, 4> widenedTypes(llvm::Type* type, bool isPacked);
  llvm::Value* pack(llvm::ArrayRef<llvm::Value*> parts, llvm::Type* type);
  llvm::SmallVector<llvm::Value*, 4> unpack(llvm::Value* packed, llvm::Type* type);
  llvm::SmallVector<llvm::Value*, 4> unpackTiles(llvm::Value* packed, llvm::Type* scalar, unsigned parts);
  llvm::FixedVectorType* packedType(llvm::Type* vector);
  llvm::Value* repeatLanes(llvm::Value* lanes, unsigned times, unsigned used);
  llvm::Value* splat(llvm::Value* scalar);
  llvm::Value* affineLane(llvm::Value* value, unsigned lane);
  llvm::Value* slice(llvm::Value* vector, unsigned first, unsigned count);
  llvm::Value* laneNumbers(llvm::Type* element, std::int64_t stride, unsigned lanesOfStep = 1);
  llvm::Value* packLane(llvm::ArrayRef<llvm::Value*> parts, llvm::Type* type, llvm::Value* lane);
  void unpackLane(llvm::Value* value, llvm::MutableArrayRef<llvm::Value*> parts, llvm::Value* lane);
  void define(llvm::Value* original, Lanes lanes) { values_[original] = std::move(lanes); }
  void defineUniform(llvm::Value* original, llvm::Value* value) { define(original, {LaneShape::uniform(), value, {}}); }
  void defineParts(llvm::Value* original, llvm::ArrayRef<llvm::Value*> parts);
  void definePacked(llvm::Value* original, llvm::Value* packed);
  void defineWidened(llvm::Value* original, llvm::ArrayRef<llvm::Value*> widened);
  llvm::Type* wide(llvm::Type* scalar) { return llvm::FixedVectorType::get(scalar, plan_.width); }

  // Instructions (widen_instruction.cpp).
  void widen(llvm::Instruction& instruction);
  void copyScalar(llvm::Instruction& instruction, LaneShape shape);
  void widenAffineExtension(llvm::CastInst& extension);
  llvm::Value* sumOfExtensions(llvm::CastInst& extension);
  llvm::Value* addressInTwoSteps(llvm::GetElementPtrInst& address);
  void widenElementwise(llvm::Instruction& instruction);
  void widenAddress(llvm::GetElementPtrInst& address);
  void widenSelect(llvm::SelectInst& select);
  void widenBitCast(llvm::CastInst& cast);
  void widenAggregate(llvm::Instruction& instruction);
  llvm::Value* chunkOfLanes(llvm::Value* packed, unsigned number, unsigned count, unsigned elements);
  void widenPackedShuffle(llvm::ShuffleVectorInst& shuffle);
  void widenVariableElement(llvm::Instruction& instruction);
  llvm::SmallVector<llvm::Value*, 4> regroup(llvm::ArrayRef<llvm::Value*> from, llvm::ArrayRef<llvm::Type*> to);
  llvm::Value* toInteger(llvm::Value* real, llvm::Type* integer, bool isSigned); ///< (widen_conversion.cpp)
  llvm::Value* convertSaturated(llvm::Value* value, llvm::Type* to, bool isSigned);
  llvm::Value* divide(llvm::BinaryOperator& division, llvm::Value* dividend, llvm::Value* divisor);

  // Calls and lane-by-lane code (widen_call.cpp).
  void widenCall(llvm::CallInst& call);
  bool widenIntrinsic(llvm::CallInst& call);
  bool widenReduction(llvm::CallInst& call);
  bool widenByVariant(llvm::CallInst& call);
  void widenLaneByLane(llvm::Instruction& instruction);
  bool changeOnce(llvm::AtomicRMWInst& change); ///< (widen_atomic.cpp)
  llvm::Value* changeLocalMemory(llvm::AtomicRMWInst& change);
  llvm::Value* laneOf(llvm::Value* value, unsigned lane, const llvm::Instruction& user);
  void forEachLane(llvm::function_ref<void(llvm::Value* lane)> body);
  void forFewInstructions(llvm::function_ref<void(llvm::Value* lane)> body);

  // Sub-group functions (widen_sub_group.cpp).
  void widenSubGroupCall(llvm::CallInst& call, const SubGroupCall& what);
  void defineLiveRank(llvm::CallInst& call);
  llvm::Value* participants(llvm::Value* lanes, Combination combination);
  llvm::Value* bitsOf(llvm::Value* truths);
  llvm::Value* asNumbers(llvm::Value* lanes);
  llvm::Value* likeBefore(llvm::Value* lanes, llvm::Type* before);
  llvm::Value* reduceLanes(llvm::Value* lanes, Combination combination);
  llvm::Value* reduceCluster(llvm::Value* lanes, Combination combination, unsigned cluster);
  llvm::Value* scanLanes(llvm::Value* lanes, Combination combination, bool isExclusive);
  llvm::Value* permute(llvm::Value* lanes, llvm::Value* numbers);
  llvm::Value* firstLive();
  llvm::Value* valueOfLane(llvm::Value* value, llvm::Value* lane);

  // Local memory in known patterns (widen_window.cpp).
  struct Window;
  std::optional<Window> windowOf(llvm::Instruction& access);
  llvm::Value* windowBase(llvm::Instruction& access);
  llvm::Value* rowAddress(const Window& window, llvm::Value* base, std::int64_t row);
  llvm::Value* loadWindow(const Window& window, llvm::Value* base, llvm::Align align);
  void storeWindow(const llvm::StoreInst& store, const Window& window, llvm::Value* base, llvm::Align align,
                   llvm::Value* value, llvm::Value* live);
  bool hasLiveLane(const llvm::BasicBlock& block) const;
  bool loadFromWindow(llvm::LoadInst& load);
  bool storeToWindow(llvm::StoreInst& store);

  // Memory (widen_memory.cpp).
  struct Access;
  void widenLoad(llvm::LoadInst& load);
  void widenStore(llvm::StoreInst& store);
  llvm::SmallVector<llvm::Value*, 4> loadRows(const Access& access, llvm::Value* first, llvm::Value* mask);
  llvm::SmallVector<llvm::Value*, 4> loadTransposed(const Access& access, llvm::Value* first, llvm::Value* mask);
  llvm::SmallVector<llvm::Value*, 4> loadGathered(const Access& access, llvm::Value* pointer);
  llvm::Value* loadRow(const Access& access, llvm::Value* first, llvm::Value* mask);
  llvm::Value* loadLanes(const Access& access, llvm::Value* pointer);
  llvm::SmallVector<llvm::Value*, 16> laneAddresses(const Access& access, llvm::Value* pointer);
  llvm::Value* laneStride(llvm::Value* value, bool isSigned = true);
  llvm::Value* somewhere(const Access& access, llvm::Value* pointers);
  bool storesLanesFaster(const Access& access) const;
  void storeRow(const Access& access, llvm::Value* packed, llvm::Value* first, llvm::Value* mask);
  void storeRows(const Access& access, llvm::ArrayRef<llvm::Value*> parts, llvm::Value* first, llvm::Value* mask);
  bool storeTransposed(const Access& access, llvm::Value* value, llvm::Value* pointer);
  void storeScattered(const Access& access, llvm::Value* value, llvm::Value* pointer);
  void storeOne(llvm::StoreInst& store);
  bool isUsuallyRow(llvm::Value* pointer, std::int64_t bytes);
  std::pair<llvm::Value*, llvm::Value*> rowOf(llvm::Value* pointer, LaneSteps steps);
  llvm::Value* firstLane(llvm::Value* value, llvm::Value* root, llvm::Value* ofRoot = nullptr);
  void touchRow(const Access& access, llvm::Value* first);
  void widenPrefetch(const llvm::CallInst& call);
  void prefetchLanes(const llvm::CallInst& call);
  void prefetchRows(llvm::ArrayRef<llvm::Value*> addresses, llvm::Value* stride);
  llvm::Value* gather(llvm::Value* pointers, llvm::Type* scalar, llvm::Align align);
  void scatter(llvm::Value* value, llvm::Value* pointers, llvm::Align align);
  bool areBlocks(const Access& access, const llvm::Value* pointer) const; ///< (widen_blocks.cpp)
  llvm::Value* ofLane(llvm::Value* value, unsigned lane);
  bool loadBlocks(const Access& access, llvm::LoadInst& load);
  llvm::Value* loadSharedByBlocks(const Access& access, llvm::Value* pointer);
  bool storeBlocks(const Access& access, llvm::StoreInst& store);
  void note(llvm::Instruction& access, AccessShape shape);

  // Accesses to consecutive memory, masked or not (widen_masked.cpp).
  llvm::Value* loadFrom(const llvm::Instruction& access, llvm::Type* type, llvm::Value* first, llvm::Align align,
                        llvm::Value* mask = nullptr);
  void storeTo(const llvm::Instruction& access, llvm::Value* value, llvm::Value* first, llvm::Align align,
               llvm::Value* mask);
  void markIfFar(llvm::Instruction& masked, const llvm::Instruction& access) const;

  // Vectors of a lane that are used in chunks (widen_transposed.cpp).
  bool isUsedInChunks(const llvm::LoadInst& load) const;
  llvm::Value* chunkOfVectors(const llvm::LoadInst& load, unsigned number);

  // Tables in registers (byte_tables.cpp).
  llvm::Value* lookUp(llvm::StringRef table, llvm::Value* numbers);
  llvm::Value* loadFromTable(llvm::LoadInst& load);

  // Loads by steps of several lanes (widen_steps.cpp).
  std::optional<LaneSteps> stepsOf(const Access& access, llvm::Value* pointer) const;
  llvm::Value* loadSteps(const Access& access, LaneSteps steps, llvm::Value* first);

  // Butterfly exchanges (widen_butterfly.cpp).
  struct ButterflyRow;
  std::optional<ButterflyRow> butterflyRowOf(llvm::Value* pointer, llvm::Type* type);
  llvm::Value* butterfly(llvm::Value* lanes, unsigned bits);
  llvm::Value* butterfly(llvm::Value* lanes, const ButterflyRow& row, std::optional<unsigned> bits);
  void forEachStride(const ButterflyRow& row, llvm::function_ref<void(std::optional<unsigned> bits)> body);
  bool loadButterfly(llvm::LoadInst& load);
  bool storeButterfly(llvm::StoreInst& store);

  // Private memory (widen_private.cpp).
  void loadPrivate(llvm::LoadInst& load, const PrivateArrays::Access& access);
  void storePrivate(llvm::StoreInst& store, const PrivateArrays::Access& access);
  llvm::SmallVector<std::pair<llvm::Value*, llvm::Value*>, 8> fewRows(const PrivateArrays::Access& access,
                                                                      std::uint64_t offset);
  llvm::Value* privateAddress(const PrivateArrays::Access& access, std::uint64_t offset, bool hasLane);
  llvm::Value* withinArray(const llvm::AllocaInst& memory, llvm::Value* row);
  void createPrivateMemory();

  // Control flow (widen_flow.cpp).
  void beginBlock(llvm::BasicBlock& block);
  void endBlock(llvm::BasicBlock& block);
  void createHeaderPhis(llvm::BasicBlock& header);
  void completeHeaderPhis(llvm::BasicBlock& header, llvm::BasicBlock& from);
  llvm::SmallVector<llvm::Type*, 4> typesOf(const llvm::PHINode& phi);
  llvm::SmallVector<llvm::Value*, 4> valuesFor(const llvm::PHINode& phi, llvm::Value* value);
  void definePhi(llvm::PHINode& phi, llvm::ArrayRef<llvm::Value*> values);
  void addIncoming(llvm::BasicBlock& header, llvm::BasicBlock& from, llvm::BasicBlock& end);
  void joinPhis(llvm::BasicBlock& block);
  void passOn(llvm::BasicBlock& from, llvm::BasicBlock& to, llvm::Value* edgeMask);
  void goTo(BlockNumbers targets, llvm::BasicBlock* certain);
  bool needsNoLane(llvm::Instruction& access) const;
  bool isCheap(llvm::BasicBlock& block) const;
  bool hasLanesFor(const llvm::BasicBlock& block, llvm::BasicBlock* certain) const;
  llvm::Value* maskOf(llvm::BasicBlock& block); ///< null when every lane is live
  llvm::AllocaInst* maskVariable(llvm::BasicBlock& block);
  llvm::Value* both(llvm::Value* mask, llvm::Value* condition);
  llvm::Value* any(llvm::Value* mask);
  llvm::Value* allLanes() { return llvm::Constant::getAllOnesValue(wide(builder_.getInt1Ty())); }
  llvm::Value* liveMask() { return mask_ != nullptr ? mask_ : allLanes(); }
  llvm::BasicBlock* newBlock(const llvm::Twine& name);
  llvm::AllocaInst* newVariable(llvm::Type* type, const llvm::Twine& name);
  llvm::AllocaInst* newVariableFor(llvm::BasicBlock& block, llvm::Constant* initial, const llvm::Twine& name);
  void keepFarVariables();
  void promoteVariables();

  const Plan& plan_;
  llvm::Function& target_;
  VectorisationReport* report_;
  const llvm::DataLayout& layout_;
  Builder builder_;
  llvm::Value* mask_ = nullptr;          ///< live lanes of the block that is being widened
  llvm::StoreInst* postponed_ = nullptr; ///< store that is merged with the next one

  llvm::DenseMap<const llvm::Value*, Lanes> values_;
  /// Values packed for one block only, with that block.
  llvm::DenseMap<const llvm::Value*, std::pair<llvm::BasicBlock*, llvm::Value*>> packedHere_;
  /// The two parts of lane 0's indices that are sums: the uniform part and the rest.
  llvm::DenseMap<const llvm::Value*, std::pair<llvm::Value*, llvm::Value*>> sums_;
  /// Vectors of affine values, with the block in which they were built.
  llvm::DenseMap<const llvm::Value*, std::pair<llvm::BasicBlock*, llvm::SmallVector<llvm::Value*, 4>>> made_;
  /// Addresses of each lane's vector, for loads that are used only in chunks; and the chunks that have been loaded.
  llvm::DenseMap<const llvm::LoadInst*, llvm::SmallVector<llvm::Value*, 16>> laneAddresses_;
  llvm::DenseMap<std::pair<const llvm::LoadInst*, unsigned>, llvm::Value*> chunks_;
  llvm::DenseMap<const llvm::AllocaInst*, llvm::AllocaInst*> memory_; ///< lane-interleaved private arrays

  /// First and last block written for each block.
  llvm::DenseMap<const llvm::BasicBlock*, llvm::BasicBlock*> begins_, ends_;
  llvm::DenseMap<unsigned, BlockNumbers> deferred_; ///< blocks that lanes still have to run after a block, by number
  /// Blocks that branch to the first block of the set, by order, that has an active lane. The second part of the key,
  /// unless it is null, is a block that certainly has one.
  std::map<std::pair<BlockNumbers, llvm::BasicBlock*>, llvm::BasicBlock*> skips_;
  llvm::DenseSet<const llvm::BasicBlock*> perhapsEmpty_; ///< cheap blocks that run even if no lane is live
  llvm::DenseMap<const llvm::BasicBlock*, llvm::Value*> masks_;
  llvm::DenseMap<const llvm::BasicBlock*, llvm::AllocaInst*> maskVariables_;
  llvm::DenseMap<const llvm::PHINode*, llvm::SmallVector<llvm::AllocaInst*, 4>> phiVariables_;
  llvm::DenseMap<const llvm::BasicBlock*, llvm::PHINode*>
      liveMasks_;                                           ///< Live-mask phi of each divergent loop, by header
  std::vector<llvm::AllocaInst*> variables_;                ///< allocas that mem2reg promotes at the end
  llvm::DenseMap<const llvm::AllocaInst*, unsigned> spans_; ///< blocks between a variable's first value and its use
  llvm::BasicBlock* entry_ = nullptr;
};

} // namespace clotho::compiler
