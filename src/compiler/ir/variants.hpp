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

/// Which functions a kernel becomes on its way to machine code, and why. A work-group, or a part of one, is run by one
/// of them. Each says which variant it is (KernelFacts::variant) and is named after the function that it is a variant
/// of, with the suffix that stands in the table of variants.cpp and nowhere else; no name of OpenCL C has a dot.
/// Variants may have variants: the predicated one of a direct kernel `K.direct` is `K.direct.predicated`.
namespace clotho::compiler {

enum class Variant : std::uint8_t {
  Original,    ///< the kernel itself
  Remainder,   ///< takes any local size, for a kernel that requires one
  Exact,       ///< assumes nothing of the launch
  Direct,      ///< reads what a tile of local memory would hold from where the tile would be filled
  Predicated,  ///< masks lanes
  HalfWidth,   ///< runs half as many work-items at once
  Rows,        ///< runs several rows at once (unroll-and-jam)
  Fallback,    ///< only declared: what runs a sub-group that its caller does not run itself
  RowFallback, ///< only declared: what runs a row, or what is left of it, if rows cannot run at once
};

struct VariantInfo {
  Variant variant;
  llvm::StringLiteral name; ///< in metadata and reports
  llvm::StringLiteral suffix;
  llvm::StringLiteral serves; ///< what it is there for, in reports
};

/// All of them, in the order of the enumeration.
llvm::ArrayRef<VariantInfo> variants();
const VariantInfo& infoOf(Variant variant);
std::optional<Variant> variantNamed(llvm::StringRef name);

/// What a variant of the function with this name is called.
std::string variantName(llvm::StringRef function, Variant variant);

/// The variant that the function says it is.
Variant variantOf(const llvm::Function& function);

/// This variant of a function; null where there is none.
llvm::Function* findVariant(const llvm::Function& function, Variant variant);

/// The function of which this one is the given variant; null when it is not that variant.
llvm::Function* originalOf(const llvm::Function& function, Variant variant);

/// A copy of a kernel, named as that variant of `of` and without debug information, since only one function may have
/// what describes it.
llvm::Function* cloneVariant(llvm::Function& from, const llvm::Function& of, Variant variant);

/// The exact variant of a kernel that is not vectorised yet: a copy of what takes any local size.
llvm::Function* cloneExact(llvm::Function& kernel);

/// Whether the function is a kernel of the program, and no variant of one.
bool isOriginalKernel(const llvm::Function& function);

} // namespace clotho::compiler
