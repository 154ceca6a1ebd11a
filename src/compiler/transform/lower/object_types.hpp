// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/STLFunctionalExtras.h>
#include <llvm/ADT/StringRef.h>
#include <llvm/Transforms/Utils/ValueMapper.h>

namespace llvm {
class Argument;
class Function;
class FunctionType;
class Module;
class StructType;
} // namespace llvm

namespace clotho::compiler {

/// What a kernel really gets for a type of OpenCL C's that stands for an object: clang has a target type of SPIR-V's
/// for each.
struct ObjectType {
  llvm::StringLiteral name; ///< of the target type, "spirv.Image"
  llvm::Type* (*replacement)(llvm::LLVMContext&);
  /// Says what is known of an argument of that type, which has the replacement's by now, and whose function has its
  /// body; null: nothing. Kernels get such arguments from launches, other functions from kernels.
  void (*describe)(llvm::Argument&);
};

/// Maps types, and what is made of them: functions, arrays, structures.
class ObjectTypes final : public llvm::ValueMapTypeRemapper {
 public:
  explicit ObjectTypes(llvm::ArrayRef<ObjectType> rows) : rows_(rows) {}

  llvm::Type* remapType(llvm::Type* type) override;
  /// Null where the type is none of them.
  const ObjectType* find(const llvm::Type* type) const;

 private:
  llvm::Type* replacement(llvm::Type* type);
  llvm::Type* ofFunction(llvm::FunctionType* type);
  llvm::Type* ofStructure(llvm::StructType* type);

  llvm::ArrayRef<ObjectType> rows_;
  llvm::DenseMap<llvm::Type*, llvm::Type*> known_;
};

/// Replaces the types everywhere in the module: in functions' types and bodies, and in variables. `rewritten` gets each
/// function whose own type has changed, when all is done. Whether there was any.
bool replaceObjectTypes(llvm::Module& module, llvm::ArrayRef<ObjectType> rows,
                        llvm::function_ref<void(llvm::Function&)> rewritten);

} // namespace clotho::compiler
