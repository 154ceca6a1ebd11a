// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/analysis/choose_width.hpp"

#include "base/arithmetic.hpp"
#include "compiler/analysis/byte_tables.hpp"
#include "compiler/analysis/full_vectors.hpp"
#include "compiler/analysis/instruction_cost.hpp"
#include "compiler/analysis/register_pressure.hpp"
#include "compiler/builtins/limit_inlining.hpp"
#include "compiler/compiler.hpp"
#include "compiler/ir/checks.hpp"
#include "compiler/ir/intrinsics.hpp"
#include "compiler/ir/kernel_facts.hpp"
#include "compiler/ir/kernels.hpp"
#include "compiler/ir/local_memory.hpp"
#include "compiler/ir/marks.hpp"

#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/Analysis/ScalarEvolution.h>
#include <llvm/Analysis/ScalarEvolutionExpressions.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/Support/MathExtras.h>

#include <cmath>

namespace clotho::compiler {
namespace {

bool isLaneByLane(const llvm::Instruction& instruction, const LaneShapes& shapes) {
  if (const auto* call = llvm::dyn_cast<llvm::CallInst>(&instruction))
    return !matchIntrinsic(call) && !isFailedCheck(*call) && !llvm::isa<llvm::IntrinsicInst>(call) &&
           !shapes.of(call).isUniform() && !hasVectorVariant(*call);
  if (llvm::isa<llvm::LoadInst, llvm::StoreInst>(instruction)) return isLaneAfterLane(instruction);
  return instruction.isAtomic();
}

/// Whether each lane accesses an unrelated address (gather or scatter). Tables in registers are no memory.
bool hasOwnAddresses(const llvm::Instruction& access, const LaneShapes& shapes, const ProcessorModel& cpu) {
  const llvm::Value* pointer = llvm::getLoadStorePointerOperand(&access);
  if (pointer == nullptr || !shapes.of(pointer).isVarying()) return false;
  const auto* load = llvm::dyn_cast<llvm::LoadInst>(&access);
  return load == nullptr || !byteTableOf(*load, cpu);
}

/// The widest type of varying values that are computed or moved. The 64 bits of addresses do not count.
unsigned widestType(const llvm::Function& kernel, const LaneShapes& shapes, const ProcessorModel& cpu) {
  unsigned widest = 8;
  const auto see = [&](const llvm::Type* type, unsigned limit) {
    type = type->getScalarType();
    if ((type->isFloatingPointTy() || type->isIntegerTy()) && !type->isIntegerTy(1))
      widest = std::max(widest, std::min(type->getScalarSizeInBits(), limit));
  };
  for (const llvm::Instruction& instruction : llvm::instructions(kernel)) {
    if (isLaneByLane(instruction, shapes)) widest = std::max(widest, kUsualBits);
    // Loads of uniform values fill no vector.
    if (llvm::isa<llvm::LoadInst>(instruction) && shapes.of(&instruction).isUniform()) continue;
    if (llvm::getLoadStorePointerOperand(&instruction) != nullptr) {
      see(llvm::getLoadStoreType(&instruction), 64);
      if (hasOwnAddresses(instruction, shapes, cpu)) widest = std::max(widest, kUsualBits);
    } else if (instruction.getType()->getScalarType()->isFloatingPointTy()) {
      see(instruction.getType(), 64);
    } else if (shapes.of(&instruction).isVarying()) {
      see(instruction.getType(), kUsualBits);
    }
  }
  return widest;
}

/// Chains of dependent operations that leave the processor's pipes partly idle.
enum class Chain { None, Short, Long };

struct LongestChain {
  Chain length = Chain::None;
  /// Most operations for each integer product, if all long chains consist of slow integer products; else 0.
  double perProduct = 0;
};

/// A vector counts for all its elements, since each becomes a vector of its own in the widened kernel.
std::size_t elementsOf(const llvm::Instruction& instruction) {
  const auto* vector = llvm::dyn_cast<llvm::FixedVectorType>(instruction.getType());
  return vector != nullptr ? vector->getNumElements() : 1;
}

/// Number of 32-bit integer products on the cycle from a loop phi to its next value.
std::size_t carriedProducts(const llvm::Loop& loop, const LaneShapes& shapes) {
  using llvm::Instruction;
  llvm::SmallPtrSet<const Instruction*, 16> products;
  for (const llvm::PHINode& phi : loop.getHeader()->phis()) {
    if (!shapes.of(&phi).isVarying()) continue;
    llvm::SmallPtrSet<const Instruction*, 32> behind, between;
    llvm::SmallVector<const Instruction*, 32> open = {&phi};
    while (!open.empty())
      for (const llvm::User* user : open.pop_back_val()->users())
        if (const auto* next = llvm::cast<Instruction>(user); loop.contains(next) && behind.insert(next).second)
          open.push_back(next);
    const auto add = [&](const llvm::Value* value) {
      const auto* next = llvm::dyn_cast<Instruction>(value);
      if (next != nullptr && behind.contains(next) && between.insert(next).second) open.push_back(next);
    };
    for (const auto& [block, value] : llvm::zip(phi.blocks(), phi.incoming_values()))
      if (loop.contains(block)) add(value);
    while (!open.empty())
      for (const llvm::Value* operand : open.pop_back_val()->operands())
        add(operand);
    for (const Instruction* instruction : between)
      if (multipliesIntegers(*instruction)) products.insert(instruction);
  }
  std::size_t count = 0;
  for (const Instruction* product : products)
    count += elementsOf(*product);
  return count;
}

/// The longest chain that is carried around a loop. Short chains do not matter: while one waits, the processor runs
/// ahead to the next sub-group.
LongestChain longestChain(const LaneShapes& shapes, const SubGroupFlow& flow, llvm::ScalarEvolution& evolution,
                          const ProcessorModel& cpu) {
  constexpr std::size_t kFew = 16, kLookAhead = 512;
  LongestChain longest;
  bool isOfOthers = cpu.productChains <= cpu.chains();
  for (const llvm::Loop* loop : flow.loops().getLoopsInPreorder()) {
    if (llvm::none_of(loop->getHeader()->phis(), [&](const llvm::PHINode& phi) { return shapes.of(&phi).isVarying(); }))
      continue;
    const unsigned trips = evolution.getSmallConstantTripCount(loop);
    std::size_t sums = 0, shared = 0, own = 0, computed = 0;
    bool usesMemory = false;
    for (const llvm::BasicBlock* block : loop->blocks())
      for (const llvm::Instruction& instruction : *block) {
        usesMemory = usesMemory || instruction.mayReadOrWriteMemory();
        if (llvm::isa<llvm::LoadInst>(instruction)) {
          ++(shapes.of(llvm::getLoadStorePointerOperand(&instruction)).isUniform() ? shared : own);
        } else if (shapes.of(&instruction).isVarying() && !llvm::isa<llvm::PHINode>(instruction)) {
          sums += instruction.getType()->isFloatingPointTy();
          computed += elementsOf(instruction);
        }
      }
    // The next sub-group is too far ahead for out-of-order execution.
    const bool isFar = !usesMemory && trips * computed > kLookAhead;
    if (trips == 0 || trips > kFew || isFar) {
      longest.length = Chain::Long;
      if (const std::size_t products = isOfOthers ? 0 : carriedProducts(*loop, shapes); products != 0)
        longest.perProduct =
            std::max(longest.perProduct, static_cast<double>(computed) / static_cast<double>(products));
      else
        isOfOthers = true;
    } else if (trips * sums > kFew && shared >= own && longest.length == Chain::None) {
      // With more lanes, uniform values are loaded less often.
      longest.length = Chain::Short;
    }
  }
  if (isOfOthers) longest.perProduct = 0;
  return longest;
}

/// Largest number of bits that each lane carries around a loop.
unsigned mostCarried(const LaneShapes& shapes, const SubGroupFlow& flow) {
  unsigned most = 0;
  for (const llvm::Loop* loop : flow.loops().getLoopsInPreorder()) {
    unsigned bits = 0;
    for (const llvm::PHINode& phi : loop->getHeader()->phis())
      if (shapes.of(&phi).isVarying()) bits += phi.getType()->getPrimitiveSizeInBits().getFixedValue();
    most = std::max(most, bits);
  }
  return most;
}

/// Number of independent chains in a work-item: if all loop-carried values are vectors, their elements are independent.
unsigned ownChains(const LaneShapes& shapes, const SubGroupFlow& flow) {
  unsigned least = UINT_MAX;
  for (const llvm::Loop* loop : flow.loops().getLoopsInPreorder())
    for (const llvm::PHINode& phi : loop->getHeader()->phis()) {
      if (!shapes.of(&phi).isVarying()) continue;
      const auto* vector = llvm::dyn_cast<llvm::FixedVectorType>(phi.getType());
      least = std::min(least, vector != nullptr ? vector->getNumElements() : 1);
    }
  return least == UINT_MAX ? 1 : least;
}

/// Whether the kernel loads or stores types narrower than those it computes with.
bool movesNarrowData(const llvm::Function& kernel, const LaneShapes& shapes, unsigned widest) {
  return llvm::any_of(llvm::instructions(kernel), [&](const llvm::Instruction& instruction) {
    const llvm::Value* pointer = llvm::getLoadStorePointerOperand(&instruction);
    return pointer != nullptr && !shapes.of(pointer).isUniform() &&
           !llvm::getLoadStoreType(&instruction)->isVectorTy() &&
           llvm::getLoadStoreType(&instruction)->getScalarSizeInBits() < widest;
  });
}

/// Whether the innermost divergent loops are searches on narrow data, such as comparisons of bytes. With four times as
/// many lanes they run few more iterations, each little more expensive. There must be such a loop, and other divergent
/// loops may do little more than restart the search.
bool searchesNarrowData(const LaneShapes& shapes, const SubGroupFlow& flow, unsigned widest) {
  constexpr unsigned kNarrower = 4, kLittle = 16;
  bool any = false;
  for (const llvm::Loop* loop : flow.loops().getLoopsInPreorder()) {
    if (!loop->isInnermost() || !flow.isDivergent(*loop)) {
      if (llvm::none_of(loop->blocks(), [&](const llvm::BasicBlock* block) { return flow.parts(*block); })) continue;
      unsigned count = 0;
      for (const llvm::BasicBlock* block : loop->blocks())
        for (const llvm::Instruction& instruction : *block) {
          if (flow.loops().getLoopFor(block) != loop || llvm::isa<llvm::PHINode>(instruction) ||
              !shapes.of(&instruction).isVarying())
            continue;
          if (instruction.getType()->isFPOrFPVectorTy() || ++count > kLittle) return false;
        }
      continue;
    }
    for (const llvm::BasicBlock* block : loop->blocks())
      for (const llvm::Instruction& instruction : *block) {
        if (instruction.mayWriteToMemory()) return false;
        const llvm::Type* type = instruction.getType()->getScalarType();
        if ((type->isIntegerTy() || type->isFloatingPointTy()) && shapes.of(&instruction).isVarying() &&
            instruction.getType()->getPrimitiveSizeInBits() * kNarrower > widest)
          return false;
        any = any || llvm::isa<llvm::LoadInst>(instruction);
      }
  }
  return any;
}

/// Size in bits of the largest access of a kernel without loops of its own that mainly moves memory; 0 for other
/// kernels.
std::uint64_t largestMove(const llvm::Function& kernel, const LaneShapes& shapes, const SubGroupFlow& flow) {
  constexpr unsigned kWorkForEach = 4;
  if (!isRowLoopOnly(flow)) return 0;
  unsigned accesses = 0, others = 0;
  std::uint64_t largest = 1;
  for (const llvm::Instruction& instruction : llvm::instructions(kernel)) {
    const llvm::Value* pointer = llvm::getLoadStorePointerOperand(&instruction);
    if (pointer == nullptr) {
      if (!instruction.getType()->isVoidTy() && shapes.of(&instruction).isVarying()) ++others;
    } else if (!shapes.of(pointer).isUniform()) {
      ++accesses;
      largest = std::max(
          largest, kernel.getDataLayout().getTypeSizeInBits(llvm::getLoadStoreType(&instruction)).getFixedValue());
    }
  }
  return others > kWorkForEach * accesses ? 0 : largest;
}

/// Lanes for a kernel that mainly moves memory: it runs at half the speed if it moves more than a few vectors at once
/// (measured on Zen 4).
unsigned lanesToMove(std::uint64_t largest, unsigned vectorBits) {
  constexpr unsigned kVectors = 4;
  if (largest == 0) return kMostLanes;
  return llvm::bit_floor(std::max<std::uint64_t>(kVectors * vectorBits / largest, 4));
}

/// Bytes from which a vector load from unrelated addresses is no gather: the lanes' vectors are transposed in
/// registers, at a constant cost for each lane.
constexpr std::int64_t kTransposedBytes = 16;

bool loadsOwnVector(const llvm::Instruction& instruction, const LaneShapes& shapes) {
  const auto* load = llvm::dyn_cast<llvm::LoadInst>(&instruction);
  if (load == nullptr || !load->getType()->isVectorTy()) return false;
  const auto bytes = static_cast<std::int64_t>(load->getDataLayout().getTypeStoreSize(load->getType()).getFixedValue());
  const LaneShape pointer = shapes.of(load->getPointerOperand());
  return bytes >= kTransposedBytes && (pointer.isVarying() || magnitude(pointer.stride()) > bytes);
}

/// Whether lanes do not diverge, run one by one, or access unrelated addresses. `mayTranspose`: apart from vector loads
/// that are transposed.
bool staysTogether(const llvm::Function& kernel, const LaneShapes& shapes, const SubGroupFlow& flow,
                   const ProcessorModel& cpu, bool mayPart, bool mayTranspose = false) {
  for (const llvm::BasicBlock& block : kernel) {
    if (flow.parts(block) && !mayPart) return false;
    for (const llvm::Instruction& instruction : block) {
      if (isLaneByLane(instruction, shapes)) return false;
      if (hasOwnAddresses(instruction, shapes, cpu) && !(mayTranspose && loadsOwnVector(instruction, shapes)))
        return false;
    }
  }
  return true;
}

/// Registers for values; the rest hold constants and temporaries.
unsigned registersForValues(const ProcessorModel& cpu) { return cpu.registers - cpu.registers / 5; }

/// Whether a kernel with barriers, whose work-groups have rows of unknown length, has an innermost loop over data that
/// all work-items share. Each element takes much computation there, in dependent chains.
bool loopsOverSharedData(const llvm::Function& kernel, const LaneShapes& shapes, const SubGroupFlow& flow) {
  constexpr unsigned kMuch = 8;
  for (const llvm::Instruction& instruction : llvm::instructions(kernel))
    if (const auto call = matchIntrinsic(&instruction);
        call && call->intrinsic == Intrinsic::LocalId && call->dimension != 0)
      return false;
  return llvm::any_of(flow.loops().getLoopsInPreorder(), [&](const llvm::Loop* loop) {
    if (!loop->isInnermost() ||
        llvm::none_of(loop->getHeader()->phis(), [&](const llvm::PHINode& phi) { return shapes.of(&phi).isVarying(); }))
      return false;
    unsigned loads = 0, computed = 0;
    for (const llvm::BasicBlock* block : loop->blocks())
      for (const llvm::Instruction& instruction : *block) {
        if (llvm::isa<llvm::CallInst>(instruction) && !llvm::isa<llvm::IntrinsicInst>(instruction)) return false;
        if (const llvm::Value* pointer = llvm::getLoadStorePointerOperand(&instruction)) {
          if (!llvm::isa<llvm::LoadInst>(instruction) || !shapes.of(pointer).isUniform()) return false;
          ++loads;
        } else if (instruction.getType()->isFPOrFPVectorTy() && shapes.of(&instruction).isVarying()) {
          ++computed;
        }
      }
    return loads != 0 && computed >= kMuch * loads;
  });
}

/// Whether work-groups are interleaved. Wide sub-groups then keep more lines in flight: there are fewer instructions
/// for each line, and more adjacent lines (3 % on Zen 5; four vectors give 5 %, but many programs have rows of 32).
bool runsInterleaved(const llvm::Function& kernel) {
  return llvm::any_of(llvm::instructions(kernel), [](const llvm::Instruction& instruction) {
    return isIntrinsic(&instruction, Intrinsic::Barrier) && instruction.hasMetadata(kInterleaveName);
  });
}

constexpr unsigned kGlobal = 1; // address space
constexpr std::int64_t kLineBytes = 64;

/// Bytes of an element, if a loop goes down the columns of a matrix whose rows are contiguous over lanes; else 0. If
/// rows are a power of two apart, all lines of a column are in one set of the cache, and evicted before the next
/// sub-group uses the rest of them.
std::int64_t columnBytes(const LaneShapes& shapes, const SubGroupFlow& flow, llvm::ScalarEvolution& evolution) {
  std::int64_t bytes = 0;
  for (const llvm::Loop* loop : flow.loops().getLoopsInPreorder()) {
    if (!loop->isInnermost()) continue;
    for (const llvm::BasicBlock* block : loop->blocks())
      for (const llvm::Instruction& instruction : *block) {
        const auto* load = llvm::dyn_cast<llvm::LoadInst>(&instruction);
        if (load == nullptr || load->getPointerAddressSpace() != kGlobal) continue;
        const std::int64_t size = load->getDataLayout().getTypeStoreSize(load->getType()).getFixedValue();
        const LaneShape shape = shapes.of(load->getPointerOperand());
        if (!shape.isAffine() || shape.stride() != size) continue;
        auto* pointer = const_cast<llvm::Value*>(load->getPointerOperand());
        const auto* address = llvm::dyn_cast<llvm::SCEVAddRecExpr>(evolution.getSCEV(pointer));
        if (address == nullptr || address->getLoop() != loop) continue;
        const auto* step = llvm::dyn_cast<llvm::SCEVConstant>(address->getStepRecurrence(evolution));
        if (step == nullptr || step->getAPInt().abs().uge(kLineBytes)) bytes = std::max(bytes, size);
      }
  }
  return bytes;
}

constexpr std::uint64_t kPrivateBytesOfMany = 64 << 10;

/// Number of vectors that keep the pipes busy during integer products that are slower than floating-point ones: fewer,
/// if more is computed beside each. 0 if such products do not dominate. Most operands can be read from memory
/// meanwhile.
unsigned chainsOfProducts(LongestChain chain, const ProcessorModel& cpu) {
  if (chain.perProduct == 0) return 0;
  // The processor counts a product as two operations.
  const double cycles = std::max((chain.perProduct + 1) / cpu.integerPipes, 1.0);
  const auto wanted = llvm::bit_ceil(static_cast<unsigned>(std::ceil((cpu.productLatency + 1) / cycles)));
  return wanted < cpu.chains() ? 0 : std::min(wanted, cpu.productChains);
}
constexpr unsigned kRegistersInMemory = 4; ///< Most live values for each register, if most operands are in memory

/// Lanes for several vectors of each value, if lanes stay together, or diverge only over narrow data, and registers
/// suffice. `lanes`: lanes of one vector.
unsigned lanesAtOnce(const llvm::Function& kernel, const LaneShapes& shapes, const SubGroupFlow& flow,
                     llvm::ScalarEvolution& evolution, LongestChain longest, unsigned widest, unsigned lanes,
                     const ProcessorModel& cpu, unsigned rows, bool hasEdges) {
  const Chain chain = longest.length;
  const bool movesNarrow = movesNarrowData(kernel, shapes, widest);
  // Streaming kernels run a tenth faster with two vectors at once on processors that issue several in each cycle.
  const bool isStream = cpu.pipes > 1 && !hasEdges && largestMove(kernel, shapes, flow) != 0;
  if (chain == Chain::None && !movesNarrow && !isStream) return lanes;
  const bool mayPart = movesNarrow && searchesNarrowData(shapes, flow, widest);
  if (!staysTogether(kernel, shapes, flow, cpu, mayPart)) return lanes;
  const unsigned each = (mostLive(kernel, shapes) + widest - 1) / widest;
  // Rows are often not much longer than wide sub-groups, and their remainders run in narrow ones.
  const bool waits = chain == Chain::Long && !mayPart;
  // In dependent chains there is time for one or two spilled values, but not for more, nor for those in the chain.
  // Vectors without other live values form chains of their own.
  const unsigned carried = waits ? (mostCarried(shapes, flow) + widest - 1) / widest : 0,
                 chains = waits ? ownChains(shapes, flow) : 1;
  const unsigned ofProducts = waits ? chainsOfProducts(longest, cpu) : 0;
  const bool areVectors = ofProducts != 0 || (waits && each > 2 && each <= carried && each <= 2 * chains);
  const bool mayKeepInMemory = areVectors || (waits && each <= 2);
  const unsigned wanted = std::max(ofProducts, cpu.chains());
  const unsigned most = waits         ? llvm::bit_floor(std::max(wanted / (areVectors ? chains : 1), 1U))
                        : movesNarrow ? 4
                        : isStream    ? 2
                                      : 2 / rows;
  const unsigned registers = ofProducts != 0   ? kRegistersInMemory * cpu.registers
                             : mayKeepInMemory ? cpu.registers
                                               : registersForValues(cpu);
  const unsigned pinned = mayKeepInMemory ? carried : 0,
                 shared = mayKeepInMemory ? sharedOperands(kernel, shapes, flow.loops()) : 0;
  for (unsigned count = most; count > 1; count /= 2)
    if (count * each <= registers && count * pinned + shared <= registers)
      return std::min(lanes * count, waits ? kMostLanes : kMostUsualLanes);
  // Using whole cache lines is worth some spilled registers.
  if (const std::int64_t bytes = columnBytes(shapes, flow, evolution); bytes != 0) {
    const auto count = llvm::bit_floor(static_cast<unsigned>(kLineBytes / bytes) / (cpu.vectorBits / widest));
    if (count > 1 && count * each <= 2 * registers) return std::min(lanes * count, kMostUsualLanes);
  }
  return lanes;
}

/// Lanes for kernels whose lanes load vectors of narrow elements from unrelated addresses and otherwise stay together:
/// as many as fill a register with the narrowest elements; `lanes` for other kernels. With fewer, part of each
/// operation is wasted: eight bytes take as long as 16. Each 32-bit loop-carried
/// value costs extensions of the narrow elements, more of them with more lanes. Measured with AVX2 and SSE4 on Zen 4:
/// twice as many lanes gain with one such value and lose with two or three; four times as many gain even with three.
unsigned lanesOfNarrowVectors(const llvm::Function& kernel, const LaneShapes& shapes, const SubGroupFlow& flow,
                              const ProcessorModel& cpu, unsigned lanes) {
  constexpr unsigned kRegisterBits = 128; // the narrowest register of all processors with vectors
  unsigned narrowest = kRegisterBits;
  for (const llvm::Instruction& instruction : llvm::instructions(kernel))
    if (loadsOwnVector(instruction, shapes))
      narrowest = std::min(narrowest, instruction.getType()->getScalarSizeInBits());
  const unsigned filling = kRegisterBits / narrowest;
  const auto carried = llvm::divideCeil(mostCarried(shapes, flow), kUsualBits);
  return carried < filling / lanes && staysTogether(kernel, shapes, flow, cpu, /*mayPart=*/false, /*mayTranspose=*/true)
             ? filling
             : lanes;
}

/// Whether nearly all values of a kernel are vectors which, for `lanes` work-items, fill the processor's
/// (PackedVectors).
bool fillVectors(const llvm::Function& kernel, const LaneShapes& shapes, const SubGroupFlow& flow,
                 const ProcessorModel& cpu, unsigned lanes) {
  constexpr std::uint64_t kFew = 4, kDepthLimit = 6;
  std::uint64_t filling = 0, others = 0;
  for (const llvm::BasicBlock& block : kernel) {
    const std::uint64_t trips = 1U << (3 * std::min<std::uint64_t>(flow.loops().getLoopDepth(&block), kDepthLimit));
    for (const llvm::Instruction& instruction : block) {
      if (!shapes.of(&instruction).isVarying() || instruction.getType()->isPointerTy()) continue;
      (isFullVector(instruction, cpu, lanes) ? filling : others) += trips;
    }
  }
  return others * kFew <= filling;
}

/// Lanes for kernels that mainly compute long vectors in each work-item: fewer than fill a vector, so that live values
/// fit into registers.
unsigned lanesWithRegisters(const llvm::Function& kernel, const LaneShapes& shapes, const SubGroupFlow& flow,
                            LongestChain longest, const ProcessorModel& cpu, unsigned lanes) {
  if (lanes * kUsualBits > cpu.vectorBits || !fillVectors(kernel, shapes, flow, cpu, lanes)) return lanes;
  const unsigned live = mostLive(kernel, shapes),
                 all = (chainsOfProducts(longest, cpu) != 0 ? kRegistersInMemory : 1) * cpu.registers,
                 registers = all - std::min(sharedOperands(kernel, shapes, flow.loops()), all);
  while (lanes > 2 && live * lanes > registers * cpu.vectorBits && fillVectors(kernel, shapes, flow, cpu, lanes / 2))
    lanes /= 2;
  return lanes;
}

/// Reduces the lanes while values do not fit into registers, but not below a quarter of a vector's 32-bit lanes.
unsigned lanesToTranspose(const llvm::Function& kernel, const LaneShapes& shapes, const ProcessorModel& cpu,
                          unsigned lanes) {
  const std::uint64_t live = mostLive(kernel, shapes);
  while (lanes * 4 * kUsualBits > cpu.vectorBits &&
         4 * live * lanes > 5 * std::uint64_t{cpu.registers} * cpu.vectorBits)
    lanes /= 2;
  return lanes;
}

} // namespace

bool isRowLoopOnly(const SubGroupFlow& flow) {
  // specialise adds three loops: over the row, the run-time checks, and the sub-groups that passed them.
  return flow.loops().getLoopsInPreorder().size() <= 3;
}

WidthChoice chooseWidth(const llvm::Function& kernel, const LaneShapes& shapes, const SubGroupFlow& flow,
                        const ProcessorModel& cpu, llvm::ScalarEvolution* evolution, const WidthRequest& request) {
  WidthChoice choice;
  const unsigned usual = cpu.vectorBits / kUsualBits;
  const unsigned widest = widestType(kernel, shapes, cpu);
  choice.width = request.width;
  unsigned single = kMostLanes;
  if (request.width == 0) {
    choice.width = cpu.vectorBits / widest;
    const LongestChain longest = evolution != nullptr ? longestChain(shapes, flow, *evolution, cpu) : LongestChain();
    if (choice.width < kMostUsualLanes && evolution != nullptr) {
      choice.width = lanesAtOnce(kernel, shapes, flow, *evolution, longest, widest, choice.width, cpu, request.rows,
                                 request.hasEdges);
      // With more lanes, private memory would exceed a cache, and then the stack.
      while (choice.width > kMostUsualLanes && choice.width * privateBytes(kernel) > kPrivateBytesOfMany)
        choice.width /= 2;
    }
    if (evolution != nullptr && request.rows == 1)
      choice.width = lanesOfNarrowVectors(kernel, shapes, flow, cpu, choice.width);
    const bool inPairs = evolution == nullptr &&
                         (runsInterleaved(kernel) || (loopsOverSharedData(kernel, shapes, flow) &&
                                                      staysTogether(kernel, shapes, flow, cpu, false))) &&
                         2 * mostLive(kernel, shapes) <= registersForValues(cpu) * widest;
    if (inPairs) {
      single = choice.width;
      choice.width *= 2;
    }
    if (evolution != nullptr)
      choice.width = std::min(choice.width, lanesWithRegisters(kernel, shapes, flow, longest, cpu, choice.width));
    if (evolution != nullptr && !request.mergesRows)
      choice.width = std::min(choice.width, lanesToMove(largestMove(kernel, shapes, flow), cpu.vectorBits));
    if (request.mergesRows) choice.width = lanesToTranspose(kernel, shapes, cpu, std::min(choice.width, usual));
  }
  if (const auto row = requiredSize(kernel, 0)) {
    while (choice.width > *row || (choice.width > usual && *row % choice.width != 0))
      choice.width /= 2;
    choice.fitsRequiredSize = *row % choice.width == 0;
  }
  choice.shortRows = std::min(choice.width, single);
  if (evolution != nullptr)
    choice.registers = llvm::divideCeil(mostLive(kernel, shapes) * choice.width, cpu.vectorBits);
  return choice;
}

} // namespace clotho::compiler
