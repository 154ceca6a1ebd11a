// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Types, and types as parameters of builtin functions.
#include "compiler/frontend/spirv/opcodes.hpp"
#include "compiler/frontend/spirv/reader.hpp"

#include <llvm/ADT/STLExtras.h>
#include <llvm/IR/DerivedTypes.h>
#include <llvm/Support/MathExtras.h>

namespace clotho::compiler::spirv {
namespace {

/// Widest integers: compilers emit products of two 64-bit integers.
constexpr unsigned kMostIntegerBits = 128;

/// Deepest nesting of structs (SPIR-V's universal limit, section 2.17) and arrays: LLVM visits types recursively.
constexpr unsigned kMostDepth = 255;

/// Largest type, in bytes, so that it can be addressed and its size does not overflow.
constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 47;

/// Most parameters of a function (universal limit, section 2.17).
constexpr std::size_t kMostParameters = 255;

unsigned addressSpace(spv::StorageClass storage) {
  switch (storage) {
  case spv::StorageClassCrossWorkgroup:
  case spv::StorageClassDeviceOnlyINTEL:
  case spv::StorageClassHostOnlyINTEL: return kGlobalSpace;
  case spv::StorageClassUniformConstant: return kConstantSpace;
  case spv::StorageClassWorkgroup: return kLocalSpace;
  case spv::StorageClassGeneric: return kGenericSpace;
  default: return kPrivateSpace;
  }
}

/// clang's type for an image, with the numbers of OpTypeImage.
llvm::Type* imageType(llvm::LLVMContext& context, Words operands, spv::AccessQualifier access) {
  const unsigned numbers[] = {
      operands[1], operands[2], operands[3], operands[4], operands[5], operands[6], static_cast<unsigned>(access)};
  return llvm::TargetExtType::get(context, "spirv.Image", {llvm::Type::getVoidTy(context)}, numbers);
}

std::string imageName(const Type& type) {
  std::string name = "ocl_image";
  switch (type.dim) {
  case spv::Dim2D: name += type.isArray ? "2d_array" : "2d"; break;
  case spv::Dim3D: name += "3d"; break;
  case spv::DimBuffer: name += "1d_buffer"; break;
  default: name += type.isArray ? "1d_array" : "1d"; break;
  }
  if (type.isDepth) name += "_depth";
  switch (type.access) {
  case spv::AccessQualifierWriteOnly: return name + "_wo";
  case spv::AccessQualifierReadWrite: return name + "_rw";
  default: return name + "_ro";
  }
}

} // namespace

const Type& Reader::type(Id id) {
  static const Type none;
  const auto found = types_.find(id);
  if (found != types_.end()) return found->second;
  fail("an id is used as a type and is none");
  return none;
}

llvm::Type* Reader::llvmType(Id id) {
  llvm::Type* found = type(id).type;
  if (found == nullptr) {
    fail("a type has no values");
    return llvm::Type::getInt32Ty(*context_);
  }
  return found;
}

// NOLINTNEXTLINE(readability-function-size): a case an instruction
void Reader::readType(const Instruction& instruction) {
  const Words operands = instruction.operands;
  const auto needs = [&](std::size_t count) {
    if (operands.size() < count) fail("a type's declaration is too short");
    return operands.size() >= count;
  };
  const auto object = [&](llvm::StringRef name) { return llvm::TargetExtType::get(*context_, name); };
  Type made;
  made.op = instruction.op;
  switch (static_cast<unsigned>(instruction.op)) {
  case spv::OpTypeVoid: made.type = llvm::Type::getVoidTy(*context_); break;
  case spv::OpTypeBool: made.type = llvm::Type::getInt1Ty(*context_); break;
  case spv::OpTypeInt:
    if (!needs(2)) return;
    made.bits = operands[0];
    if (made.bits == 0 || made.bits > kMostIntegerBits) return fail("integers of " + llvm::Twine(made.bits) + " bits");
    made.type = llvm::Type::getIntNTy(*context_, made.bits);
    break;
  case spv::OpTypeFloat:
    if (!needs(1)) return;
    made.bits = operands[0];
    if (made.bits != 16 && made.bits != 32 && made.bits != 64)
      return fail("floats of " + llvm::Twine(made.bits) + " bits");
    if (operands.size() > 1 && (operands[1] != kBfloat16 || made.bits != 16))
      return fail("floats of another encoding than IEEE 754's and bfloat16");
    made.isBfloat = operands.size() > 1;
    if (made.isBfloat) {
      // bfloat16 values are only converted and moved: the environment has no arithmetic on them.
      made.type = llvm::Type::getInt16Ty(*context_);
      break;
    }
    made.type = made.bits == 16   ? llvm::Type::getHalfTy(*context_)
                : made.bits == 32 ? llvm::Type::getFloatTy(*context_)
                                  : llvm::Type::getDoubleTy(*context_);
    break;
  case spv::OpTypeVector: {
    if (!needs(2)) return;
    made.element = operands[0];
    made.elements = operands[1];
    const Type& element = type(made.element);
    // OpenCL C has 2, 3, 4, 8 and 16 elements; optimisers also make vectors of other lengths.
    constexpr unsigned kMostElements = 16;
    if (failed() || made.elements < 2 || made.elements > kMostElements) return fail("a vector of a wrong length");
    if (element.op != spv::OpTypeInt && element.op != spv::OpTypeFloat && element.op != spv::OpTypeBool)
      return fail("a vector of what is no number");
    made.type = llvm::FixedVectorType::get(element.type, made.elements);
    break;
  }
  case spv::OpTypeArray: {
    if (!needs(2)) return;
    made.element = operands[0];
    const std::optional<std::uint64_t> length = constant(operands[1]);
    llvm::Type* element = llvmType(made.element);
    if (failed() || !llvm::ArrayType::isValidElementType(element) || element->isVoidTy())
      return fail("an array of what has no size");
    if (!length || *length == 0 || *length > kMostBytes) return fail("an array of a wrong length");
    const llvm::TypeSize bytes =
        element->isSized() ? module_->getDataLayout().getTypeAllocSize(element) : llvm::TypeSize::getFixed(1);
    if (*length > kMostBytes / std::max<std::uint64_t>(bytes, 1)) return fail("a type of too many bytes");
    made.elements = static_cast<unsigned>(std::min<std::uint64_t>(*length, 0xffffffff));
    made.type = llvm::ArrayType::get(element, *length);
    break;
  }
  case spv::OpTypeRuntimeArray:
    if (!needs(1)) return;
    made.element = operands[0];
    made.type = llvm::ArrayType::get(llvmType(made.element), 0);
    break;
  case spv::OpTypeStruct: {
    llvm::SmallVector<llvm::Type*, 8> members;
    for (const Id member : operands) {
      llvm::Type* memberType = llvmType(member);
      if (failed()) return;
      if (!llvm::StructType::isValidElementType(memberType) || memberType->isVoidTy())
        return fail("a struct has a member without size");
      members.push_back(memberType);
    }
    made.members.assign(operands.begin(), operands.end());
    const bool isPacked = decoration(instruction.result, spv::DecorationCPacked) != nullptr;
    const std::string given = name(instruction.result);
    made.type = given.empty() ? llvm::StructType::get(*context_, members, isPacked)
                              : llvm::StructType::create(*context_, members, given, isPacked);
    break;
  }
  case spv::OpTypeOpaque: made.type = llvm::StructType::create(*context_, literalString(operands)); break;
  case spv::OpTypeForwardPointer: {
    if (!needs(2)) return;
    made.op = spv::OpTypePointer;
    made.storage = enumOf<spv::StorageClass>(operands[1]);
    made.type = llvm::PointerType::get(*context_, addressSpace(made.storage));
    types_[operands[0]] = made; // what it points to comes with its own declaration
    return;
  }
  case later::OpTypeUntypedPointerKHR:
    if (!needs(1)) return;
    made.op = spv::OpTypePointer;
    made.storage = enumOf<spv::StorageClass>(operands[0]);
    made.type = llvm::PointerType::get(*context_, addressSpace(made.storage));
    break;
  case spv::OpTypePointer:
    if (!needs(2)) return;
    made.storage = enumOf<spv::StorageClass>(operands[0]);
    made.element = operands[1];
    made.type = llvm::PointerType::get(*context_, addressSpace(made.storage));
    break;
  case spv::OpTypeFunction: {
    if (!needs(1)) return;
    made.element = operands[0];
    if (operands.size() - 1 > kMostParameters) return fail("a function of more than 255 parameters");
    llvm::SmallVector<llvm::Type*, 8> parameters;
    for (const Id parameter : operands.drop_front()) {
      llvm::Type* parameterType = llvmType(parameter);
      if (failed() || parameterType->isVoidTy()) return fail("a parameter of no type");
      parameters.push_back(parameterType);
      made.members.push_back(parameter);
    }
    llvm::Type* returned = llvmType(made.element);
    if (failed()) return;
    made.type = llvm::FunctionType::get(returned, parameters, false);
    break;
  }
  case spv::OpTypeImage:
    if (!needs(7)) return;
    made.element = operands[0];
    made.dim = enumOf<spv::Dim>(operands[1]);
    made.isDepth = operands[2] == 1;
    made.isArray = operands[3] == 1;
    if (operands[4] != 0) return fail("multisampled images");
    if (made.dim != spv::Dim1D && made.dim != spv::Dim2D && made.dim != spv::Dim3D && made.dim != spv::DimBuffer)
      return fail("an image of dimensions that OpenCL has not");
    made.access = operands.size() > 7 ? enumOf<spv::AccessQualifier>(operands[7]) : spv::AccessQualifierReadOnly;
    made.type = imageType(*context_, operands, made.access);
    break;
  case spv::OpTypeSampledImage:
    if (!needs(1)) return;
    made.image = operands[0];
    break; // an image and a sampler, which are never one value
  case spv::OpTypeSampler: made.type = object("spirv.Sampler"); break;
  case spv::OpTypeEvent: made.type = object("spirv.Event"); break;
  case spv::OpTypeDeviceEvent: made.type = object("spirv.DeviceEvent"); break;
  case spv::OpTypeReserveId: made.type = object("spirv.ReserveId"); break;
  case spv::OpTypeQueue: made.type = object("spirv.Queue"); break;
  case spv::OpTypePipe:
    if (!needs(1)) return;
    made.access = enumOf<spv::AccessQualifier>(operands[0]);
    made.type = llvm::TargetExtType::get(*context_, "spirv.Pipe", {}, {operands[0]});
    break;
  case spv::OpTypePipeStorage:
    made.type = llvm::PointerType::get(*context_, kGlobalSpace);
    break; // see pipes.cpp
  // The value is the address of the barrier's state (barriers.cpp).
  case spv::OpTypeNamedBarrier: made.type = llvm::PointerType::get(*context_, kLocalSpace); break;
  default: return fail("a type that there is not in OpenCL");
  }
  if (made.op == spv::OpTypeStruct && made.type->isSized() &&
      module_->getDataLayout().getTypeAllocSize(made.type) > kMostBytes)
    return fail("a type of too many bytes");
  const bool hasParts =
      made.op == spv::OpTypeArray || made.op == spv::OpTypeRuntimeArray || made.op == spv::OpTypeStruct;
  if (hasParts) {
    made.parts = 0;
    if (made.op != spv::OpTypeStruct) {
      made.depth = type(made.element).depth;
      made.parts = llvm::SaturatingMultiply(type(made.element).parts, made.type->getArrayNumElements());
    }
    for (const Id member : made.members) {
      made.depth = std::max(made.depth, type(member).depth);
      made.parts = llvm::SaturatingAdd(made.parts, type(member).parts);
    }
    if (++made.depth > kMostDepth) return fail("a type with too many others in each other");
  }
  types_[instruction.result] = made;
}

ParameterType Reader::parameter(Id id, bool isSigned) {
  const Type& of = type(id);
  switch (of.op) {
  case spv::OpTypeBool: return ParameterType::integer(32, true);
  case spv::OpTypeInt:
    if (of.bits != 8 && of.bits != 16 && of.bits != 32 && of.bits != 64)
      fail("a builtin function has no argument of " + llvm::Twine(of.bits) + " bits");
    return ParameterType::integer(of.bits, isSigned);
  case spv::OpTypeFloat:
    if (of.isBfloat) fail("a builtin function has no argument of type bfloat16");
    return ParameterType::floating(of.bits);
  case spv::OpTypeVector: {
    ParameterType vector = parameter(of.element, isSigned);
    vector.elements = of.elements;
    return vector;
  }
  case spv::OpTypePointer:
    if (type(of.element).op == spv::OpTypePointer) fail("a builtin function has no argument of such a type");
    if (failed()) return ParameterType::integer(32, isSigned);
    return parameter(of.element, isSigned).pointer(addressSpace(of.storage));
  case spv::OpTypeImage: return ParameterType::named(imageName(of));
  case spv::OpTypeSampler: return ParameterType::named("ocl_sampler");
  case spv::OpTypeEvent: return ParameterType::named("ocl_event");
  case spv::OpTypeDeviceEvent: return ParameterType::named("ocl_clkevent");
  case spv::OpTypeReserveId: return ParameterType::named("ocl_reserveid");
  case spv::OpTypeQueue: return ParameterType::named("ocl_queue");
  default: fail("a builtin function has no argument of such a type"); return ParameterType::integer(32, isSigned);
  }
}

} // namespace clotho::compiler::spirv
