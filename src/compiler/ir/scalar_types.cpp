// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/ir/scalar_types.hpp"

#include <llvm/IR/DerivedTypes.h>

namespace clotho::compiler {

llvm::SmallVector<llvm::Type*, 4> scalarsOf(llvm::Type* type) {
  llvm::SmallVector<llvm::Type*, 4> scalars;
  if (auto* vector = llvm::dyn_cast<llvm::FixedVectorType>(type)) {
    scalars.assign(vector->getNumElements(), vector->getElementType());
  } else if (auto* array = llvm::dyn_cast<llvm::ArrayType>(type)) {
    const auto element = scalarsOf(array->getElementType());
    for (std::uint64_t i = 0; i < array->getNumElements(); ++i)
      scalars.append(element);
  } else if (auto* structure = llvm::dyn_cast<llvm::StructType>(type)) {
    for (llvm::Type* member : structure->elements())
      scalars.append(scalarsOf(member));
  } else if (!type->isVoidTy()) {
    scalars.push_back(type);
  }
  return scalars;
}

} // namespace clotho::compiler
