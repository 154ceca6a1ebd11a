// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/transform/check/check_images.hpp"

#include "compiler/transform/check/checked_accesses.hpp"

#include <llvm/ADT/StringExtras.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/Module.h>

namespace clotho::compiler {
namespace {

using llvm::IRBuilder;
using llvm::Value;

/// A call that accesses a texel, by what its mangled name says.
struct TexelAccess {
  llvm::CallInst* call;
  llvm::StringRef image; ///< mangled type of the image
  bool isWrite;
  bool isArray;
  unsigned dimensions; ///< without that of the array
};

/// `_Z11read_imagef14ocl_image2d_roDv2_i`
std::optional<TexelAccess> texelAccessOf(llvm::CallInst& call) {
  if (call.getCalledFunction() == nullptr || call.arg_size() < 2) return std::nullopt;
  const llvm::StringRef mangled = call.getCalledFunction()->getName();
  const llvm::StringRef name = builtinName(mangled);
  const bool isWrite = name.starts_with("write_image");
  if ((!isWrite && !name.starts_with("read_image")) || mangled.contains("ocl_sampler")) return std::nullopt;
  const std::size_t begin = mangled.find("ocl_image");
  if (begin == llvm::StringRef::npos) return std::nullopt;
  // The length comes before the type.
  std::size_t digits = begin;
  while (digits > 0 && llvm::isDigit(mangled[digits - 1]))
    --digits;
  unsigned length = 0;
  if (mangled.substr(digits, begin - digits).getAsInteger(10, length)) return std::nullopt;
  TexelAccess access{&call, mangled.substr(digits, begin - digits + length), isWrite, false, 0};
  const llvm::StringRef type = mangled.substr(begin, length);
  if (type.contains("msaa")) return std::nullopt;
  access.isArray = type.contains("_array");
  access.dimensions = type.contains("image1d") ? 1 : type.contains("image2d") ? 2 : 3;
  return access;
}

/// Calls get_image_width and the like.
Value* query(IRBuilder<>& builder, const TexelAccess& access, llvm::StringRef name, llvm::Type* type) {
  Value* image = access.call->getArgOperand(0);
  const std::string mangled = ("_Z" + llvm::Twine(name.size()) + name + access.image).str();
  llvm::FunctionCallee callee =
      access.call->getModule()->getOrInsertFunction(mangled, llvm::FunctionType::get(type, {image->getType()}, false));
  auto* function = llvm::cast<llvm::Function>(callee.getCallee());
  function->setCallingConv(access.call->getCallingConv());
  llvm::CallInst* call = builder.CreateCall(callee, {image});
  call->setCallingConv(access.call->getCallingConv());
  return builder.CreateZExtOrTrunc(call, builder.getInt32Ty());
}

/// Three numbers of 21 bits.
Value* pack(IRBuilder<>& builder, llvm::ArrayRef<Value*> numbers) {
  constexpr unsigned kBits = 21;
  Value* packed = builder.getInt64(0);
  for (const auto& [i, number] : llvm::enumerate(numbers)) {
    Value* low = builder.CreateAnd(builder.CreateSExt(number, builder.getInt64Ty()), (1 << kBits) - 1);
    packed = builder.CreateOr(packed, builder.CreateShl(low, kBits * i));
  }
  return packed;
}

void checkTexel(const TexelAccess& access, Checker& checker) {
  IRBuilder<> builder(access.call);
  Value* coordinates = access.call->getArgOperand(1);
  const unsigned count = access.dimensions + (access.isArray ? 1 : 0);
  const auto* vector = llvm::dyn_cast<llvm::FixedVectorType>(coordinates->getType());
  if (!coordinates->getType()->getScalarType()->isIntegerTy(32) ||
      (vector == nullptr ? 1 : vector->getNumElements()) < count)
    return;
  static constexpr llvm::StringLiteral kSizes[] = {"get_image_width", "get_image_height", "get_image_depth"};
  llvm::SmallVector<Value*, 3> at, sizes;
  Value* bad = builder.getFalse();
  for (unsigned i = 0; i < count; ++i) {
    at.push_back(vector != nullptr ? builder.CreateExtractElement(coordinates, i) : coordinates);
    const bool isLayer = access.isArray && i == access.dimensions;
    sizes.push_back(isLayer ? query(builder, access, "get_image_array_size", builder.getInt64Ty())
                            : query(builder, access, kSizes[i], builder.getInt32Ty()));
    bad = builder.CreateOr(bad, builder.CreateICmpUGE(at.back(), sizes.back()));
  }
  checker.guard(bad, *access.call,
                {access.isWrite ? kFaultImageWrite : kFaultImageRead, 0, access.call->getArgOperand(0),
                 pack(builder, at), pack(builder, sizes)},
                /*byBranch=*/true);
}

} // namespace

void checkImages(llvm::Function& function, Checker& checker) {
  llvm::SmallVector<TexelAccess, 8> accesses;
  for (llvm::Instruction& instruction : llvm::instructions(function))
    if (auto* call = llvm::dyn_cast<llvm::CallInst>(&instruction))
      if (const auto access = texelAccessOf(*call)) accesses.push_back(*access);
  for (const TexelAccess& access : accesses)
    checkTexel(access, checker);
}

} // namespace clotho::compiler
