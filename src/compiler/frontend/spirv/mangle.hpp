// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <llvm/ADT/ArrayRef.h>
#include <llvm/ADT/StringRef.h>

#include <cstdint>
#include <string>

namespace llvm {
class Type;
}

/// The names that clang gives OpenCL C's builtin functions: the builtin library has them, so what SPIR-V says by
/// instructions becomes calls of these.
namespace clotho::compiler::spirv {

/// A type of OpenCL C, as a parameter of a builtin function.
struct ParameterType {
  /// As clang mangles it: "f", "j", "m", "Dh", or with its length in front "14ocl_image2d_ro", "12memory_order".
  std::string scalar;
  unsigned elements = 1; ///< of a vector
  bool isPointer = false;
  unsigned space = 0;                                         ///< of what the pointer points to: the address space
  bool isConst = false, isVolatile = false, isAtomic = false; ///< of what the pointer points to

  static ParameterType integer(unsigned bits, bool isSigned, unsigned elements = 1);
  static ParameterType floating(unsigned bits, unsigned elements = 1);
  /// A number, or a vector of numbers, as LLVM has it: integers have no sign there.
  static ParameterType of(const llvm::Type& type, bool isSigned);
  /// A type with a name of its own, like "ocl_sampler" or "memory_order".
  static ParameterType named(llvm::StringRef name);
  /// A pointer to `this`; qualifiers: some of "K" (const), "V" (volatile) and "A" (atomic).
  ParameterType pointer(unsigned space, llvm::StringRef qualifiers = "") const;
};

/// "sin" and float4: _Z3sinDv4_f.
std::string mangle(llvm::StringRef name, llvm::ArrayRef<ParameterType> parameters);

} // namespace clotho::compiler::spirv
