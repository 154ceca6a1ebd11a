// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/transform/groups/local_tiles.hpp"

#include "compiler/ir/group_facts.hpp"
#include "compiler/ir/kernel_facts.hpp"

#include <llvm/Analysis/ValueTracking.h>
#include <llvm/Analysis/VectorUtils.h>
#include <llvm/IR/IRBuilder.h>

#include <algorithm>

namespace clotho::compiler {
namespace {

using llvm::Function;
using llvm::Instruction;
using llvm::Value;

/// More are more than there are registers for.
constexpr std::size_t kMostPieces = 16;

unsigned numberOfLocals(const Function& function) { return factsOf(function).wholeGroupLocals.value_or(0); }

bool collectAccesses(Value& pointer, llvm::SmallVectorImpl<Instruction*>& accesses) {
  return llvm::all_of(pointer.users(), [&](llvm::User* user) {
    if (auto* address = llvm::dyn_cast<llvm::GetElementPtrInst>(user))
      return address->getType()->isPointerTy() && collectAccesses(*address, accesses);
    auto* store = llvm::dyn_cast<llvm::StoreInst>(user);
    if (store != nullptr ? !store->isSimple() || store->getValueOperand() == &pointer
                         : !llvm::isa<llvm::LoadInst>(user) || !llvm::cast<llvm::LoadInst>(user)->isSimple())
      return false;
    accesses.push_back(llvm::cast<Instruction>(user));
    return true;
  });
}

/// The size of a local array of which the same pieces are stored and loaded, all at known places; 0: of any other.
std::uint64_t tileSize(const llvm::Argument& variable, llvm::ArrayRef<Instruction*> accesses) {
  const llvm::DataLayout& layout = variable.getParent()->getDataLayout();
  llvm::SmallDenseSet<std::int64_t, 16> places;
  const llvm::Type* type = nullptr;
  std::int64_t size = 0;
  for (const Instruction* access : accesses) {
    llvm::APInt offset(layout.getIndexTypeSizeInBits(variable.getType()), 0);
    const Value* pointer = llvm::getLoadStorePointerOperand(access);
    if (pointer->stripAndAccumulateConstantOffsets(layout, offset, /*AllowNonInbounds=*/true) != &variable) return 0;
    llvm::Type* its = llvm::getLoadStoreType(access);
    if (type != nullptr && its != type) return 0;
    type = its;
    const auto bytes = static_cast<std::int64_t>(layout.getTypeStoreSize(its).getFixedValue());
    if (offset.getSExtValue() < 0 || offset.getSExtValue() % bytes != 0) return 0;
    places.insert(offset.getSExtValue());
    size = std::max(size, offset.getSExtValue() + bytes);
  }
  return places.size() <= kMostPieces ? static_cast<std::uint64_t>(size) : 0;
}

bool isLocal(const Value* pointer) {
  const auto* argument = llvm::dyn_cast<llvm::Argument>(llvm::getUnderlyingObject(pointer, /*MaxLookup=*/0));
  return argument != nullptr && argument->getArgNo() >= kFirstOwn &&
         argument->getArgNo() < kFirstOwn + numberOfLocals(*argument->getParent());
}

/// Whether what comes between writes to local variables only, and the load reads no such.
bool mayLoadAt(const llvm::LoadInst& load, const llvm::StoreInst& store) {
  if (!load.isSimple() || load.getParent() != store.getParent() || isLocal(load.getPointerOperand())) return false;
  for (const Instruction* next = load.getNextNode(); next != &store; next = next->getNextNode()) {
    if (!next->mayWriteToMemory()) continue;
    const auto* other = llvm::dyn_cast<llvm::StoreInst>(next);
    if (other == nullptr || !isLocal(other->getPointerOperand())) return false;
  }
  return true;
}

void storeInHalves(llvm::StoreInst& store) {
  constexpr std::uint64_t kRegisterBits = 512;
  Value* value = store.getValueOperand();
  const auto* type = llvm::dyn_cast<llvm::FixedVectorType>(value->getType());
  if (type == nullptr || type->getPrimitiveSizeInBits() != kRegisterBits) return;
  const unsigned count = type->getNumElements() / 2;
  llvm::IRBuilder<> builder(&store);
  auto* load = llvm::dyn_cast<llvm::LoadInst>(value);
  if (load != nullptr && (!load->hasOneUse() || !mayLoadAt(*load, store))) load = nullptr;
  for (unsigned half = 0; half < 2; ++half) {
    const unsigned offset = half * kRegisterBits / 16;
    const auto address = [&](Value* pointer) {
      return half == 0 ? pointer : builder.CreateConstInBoundsGEP1_64(builder.getInt8Ty(), pointer, offset);
    };
    Value* piece = nullptr;
    if (load != nullptr) {
      llvm::LoadInst* loaded = builder.CreateAlignedLoad(llvm::FixedVectorType::get(type->getElementType(), count),
                                                         address(load->getPointerOperand()),
                                                         llvm::commonAlignment(load->getAlign(), offset));
      loaded->setAAMetadata(load->getAAMetadata());
      piece = loaded;
    } else {
      piece = builder.CreateShuffleVector(value, llvm::createSequentialMask(half * count, count, 0));
    }
    // Volatile, so that instruction selection does not put the halves together again.
    llvm::StoreInst* stored =
        builder.CreateAlignedStore(piece, address(store.getPointerOperand()),
                                   llvm::commonAlignment(store.getAlign(), offset), /*isVolatile=*/true);
    stored->setAAMetadata(store.getAAMetadata());
  }
  store.eraseFromParent();
  if (load != nullptr) load->eraseFromParent();
}

} // namespace

llvm::PreservedAnalyses KeepTilesPass::run(Function& function, llvm::FunctionAnalysisManager&) {
  if (!factsOf(function).wholeGroupLocals) return llvm::PreservedAnalyses::all();
  bool changed = false;
  for (unsigned i = 0; i < numberOfLocals(function); ++i) {
    llvm::Argument& variable = *function.getArg(kFirstOwn + i);
    llvm::SmallVector<Instruction*, 64> accesses;
    if (!collectAccesses(variable, accesses)) continue;
    const std::uint64_t size = tileSize(variable, accesses);
    if (size == 0) continue;
    llvm::IRBuilder<> builder(&function.getEntryBlock(), function.getEntryBlock().begin());
    llvm::AllocaInst* own =
        builder.CreateAlloca(llvm::ArrayType::get(builder.getInt8Ty(), size), nullptr, variable.getName() + ".own");
    // What is read first is zero, in contexts that initialise memory.
    builder.CreateMemSet(own, builder.getInt8(0), size, own->getAlign());
    own->setAlignment(std::max(own->getAlign(), variable.getParamAlign().valueOrOne()));
    variable.replaceAllUsesWith(own);
    changed = true;
  }
  return changed ? llvm::PreservedAnalyses::none() : llvm::PreservedAnalyses::all();
}

llvm::PreservedAnalyses HalveTileStoresPass::run(Function& function, llvm::FunctionAnalysisManager&) {
  if (!factsOf(function).wholeGroupLocals) return llvm::PreservedAnalyses::all();
  for (unsigned i = 0; i < numberOfLocals(function); ++i) {
    llvm::SmallVector<Instruction*, 64> accesses;
    if (!collectAccesses(*function.getArg(kFirstOwn + i), accesses)) continue;
    for (Instruction* access : accesses)
      if (auto* store = llvm::dyn_cast<llvm::StoreInst>(access)) storeInHalves(*store);
  }
  return llvm::PreservedAnalyses::none();
}

} // namespace clotho::compiler
