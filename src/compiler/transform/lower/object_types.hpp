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

/// The run-time representation of an OpenCL C object type, for which clang has a SPIR-V target type.
struct ObjectType {
  llvm::StringLiteral name; ///< Name of the target type, such as "spirv.Image"
  llvm::Type* (*replacement)(llvm::LLVMContext&);
  /// Adds attributes to an argument that had the object type; null: there are none to add. It runs after the argument
  /// has got the replacement's type and its function the body. Launches pass such arguments to kernels, and these pass
  /// them to other functions.
  void (*describe)(llvm::Argument&);
};

/// Maps object types, also inside function types, arrays and structures.
class ObjectTypes final : public llvm::ValueMapTypeRemapper {
 public:
  explicit ObjectTypes(llvm::ArrayRef<ObjectType> rows) : rows_(rows) {}

  llvm::Type* remapType(llvm::Type* type) override;
  /// Null if the type is not an object type.
  const ObjectType* find(const llvm::Type* type) const;

 private:
  llvm::Type* replacement(llvm::Type* type);
  llvm::Type* ofFunction(llvm::FunctionType* type);
  llvm::Type* ofStructure(llvm::StructType* type);

  llvm::ArrayRef<ObjectType> rows_;
  llvm::DenseMap<llvm::Type*, llvm::Type*> known_;
};

/// Replaces the types everywhere in the module: in functions' types and bodies, and in variables. In the end,
/// `rewritten` is called for each function whose own type has changed. Returns whether there was any.
bool replaceObjectTypes(llvm::Module& module, llvm::ArrayRef<ObjectType> rows,
                        llvm::function_ref<void(llvm::Function&)> rewritten);

} // namespace clotho::compiler
