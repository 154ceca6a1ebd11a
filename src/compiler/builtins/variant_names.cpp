// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/builtins/variant_names.hpp"

#include "compiler/builtins/properties.hpp"

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/ADT/StringSwitch.h>
#include <llvm/IR/Function.h>

#include <algorithm>

namespace clotho::compiler {
namespace {

/// Whether the builtin of this name is expensive and elementwise.
bool isElementwise(llvm::StringRef baseName) {
  baseName.consume_front("half_") || baseName.consume_front("native_");
  return llvm::StringSwitch<bool>(baseName)
      .Cases({"acos", "acosh", "acospi", "asin", "asinh", "asinpi"}, true)
      .Cases({"atan", "atan2", "atan2pi", "atanh", "atanpi", "cbrt"}, true)
      .Cases({"cos", "cosh", "cospi", "erf", "erfc", "exp", "exp10", "exp2", "expm1"}, true)
      .Cases({"fmod", "frexp", "hypot", "ldexp", "lgamma", "lgamma_r", "log", "log10", "log1p", "log2"}, true)
      .Cases({"nextafter", "pow", "pown", "powr", "remainder", "remquo", "rootn", "rsqrt"}, true)
      .Cases({"sin", "sincos", "sinh", "sinpi", "tan", "tanh", "tanpi", "tgamma"}, true)
      .Default(false);
}

/// A parameter: its mangled element type, and whether it is a pointer that is written through.
struct Parameter {
  llvm::StringRef element;
  bool isPointer = false;
};

/// Parses a function's mangled parameters.
class Parameters {
 public:
  explicit Parameters(llvm::StringRef mangled) : rest_(mangled) {}

  /// Nothing unless all parameters are scalars, or all are vectors of one length, and only the last is a pointer.
  std::optional<llvm::SmallVector<Parameter, 3>> read() {
    llvm::SmallVector<Parameter, 3> result;
    while (!rest_.empty()) {
      if (!result.empty() && result.back().isPointer) return std::nullopt;
      const bool isPointer = rest_.consume_front("P");
      if (isPointer && rest_.consume_front("U3AS")) rest_ = rest_.drop_front();
      llvm::StringRef length;
      const auto element = readType(length);
      if (!element || (!result.empty() && length != length_)) return std::nullopt;
      length_ = length;
      result.push_back({*element, isPointer});
    }
    return result;
  }

 private:
  std::optional<llvm::StringRef> readType(llvm::StringRef& length) {
    if (rest_.consume_front("S")) {
      // A substitution for an earlier vector type: S_, S0_, S1_.
      std::size_t number = 0;
      if (!rest_.starts_with("_") && !rest_.consumeInteger(36, number)) ++number;
      if (!rest_.consume_front("_") || number >= named_.size()) return std::nullopt;
      length = length_;
      return named_[number];
    }
    if (rest_.consume_front("Dv")) {
      length = rest_.take_until([](char c) { return c == '_'; });
      rest_ = rest_.drop_front(std::min(rest_.size(), length.size() + 1));
    }
    const llvm::StringRef element = rest_.take_front(rest_.starts_with("Dh") ? 2 : 1);
    if (element != "Dh" && (element.empty() || !llvm::is_contained("fdij", element.front()))) return std::nullopt;
    rest_ = rest_.drop_front(element.size());
    if (!length.empty()) named_.push_back(element);
    return element;
  }

  llvm::StringRef rest_, length_;
  llvm::SmallVector<llvm::StringRef, 3> named_; ///< elements of the vector types that have a number
};

/// The function's parameters; nothing if it is not a known elementwise function.
std::optional<llvm::SmallVector<Parameter, 3>> parametersOf(const llvm::Function& function) {
  const llvm::StringRef symbol = function.getName(), base = builtinBaseName(symbol);
  if (base.size() == symbol.size() || !isElementwise(base)) return std::nullopt;
  auto parameters = Parameters(symbol.drop_front(base.end() - symbol.begin())).read();
  if (parameters && parameters->size() != function.arg_size()) return std::nullopt;
  return parameters;
}

} // namespace

std::optional<std::string> variantName(const llvm::Function& function, unsigned lanes) {
  const auto parameters = parametersOf(function);
  if (!parameters) return std::nullopt;
  const llvm::StringRef symbol = function.getName();
  std::string name = symbol.take_front(builtinBaseName(symbol).end() - symbol.begin()).str();
  llvm::SmallVector<llvm::StringRef, 3> named;
  for (const auto& [element, isPointer] : *parameters) {
    if (isPointer) name += "P";
    const auto* found = llvm::find(named, element);
    const auto number = found - named.begin();
    if (found == named.end()) {
      named.push_back(element);
      name += ("Dv" + llvm::Twine(lanes) + "_" + element).str();
    } else {
      name += number == 0 ? "S_" : "S" + std::to_string(number - 1) + "_";
    }
  }
  return name;
}

llvm::Type* secondResult(const llvm::Function& function) {
  const auto parameters = parametersOf(function);
  if (!parameters || parameters->empty() || !parameters->back().isPointer) return nullptr;
  llvm::Type* first = function.getReturnType();
  if (parameters->back().element != "i") return first;
  return first->getWithNewType(llvm::Type::getInt32Ty(function.getContext()));
}

} // namespace clotho::compiler
