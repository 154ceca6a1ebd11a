// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <llvm/ADT/ArrayRef.h>
#include <llvm/ADT/StringRef.h>

#include <cstdint>
#include <optional>
#include <string>

namespace llvm {
class Function;
} // namespace llvm

/// Functions that a kernel becomes on its way to machine code. One of them runs a work-group or a part of it. Each says
/// which variant it is (KernelFacts::variant) and is named after the function of which it is a variant, with a suffix
/// from the table in variants.cpp; no name of OpenCL C has a dot. Variants may have variants: the predicated one of a
/// local-memory-eliminated kernel `K.direct` is `K.direct.predicated`.
namespace clotho::compiler {

enum class Variant : std::uint8_t {
  Original,    ///< the kernel itself
  Remainder,   ///< runs any local size, for groups that lack the size which the kernel requires
  Exact,       ///< assumes nothing of the launch
  Direct,      ///< reads global memory instead of tiles of local memory that copy it
  Predicated,  ///< masks lanes
  HalfWidth,   ///< runs half as many work-items at once
  Rows,        ///< runs several rows at once (unroll-and-jam)
  Fallback,    ///< declaration only: runs a sub-group that its caller does not run itself
  RowFallback, ///< declaration only: runs one row, or the rest of it, if rows cannot run at once
};

struct VariantInfo {
  Variant variant;
  llvm::StringLiteral name; ///< its name in metadata and reports
  llvm::StringLiteral suffix;
  llvm::StringLiteral serves; ///< its purpose, as reports tell it
};

/// All variants, in the order of the enumeration.
llvm::ArrayRef<VariantInfo> variants();
const VariantInfo& infoOf(Variant variant);
std::optional<Variant> variantNamed(llvm::StringRef name);

/// Name of a variant of the function with this name.
std::string variantName(llvm::StringRef function, Variant variant);

/// The variant that the function is (KernelFacts::variant).
Variant variantOf(const llvm::Function& function);

/// This variant of a function; null if there is none.
llvm::Function* findVariant(const llvm::Function& function, Variant variant);

/// The function of which this one is the given variant; null if it is not that variant.
llvm::Function* originalOf(const llvm::Function& function, Variant variant);

/// Clones a kernel, named as that variant of `of`, without debug information, since only one function may have a
/// DISubprogram.
llvm::Function* cloneVariant(llvm::Function& from, const llvm::Function& of, Variant variant);

/// Clones the exact variant of a kernel that is not vectorised yet: the code for any local size.
llvm::Function* cloneExact(llvm::Function& kernel);

/// Whether the function is a kernel of the program, not a variant.
bool isOriginalKernel(const llvm::Function& function);

} // namespace clotho::compiler
