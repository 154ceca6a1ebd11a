// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/frontend/spirv/mangle.hpp"

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/ADT/StringExtras.h>
#include <llvm/IR/DerivedTypes.h>

namespace clotho::compiler::spirv {
namespace {

/// Itanium mangling with substitutions: repeated types are replaced by numbers.
class Mangler {
 public:
  std::string function(llvm::StringRef name, llvm::ArrayRef<ParameterType> parameters) {
    text_ = "_Z" + std::to_string(name.size()) + name.str();
    if (parameters.empty()) text_ += "v";
    for (const ParameterType& parameter : parameters)
      type(parameter);
    return text_;
  }

 private:
  void type(const ParameterType& type) {
    if (!type.isPointer) return value(type);
    // Pointer, qualified type and atomic type are separate substitution candidates; they are identified by their full
    // names.
    const std::string atomic = (type.isAtomic ? "U7_Atomic" : "") + plainValue(type);
    const std::string qualifiers = (type.space != 0 ? "U3AS" + std::to_string(type.space) : "") +
                                   (type.isVolatile ? "V" : "") + (type.isConst ? "K" : "");
    const std::string qualified = qualifiers + atomic, whole = "P" + qualified;
    if (substitute(whole)) return;
    text_ += "P";
    if (qualifiers.empty() || !substitute(qualified)) {
      text_ += qualifiers;
      if (!type.isAtomic) {
        value(type);
      } else if (!substitute(atomic)) {
        text_ += "U7_Atomic";
        value(type);
        remember(atomic);
      }
      if (!qualifiers.empty()) remember(qualified);
    }
    remember(whole);
  }

  void value(const ParameterType& type) {
    const std::string plain = plainValue(type);
    // Builtin types are not substituted; vectors and types with names are.
    const bool isBuiltin = type.elements == 1 && llvm::isAlpha(type.scalar.front());
    if (isBuiltin) {
      text_ += plain;
    } else if (!substitute(plain)) {
      text_ += plain;
      remember(plain);
    }
  }

  static std::string plainValue(const ParameterType& type) {
    return type.elements == 1 ? type.scalar : "Dv" + std::to_string(type.elements) + "_" + type.scalar;
  }

  bool substitute(const std::string& what) {
    const auto found = llvm::find(known_, what);
    if (found == known_.end()) return false;
    const auto number = static_cast<unsigned>(found - known_.begin());
    text_ += "S";
    if (number > 0) text_ += static_cast<char>('0' + number - 1); // no builtin function has more than ten
    text_ += "_";
    return true;
  }
  void remember(std::string what) { known_.push_back(std::move(what)); }

  std::string text_;
  llvm::SmallVector<std::string, 8> known_;
};

} // namespace

ParameterType ParameterType::integer(unsigned bits, bool isSigned, unsigned elements) {
  ParameterType type;
  switch (bits) {
  case 8: type.scalar = isSigned ? "c" : "h"; break;
  case 16: type.scalar = isSigned ? "s" : "t"; break;
  case 32: type.scalar = isSigned ? "i" : "j"; break;
  default: type.scalar = isSigned ? "l" : "m"; break;
  }
  type.elements = elements;
  return type;
}

ParameterType ParameterType::floating(unsigned bits, unsigned elements) {
  ParameterType type;
  type.scalar = bits == 16 ? "Dh" : bits == 32 ? "f" : "d";
  type.elements = elements;
  return type;
}

ParameterType ParameterType::of(const llvm::Type& type, bool isSigned) {
  const auto* vector = llvm::dyn_cast<llvm::FixedVectorType>(&type);
  const unsigned bits = type.getScalarSizeInBits(), elements = vector != nullptr ? vector->getNumElements() : 1;
  return type.isFPOrFPVectorTy() ? floating(bits, elements) : integer(bits, isSigned, elements);
}

ParameterType ParameterType::named(llvm::StringRef name) {
  ParameterType type;
  type.scalar = std::to_string(name.size()) + name.str();
  return type;
}

ParameterType ParameterType::pointer(unsigned space, llvm::StringRef qualifiers) const {
  ParameterType type = *this;
  type.isPointer = true;
  type.space = space;
  type.isConst = qualifiers.contains('K');
  type.isVolatile = qualifiers.contains('V');
  type.isAtomic = qualifiers.contains('A');
  return type;
}

std::string mangle(llvm::StringRef name, llvm::ArrayRef<ParameterType> parameters) {
  return Mangler().function(name, parameters);
}

} // namespace clotho::compiler::spirv
