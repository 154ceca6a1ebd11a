// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <llvm/ADT/ArrayRef.h>
#include <llvm/ADT/StringRef.h>

#include <cstdint>
#include <string>

namespace llvm {
class Type;
}

/// clang's names for OpenCL C's builtin functions: SPIR-V instructions become calls of these, which the builtin library
/// defines.
namespace clotho::compiler::spirv {

/// An OpenCL C type, as a parameter of a builtin function.
struct ParameterType {
  /// The type as clang mangles it: "f", "j", "m", "Dh", or with its length in front "14ocl_image2d_ro",
  /// "12memory_order".
  std::string scalar;
  unsigned elements = 1; ///< Number of elements of a vector
  bool isPointer = false;
  unsigned space = 0;                                         ///< Address space of the pointee
  bool isConst = false, isVolatile = false, isAtomic = false; ///< Qualifiers of the pointee

  static ParameterType integer(unsigned bits, bool isSigned, unsigned elements = 1);
  static ParameterType floating(unsigned bits, unsigned elements = 1);
  /// A number, or a vector of numbers, of this LLVM type, whose integers have no sign.
  static ParameterType of(const llvm::Type& type, bool isSigned);
  /// A type with a name of its own, such as "ocl_sampler" or "memory_order".
  static ParameterType named(llvm::StringRef name);
  /// A pointer to `this`; qualifiers: some of "K" (const), "V" (volatile) and "A" (atomic).
  ParameterType pointer(unsigned space, llvm::StringRef qualifiers = "") const;
};

/// Mangles "sin" with float4 as _Z3sinDv4_f.
std::string mangle(llvm::StringRef name, llvm::ArrayRef<ParameterType> parameters);

} // namespace clotho::compiler::spirv
