// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/builtins/limit_inlining.hpp"

#include "compiler/builtins/format.hpp"
#include "compiler/builtins/value_forms.hpp"
#include "compiler/builtins/variant_names.hpp"
#include "compiler/ir/kernels.hpp"
#include "compiler/ir/variants.hpp"

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/MapVector.h>
#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/DerivedTypes.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Module.h>
#include <llvm/Transforms/Utils/ModuleUtils.h>

#include <algorithm>
#include <memory>
#include <optional>

namespace clotho::compiler {
namespace {

/// Most instructions that inlining of elementwise builtins may add to a kernel: thirty sines of single precision. The
/// largest kernel of bench/ needs a quarter.
constexpr std::uint64_t kBudget = 2000;

/// Most instructions that inlined image accesses may add to a kernel while formats are unknown: eight accesses, which
/// take half a second to build.
constexpr std::uint64_t kImageBudget = 4000;

/// Budget of other long functions, counted by vector elements: a hundred calls of normalize() of float4. Beyond it they
/// are called for one lane at a time, which is slower, so the limit is where builds would take seconds.
constexpr std::uint64_t kOtherBudget = 12'000;
/// Smallest other function that counts, in instructions times elements. Shorter ones are always inlined: they cost no
/// more than a call.
constexpr std::uint64_t kShortestCalled = 40;

/// Lane counts of the library's vector variants.
constexpr unsigned kLanes[] = {16, 8, 4};

// Beginning of an attribute that ends with the number of lanes.
constexpr llvm::StringLiteral kVariantPrefix = "clotho-variant-";

bool isBuiltin(const llvm::Function& function) {
  return function.hasFnAttribute(builtin_format::kBuiltinAttribute) && !function.isDeclaration();
}

/// Whether tools/builtins has marked the function for inlining.
bool isAlwaysInlined(const llvm::Function& function) {
  return isBuiltin(function) &&
         (function.hasFnAttribute(llvm::Attribute::AlwaysInline) || function.hasFnAttribute("function-inline-cost"));
}

std::string variantAttribute(unsigned lanes) { return (kVariantPrefix + llvm::Twine(lanes)).str(); }

/// One call of a long builtin in a kernel.
struct Site {
  std::uint64_t times = 0; ///< Number of calls that it becomes when the functions around it are inlined
  unsigned depth = 0;      ///< Number of loops around the call
  std::uint64_t size = 0;  ///< Size of the callee, in instructions
};

bool isElementwiseCallee(const llvm::Function& function) {
  return isAlwaysInlined(function) && variantName(function, kLanes[0]).has_value();
}

bool isImageCallee(const llvm::Function& function) {
  return isAlwaysInlined(function) && function.getName().contains("ocl_image");
}

bool isOtherCallee(const llvm::Function& function) {
  return isAlwaysInlined(function) && function.doesNotAccessMemory() && !function.isConvergent() &&
         !isElementwiseCallee(function) && !isImageCallee(function);
}

/// Functions that share a budget.
struct Kind {
  bool (*contains)(const llvm::Function&);
  std::uint64_t budget;       ///< Most instructions that inlining may add to a kernel
  std::uint64_t shortest = 0; ///< Smallest function that counts, in instructions; shorter ones are always inlined
  bool byElement = false;     ///< Whether an instruction counts once for each element of its vector
};
constexpr Kind kElementwise = {isElementwiseCallee, kBudget};
constexpr Kind kImages = {isImageCallee, kImageBudget};
constexpr Kind kOthers = {isOtherCallee, kOtherBudget, kShortestCalled, /*byElement=*/true};

using Sizes = llvm::DenseMap<const llvm::Function*, std::uint64_t>;

/// The calls of one kind of long builtins in a kernel.
class Kernel {
 public:
  Kernel(llvm::Function& kernel, const Kind& kind, Sizes& sizes) : kind_(kind), sizes_(sizes) {
    visit(kernel, 0);
    if (!isTooLarge()) return;
    // Computed only here, since most kernels stay within the budget and need no loop information.
    knowsLoops_ = true;
    sites_.clear();
    visits_ = 0;
    visit(kernel, 0);
  }

  bool isTooLarge() const { return total_ > kind_.budget; }

  /// The calls that are not inlined. Those in fewer than `leastDepth` loops get nothing of the budget.
  llvm::SmallVector<llvm::CallInst*, 0> beyondBudget(unsigned leastDepth) const {
    llvm::SmallVector<std::pair<llvm::CallInst*, Site>, 0> sites(sites_.begin(), sites_.end());
    llvm::stable_sort(sites, [](const auto& a, const auto& b) { return a.second.depth > b.second.depth; });
    llvm::SmallVector<llvm::CallInst*, 0> result;
    std::uint64_t left = kind_.budget;
    for (const auto& [call, site] : sites) {
      const std::uint64_t cost = site.times * site.size;
      if (site.depth >= leastDepth && cost <= left)
        left -= cost;
      else
        result.push_back(call);
    }
    return result;
  }

 private:
  /// Visits a function that the kernel calls, once for each call path; their number may be exponential.
  void visit(llvm::Function& function, unsigned depth) {
    constexpr unsigned kMostVisits = 2000;
    if (++visits_ > kMostVisits || !open_.insert(&function).second) return;
    const llvm::LoopInfo* loops = knowsLoops_ ? &loopsOf(function) : nullptr;
    for (llvm::Instruction& instruction : llvm::instructions(function)) {
      auto* call = llvm::dyn_cast<llvm::CallInst>(&instruction);
      llvm::Function* callee = call != nullptr ? call->getCalledFunction() : nullptr;
      if (callee == nullptr || callee->isDeclaration()) continue;
      const unsigned inside = depth + (loops != nullptr ? loops->getLoopDepth(call->getParent()) : 0);
      if (!callee->hasFnAttribute(builtin_format::kBuiltinAttribute)) {
        visit(*callee, inside);
      } else if (kind_.contains(*callee) && sizeOf(*callee) >= kind_.shortest) {
        Site& site = sites_[call];
        site.size = sizeOf(*callee);
        ++site.times;
        site.depth = std::max(site.depth, inside);
        if (!knowsLoops_) total_ += site.size;
      }
    }
    open_.erase(&function);
  }

  const llvm::LoopInfo& loopsOf(llvm::Function& function) {
    auto& loops = loops_[&function];
    if (!loops) loops = std::make_unique<llvm::LoopInfo>(llvm::DominatorTree(function));
    return *loops;
  }

  /// Size of the function with its inlined callees.
  std::uint64_t sizeOf(const llvm::Function& function) {
    const auto [entry, isNew] = sizes_.try_emplace(&function, 0);
    if (!isNew) return entry->second;
    std::uint64_t size = 0;
    for (const llvm::Instruction& instruction : llvm::instructions(function)) {
      const auto* vector = llvm::dyn_cast<llvm::FixedVectorType>(instruction.getType());
      size += kind_.byElement && vector != nullptr ? vector->getNumElements() : 1;
      if (const auto* call = llvm::dyn_cast<llvm::CallInst>(&instruction);
          call != nullptr && call->getCalledFunction() != nullptr && isAlwaysInlined(*call->getCalledFunction()))
        size += sizeOf(*call->getCalledFunction());
    }
    return sizes_[&function] = size;
  }

  const Kind& kind_;
  Sizes& sizes_;
  llvm::MapVector<llvm::CallInst*, Site> sites_;
  llvm::SmallPtrSet<const llvm::Function*, 8> open_;
  llvm::DenseMap<const llvm::Function*, std::unique_ptr<llvm::LoopInfo>> loops_;
  std::uint64_t total_ = 0;
  unsigned visits_ = 0;
  bool knowsLoops_ = false;
};

/// Declares the library's variants of `function` for calls of `called`: the function itself or its value form.
void declareVariants(const llvm::Function& function, llvm::Function& called,
                     llvm::function_ref<bool(llvm::StringRef)> defines,
                     llvm::SmallVectorImpl<llvm::GlobalValue*>& made) {
  llvm::Module& module = *called.getParent();
  for (unsigned lanes : kLanes) {
    const auto name = variantName(function, lanes);
    if (!name || !defines(*name) || called.hasFnAttribute(variantAttribute(lanes))) continue;
    const auto widen = [&](llvm::Type* type) -> llvm::Type* {
      if (type->isPointerTy()) return llvm::PointerType::get(module.getContext(), 0);
      return llvm::FixedVectorType::get(type->getScalarType(), lanes);
    };
    llvm::SmallVector<llvm::Type*, 3> parameters(llvm::map_range(function.getFunctionType()->params(), widen));
    auto* type = llvm::FunctionType::get(widen(function.getReturnType()), parameters, /*isVarArg=*/false);
    auto* variant = llvm::cast<llvm::Function>(module.getOrInsertFunction(*name, type).getCallee());
    if (llvm::Type* second = secondResult(function))
      variant = &ValueForms::make(*variant, *widen(second), *name + ".values");
    called.addFnAttr(variantAttribute(lanes), variant->getName());
    made.push_back(variant);
  }
}

} // namespace

void limitImages(llvm::Module& module) {
  Sizes sizes;
  for (llvm::Function& function : module) {
    if (!isKernel(function) || function.isDeclaration()) continue;
    const Kernel kernel(function, kImages, sizes);
    if (!kernel.isTooLarge()) continue;
    for (llvm::CallInst* call : kernel.beyondBudget(/*leastDepth=*/1))
      call->setIsNoInline();
  }
}

bool limitInlining(llvm::Module& module, llvm::function_ref<bool(llvm::StringRef)> defines) {
  Sizes sizes, sizesByElement;
  llvm::SmallVector<llvm::GlobalValue*, 8> made;
  ValueForms forms;
  llvm::SmallVector<llvm::Function*, 8> kernels;
  for (llvm::Function& function : module)
    if (isKernel(function) && !function.isDeclaration()) kernels.push_back(&function);
  for (llvm::Function* function : kernels) {
    for (llvm::CallInst* call : Kernel(*function, kOthers, sizesByElement).beyondBudget(/*leastDepth=*/0))
      call->setIsNoInline();
    const Kernel kernel(*function, kElementwise, sizes);
    if (!kernel.isTooLarge()) continue;
    for (llvm::CallInst* call : kernel.beyondBudget(/*leastDepth=*/0)) {
      const llvm::Function& callee = *call->getCalledFunction();
      if (secondResult(callee) != nullptr) call = &forms.replace(*call);
      call->setIsNoInline();
      declareVariants(callee, *call->getCalledFunction(), defines, made);
    }
  }
  if (!made.empty()) llvm::appendToCompilerUsed(module, made);
  return !made.empty();
}

llvm::Function* vectorVariant(const llvm::CallBase& call, unsigned lanes) {
  const llvm::Function* callee = call.getCalledFunction();
  if (callee == nullptr) return nullptr;
  const llvm::StringRef name = callee->getFnAttribute(variantAttribute(lanes)).getValueAsString();
  return name.empty() ? nullptr : callee->getParent()->getFunction(name);
}

bool hasVectorVariant(const llvm::CallBase& call) { return vectorVariant(call, kLanes[2]) != nullptr; }

void forgetUnusedVariants(llvm::Module& module) {
  llvm::SmallVector<llvm::Function*, 16> variants;
  llvm::removeFromUsedLists(module, [&](llvm::Constant* constant) {
    auto* function = llvm::dyn_cast<llvm::Function>(constant->stripPointerCasts());
    // These lists contain no other functions of the library.
    if (function == nullptr || !function->hasFnAttribute(builtin_format::kBuiltinAttribute)) return false;
    variants.push_back(function);
    return true;
  });
  for (llvm::Function* variant : variants)
    if (variant->use_empty()) variant->eraseFromParent();
}

} // namespace clotho::compiler
