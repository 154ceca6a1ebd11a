// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/builtins/limit_inlining.hpp"

#include "compiler/builtins/format.hpp"
#include "compiler/builtins/properties.hpp"
#include "compiler/ir/kernels.hpp"
#include "compiler/ir/variants.hpp"

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/MapVector.h>
#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/ADT/StringSwitch.h>
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

/// What a kernel may grow by. Thirty sines of single precision; the largest of the kernels of bench/ needs a quarter.
constexpr std::uint64_t kBudget = 2000;

/// The same of reads and writes of images, which are long as long as their formats are not known: eight of them, which
/// take half a second to build.
constexpr std::uint64_t kImageBudget = 4000;

/// Of the library's vectors.
constexpr unsigned kLanes[] = {16, 8, 4};

constexpr llvm::StringLiteral kVariantPrefix = "clotho-variant-"; // of an attribute, before the number of lanes

bool isBuiltin(const llvm::Function& function) {
  return function.hasFnAttribute(builtin_format::kBuiltinAttribute) && !function.isDeclaration();
}

/// Marked by tools/builtins for the inliner.
bool isAlwaysInlined(const llvm::Function& function) {
  return isBuiltin(function) &&
         (function.hasFnAttribute(llvm::Attribute::AlwaysInline) || function.hasFnAttribute("function-inline-cost"));
}

/// The functions that do the same to each element of a vector, of those that are long.
bool isElementwise(llvm::StringRef name) {
  name.consume_front("half_") || name.consume_front("native_");
  return llvm::StringSwitch<bool>(name)
      .Cases({"acos", "acosh", "acospi", "asin", "asinh", "asinpi"}, true)
      .Cases({"atan", "atan2", "atan2pi", "atanh", "atanpi", "cbrt"}, true)
      .Cases({"cos", "cosh", "cospi", "erf", "erfc", "exp", "exp10", "exp2", "expm1"}, true)
      .Cases({"fmod", "hypot", "ldexp", "lgamma", "log", "log10", "log1p", "log2"}, true)
      .Cases({"pow", "pown", "powr", "remainder", "rootn", "rsqrt"}, true)
      .Cases({"sin", "sinh", "sinpi", "tan", "tanh", "tanpi", "tgamma"}, true)
      .Default(false);
}

/// The types of a function's parameters, one letter for each, as C++ mangles those of their elements; nothing if the
/// parameters are not all scalars, or all vectors of one length.
std::optional<std::string> elementLetters(llvm::StringRef parameters) {
  std::string letters, named;
  llvm::StringRef length;
  for (bool isFirst = true; !parameters.empty(); isFirst = false) {
    llvm::StringRef itsLength;
    char letter = 0;
    if (parameters.consume_front("S")) {
      // A vector type that was named before, by its number: S_, S0_, S1_.
      std::size_t number = 0;
      if (!parameters.starts_with("_") && !parameters.consumeInteger(36, number)) ++number;
      if (!parameters.consume_front("_") || number >= named.size()) return std::nullopt;
      letter = named[number];
      itsLength = length;
    } else {
      if (parameters.consume_front("Dv")) {
        itsLength = parameters.take_until([](char c) { return c == '_'; });
        parameters = parameters.drop_front(std::min(parameters.size(), itsLength.size() + 1));
      }
      if (parameters.empty() || !llvm::is_contained("fdij", parameters.front())) return std::nullopt;
      letter = parameters.front();
      parameters = parameters.drop_front();
      if (!itsLength.empty()) named += letter;
    }
    if (isFirst) length = itsLength;
    if (itsLength != length) return std::nullopt;
    letters += letter;
  }
  return letters;
}

/// The name of what does to vectors of so many elements what the function does to each element. Nothing if it is not
/// known to work so.
std::optional<std::string> variantName(const llvm::Function& function, unsigned lanes) {
  const llvm::StringRef symbol = function.getName(), base = builtinBaseName(symbol);
  if (base.size() == symbol.size() || !isElementwise(base)) return std::nullopt;
  const std::size_t end = static_cast<std::size_t>(base.data() - symbol.data()) + base.size();
  const auto letters = elementLetters(symbol.substr(end));
  if (!letters || letters->size() != function.arg_size()) return std::nullopt;
  std::string name = symbol.take_front(end).str(), named;
  for (char letter : *letters) {
    const std::size_t number = named.find(letter);
    if (number == std::string::npos) {
      named += letter;
      name += "Dv" + std::to_string(lanes) + "_" + letter;
    } else {
      name += number == 0 ? "S_" : "S" + std::to_string(number - 1) + "_";
    }
  }
  return name;
}

std::string variantAttribute(unsigned lanes) { return (kVariantPrefix + llvm::Twine(lanes)).str(); }

/// One call of a long builtin, as a kernel comes to it.
struct Site {
  std::uint64_t times = 0; ///< calls that it becomes when the functions around it are inlined
  unsigned depth = 0;      ///< of loops
  std::uint64_t size = 0;  ///< of what is called
};

bool isElementwiseCallee(const llvm::Function& function) {
  return isAlwaysInlined(function) && variantName(function, kLanes[0]).has_value();
}

bool isImageCallee(const llvm::Function& function) {
  return isAlwaysInlined(function) && function.getName().contains("ocl_image");
}

/// The calls in a kernel of one kind of long builtin functions.
class Kernel {
 public:
  using Kind = bool (*)(const llvm::Function&);
  Kernel(llvm::Function& kernel, Kind isCounted, std::uint64_t budget,
         llvm::DenseMap<const llvm::Function*, std::uint64_t>& sizes)
      : isCounted_(isCounted), budget_(budget), sizes_(sizes) {
    visit(kernel, 0);
    if (!isTooLarge()) return;
    // Only now, since for most kernels it does not matter where their loops are.
    knowsLoops_ = true;
    sites_.clear();
    visits_ = 0;
    visit(kernel, 0);
  }

  bool isTooLarge() const { return total_ > budget_; }

  /// The calls that are not to be inlined.
  llvm::SmallVector<llvm::CallInst*, 0> beyondBudget() const {
    llvm::SmallVector<std::pair<llvm::CallInst*, Site>, 0> sites(sites_.begin(), sites_.end());
    llvm::stable_sort(sites, [](const auto& a, const auto& b) { return a.second.depth > b.second.depth; });
    llvm::SmallVector<llvm::CallInst*, 0> result;
    std::uint64_t left = budget_;
    for (const auto& [call, site] : sites) {
      const std::uint64_t cost = site.times * site.size;
      if (cost <= left)
        left -= cost;
      else
        result.push_back(call);
    }
    return result;
  }

 private:
  /// A function that the kernel reaches, by each of the ways; there may be more of these than can be counted.
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
      } else if (isCounted_(*callee)) {
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

  /// With what it calls itself.
  std::uint64_t sizeOf(const llvm::Function& function) {
    const auto [entry, isNew] = sizes_.try_emplace(&function, 0);
    if (!isNew) return entry->second;
    std::uint64_t size = function.getInstructionCount();
    for (const llvm::Instruction& instruction : llvm::instructions(function))
      if (const auto* call = llvm::dyn_cast<llvm::CallInst>(&instruction);
          call != nullptr && call->getCalledFunction() != nullptr && isAlwaysInlined(*call->getCalledFunction()))
        size += sizeOf(*call->getCalledFunction());
    return sizes_[&function] = size;
  }

  const Kind isCounted_;
  const std::uint64_t budget_;
  llvm::DenseMap<const llvm::Function*, std::uint64_t>& sizes_;
  llvm::MapVector<llvm::CallInst*, Site> sites_;
  llvm::SmallPtrSet<const llvm::Function*, 8> open_;
  llvm::DenseMap<const llvm::Function*, std::unique_ptr<llvm::LoopInfo>> loops_;
  std::uint64_t total_ = 0;
  unsigned visits_ = 0;
  bool knowsLoops_ = false;
};

/// Declares the variants of the function that the library has.
void declareVariants(llvm::Function& function, llvm::function_ref<bool(llvm::StringRef)> defines,
                     llvm::SmallVectorImpl<llvm::GlobalValue*>& made) {
  for (unsigned lanes : kLanes) {
    const auto name = variantName(function, lanes);
    if (!name || !defines(*name) || function.hasFnAttribute(variantAttribute(lanes))) continue;
    llvm::SmallVector<llvm::Type*, 2> parameters;
    for (llvm::Type* parameter : function.getFunctionType()->params())
      parameters.push_back(llvm::FixedVectorType::get(parameter->getScalarType(), lanes));
    auto* result = llvm::FixedVectorType::get(function.getReturnType()->getScalarType(), lanes);
    auto* variant = llvm::cast<llvm::Function>(
        function.getParent()
            ->getOrInsertFunction(*name, llvm::FunctionType::get(result, parameters, /*isVarArg=*/false))
            .getCallee());
    function.addFnAttr(variantAttribute(lanes), *name);
    made.push_back(variant);
  }
}

} // namespace

void limitImages(llvm::Module& module) {
  llvm::DenseMap<const llvm::Function*, std::uint64_t> sizes;
  for (llvm::Function& function : module) {
    if (!isKernel(function) || function.isDeclaration()) continue;
    const Kernel kernel(function, isImageCallee, kImageBudget, sizes);
    if (!kernel.isTooLarge()) continue;
    for (llvm::CallInst* call : kernel.beyondBudget())
      call->setIsNoInline();
  }
}

bool limitInlining(llvm::Module& module, llvm::function_ref<bool(llvm::StringRef)> defines) {
  llvm::DenseMap<const llvm::Function*, std::uint64_t> sizes;
  llvm::SmallVector<llvm::GlobalValue*, 8> made;
  for (llvm::Function& function : module) {
    if (!isKernel(function) || function.isDeclaration()) continue;
    const Kernel kernel(function, isElementwiseCallee, kBudget, sizes);
    if (!kernel.isTooLarge()) continue;
    for (llvm::CallInst* call : kernel.beyondBudget()) {
      call->setIsNoInline();
      declareVariants(*call->getCalledFunction(), defines, made);
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
    // No other function of the library is in these lists.
    if (function == nullptr || !function->hasFnAttribute(builtin_format::kBuiltinAttribute)) return false;
    variants.push_back(function);
    return true;
  });
  for (llvm::Function* variant : variants)
    if (variant->use_empty()) variant->eraseFromParent();
}

} // namespace clotho::compiler
