// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Images (SPIR-V specification, section 3.42.10; OpenCL SPIR-V Environment Specification, section 2.9): calls of OpenCL
// C's image functions.
#include "compiler/frontend/spirv/opcodes.hpp"
#include "compiler/frontend/spirv/reader.hpp"

#include <llvm/ADT/STLExtras.h>
#include <llvm/IR/Constants.h>

namespace clotho::compiler::spirv {
namespace {

using llvm::Value;

/// How an integer texel is extended, if its format does not tell.
enum class Extension : std::uint8_t { ByFormat, Sign, Zero };

/// The optional operands (SPIR-V specification, section 3.14); an id is 0 if it is absent.
struct ImageOperands {
  Id lod = 0, dx = 0, dy = 0;
  Extension extension = Extension::ByFormat;
};

unsigned dimensionsOf(const Type& image) {
  switch (image.dim) {
  case spv::Dim2D: return 2;
  case spv::Dim3D: return 3;
  default: return 1;
  }
}

class Images {
 public:
  Images(Reader& reader, const Instruction& instruction)
      : reader_(reader), builder_(reader.builder), instruction_(instruction) {}

  void makeSampled() {
    const Type& result = reader_.type(instruction_.type);
    Value *image = valueOf(0, spv::OpTypeImage), *sampler = reader_.value(instruction_.operand(1));
    if (reader_.failed()) return;
    if (result.op != spv::OpTypeSampledImage || image->getType() != reader_.llvmType(result.image) ||
        sampler->getType() != llvm::TargetExtType::get(reader_.context(), "spirv.Sampler"))
      return reader_.fail("a sampled image is not made of an image and a sampler");
    reader_.defineSampledImage(instruction_, image, sampler);
  }

  void imageOfSampled() {
    Value* image = reader_.sampledImage(instruction_.operand(0)).first;
    if (image == nullptr) return reader_.fail("the image of what is no sampled image");
    reader_.define(instruction_, image);
  }

  void sample() {
    const auto [image, sampler] = reader_.sampledImage(instruction_.operand(0));
    if (image == nullptr) return reader_.fail("what is sampled is no sampled image");
    const Id imageId = reader_.typeOf(instruction_.operand(0)).image;
    const Type& of = reader_.type(imageId);
    const ImageOperands operands = operandsFrom(2);
    Arguments arguments = {{image, reader_.parameter(imageId)}, {sampler, ParameterType::named("ocl_sampler")}};
    arguments.push_back(coordinate(1, of));
    if (reader_.failed()) return;
    const bool isFloat = arguments.back().value->getType()->isFPOrFPVectorTy();
    if (operands.dx != 0) {
      for (const Id gradient : {operands.dx, operands.dy})
        arguments.push_back(floats(gradient, dimensionsOf(of)));
    } else if (operands.lod != 0 && !isZero(operands.lod)) {
      arguments.push_back(floats(operands.lod, 1));
    }
    if (reader_.failed()) return;
    const bool hasLevel = arguments.size() > 3;
    if (hasLevel && !isFloat) return reader_.fail("integer coordinates are those of level 0");
    define(readTexel(of, arguments, operands.extension, hasLevel));
  }

  void read() {
    Value* image = valueOf(0, spv::OpTypeImage);
    if (reader_.failed()) return;
    const Type& of = reader_.typeOf(instruction_.operand(0));
    const ImageOperands operands = operandsFrom(2);
    Arguments arguments = {{image, reader_.parameterFor(instruction_.operand(0))}};
    arguments.push_back(coordinate(1, of, /*areIntegers=*/true));
    if (reader_.failed()) return;
    if (operands.dx != 0 || (operands.lod != 0 && !isZero(operands.lod)))
      return reader_.fail("without a sampler, level 0 of an image is read");
    define(readTexel(of, arguments, operands.extension, /*hasLevel=*/false));
  }

  void write() {
    Value *image = valueOf(0, spv::OpTypeImage), *texel = reader_.value(instruction_.operand(2));
    if (reader_.failed()) return;
    const Type& of = reader_.typeOf(instruction_.operand(0));
    const ImageOperands operands = operandsFrom(3);
    Arguments arguments = {{image, reader_.parameterFor(instruction_.operand(0))}};
    arguments.push_back(coordinate(1, of, /*areIntegers=*/true));
    if (reader_.failed()) return;
    if (operands.dx != 0) return reader_.fail("gradients of a texel that is written");
    if (operands.lod != 0 && !isZero(operands.lod)) arguments.push_back(level(operands.lod));
    if (reader_.failed()) return;
    writeTexel(of, arguments, texel, operands.extension);
  }

  /// Queries the sizes, in the order of the coordinates, with the number of layers last.
  void querySize(bool hasLevel) {
    Value* image = valueOf(0, spv::OpTypeImage);
    if (reader_.failed()) return;
    const Type& of = reader_.typeOf(instruction_.operand(0));
    const Reader::Argument argument = {image, reader_.parameterFor(instruction_.operand(0))};
    llvm::Type* result = reader_.llvmType(instruction_.type);
    const unsigned dimensions = dimensionsOf(of), all = dimensions + unsigned{of.isArray};
    const auto* vector = llvm::dyn_cast<llvm::FixedVectorType>(result);
    if (reader_.failed()) return;
    if (!result->isIntOrIntVectorTy() || (vector != nullptr ? vector->getNumElements() : 1) != all)
      return reader_.fail("an image's size has another number of dimensions");
    const Id lod = hasLevel ? instruction_.operand(1) : 0;
    const bool isFirst = lod == 0 || isZero(lod);
    constexpr const char* kSizes[] = {"get_image_width", "get_image_height", "get_image_depth"};
    Value* sizes = llvm::PoisonValue::get(result);
    for (unsigned i = 0; i < all && !reader_.failed(); ++i) {
      const bool isLayers = i == dimensions;
      Value* size = isLayers ? reader_.call("get_image_array_size", builder_.getInt64Ty(), {argument}, Effects::None)
                             : reader_.call(kSizes[i], builder_.getInt32Ty(), {argument}, Effects::None);
      if (!isFirst && !isLayers) {
        // Each level is half as large as the one before, rounded down, but at least one texel.
        Value* shifted = builder_.CreateLShr(size, level(lod).value);
        size = builder_.CreateBinaryIntrinsic(llvm::Intrinsic::umax, shifted, builder_.getInt32(1));
      }
      size = builder_.CreateZExtOrTrunc(size, result->getScalarType());
      sizes = vector != nullptr ? builder_.CreateInsertElement(sizes, size, i) : size;
    }
    define(sizes);
  }

  /// Queries a property of the image. SPIR-V's numbers count from `first` (sections 3.12 and 3.13).
  void queryNumber(llvm::StringRef function, std::uint32_t first) {
    Value* image = valueOf(0, spv::OpTypeImage);
    llvm::Type* result = reader_.llvmType(instruction_.type);
    if (reader_.failed()) return;
    if (!result->isIntegerTy()) return reader_.fail("a query of an image answers with an integer");
    const Reader::Argument argument = {image, reader_.parameterFor(instruction_.operand(0))};
    Value* number = reader_.call(function, builder_.getInt32Ty(), {argument}, Effects::None);
    define(builder_.CreateZExtOrTrunc(builder_.CreateSub(number, builder_.getInt32(first)), result));
  }

  /// Block reads of SPV_INTEL_subgroups.
  void readBlock() {
    llvm::Type* result = reader_.llvmType(instruction_.type);
    const Arguments arguments = blockArguments();
    const std::string suffix = blockSuffix(result);
    if (reader_.failed()) return;
    define(reader_.call("intel_sub_group_block_read" + suffix, result, arguments, Effects::Convergent));
  }
  void writeBlock() {
    Arguments arguments = blockArguments();
    arguments.push_back(reader_.argument(instruction_.operand(2)));
    if (reader_.failed()) return;
    const std::string suffix = blockSuffix(arguments.back().value->getType());
    if (reader_.failed()) return;
    reader_.call("intel_sub_group_block_write" + suffix, builder_.getVoidTy(), arguments, Effects::Convergent);
  }

 private:
  using Arguments = llvm::SmallVector<Reader::Argument, 6>;

  void define(Value* value) { reader_.define(instruction_, value); }

  Value* valueOf(std::size_t operand, spv::Op type) {
    const Id id = instruction_.operand(operand);
    Value* value = reader_.value(id);
    if (!reader_.failed() && reader_.typeOf(id).op != type) reader_.fail("an operand of another type than an image's");
    return value;
  }

  bool isZero(Id id) {
    const auto* constant = llvm::dyn_cast<llvm::Constant>(reader_.value(id));
    return constant != nullptr && constant->isZeroValue();
  }

  ImageOperands operandsFrom(std::size_t at) {
    ImageOperands found;
    if (at >= instruction_.operands.size()) return found;
    const std::uint32_t mask = instruction_.operands[at++];
    const std::uint32_t known = spv::ImageOperandsLodMask | spv::ImageOperandsGradMask |
                                spv::ImageOperandsSignExtendMask | spv::ImageOperandsZeroExtendMask |
                                spv::ImageOperandsNontemporalMask; // but a hint
    if ((mask & ~known) != 0)
      reader_.fail("image operands other than Lod, Grad, SignExtend, ZeroExtend and Nontemporal");
    if ((mask & spv::ImageOperandsLodMask) != 0) found.lod = instruction_.operand(at++);
    if ((mask & spv::ImageOperandsGradMask) != 0) {
      found.dx = instruction_.operand(at++);
      found.dy = instruction_.operand(at++);
    }
    if ((mask & spv::ImageOperandsSignExtendMask) != 0) found.extension = Extension::Sign;
    if ((mask & spv::ImageOperandsZeroExtendMask) != 0) found.extension = Extension::Zero;
    return found;
  }

  /// Coordinates resized to the vector that OpenCL C's functions take, of which `needed` have a meaning: one, two or
  /// four elements.
  Value* resized(Value* value, unsigned needed) {
    auto* vector = llvm::dyn_cast<llvm::FixedVectorType>(value->getType());
    const unsigned given = vector != nullptr ? vector->getNumElements() : 1, wanted = needed == 3 ? 4 : needed;
    if (given < needed) reader_.fail("a place in an image has too few coordinates");
    if (given < needed || given == wanted) return value;
    if (wanted == 1) return builder_.CreateExtractElement(value, std::uint64_t{0});
    llvm::SmallVector<int, 4> elements;
    for (unsigned i = 0; i < wanted; ++i)
      elements.push_back(static_cast<int>(i)); // the fourth of three is a zero
    return builder_.CreateShuffleVector(value, llvm::Constant::getNullValue(vector), elements);
  }

  Reader::Argument coordinate(std::size_t operand, const Type& image, bool areIntegers = false) {
    Value* value = reader_.value(instruction_.operand(operand));
    llvm::Type* element = value->getType()->getScalarType();
    if (!element->isIntegerTy(32) && (areIntegers || !element->isFloatTy()))
      reader_.fail("coordinates that are no integers or floats of 32 bits");
    if (!reader_.failed()) value = resized(value, dimensionsOf(image) + unsigned{image.isArray});
    return {value, ParameterType::of(*value->getType(), /*isSigned=*/true)};
  }

  Reader::Argument floats(Id id, unsigned needed) {
    Value* value = reader_.value(id);
    if (!value->getType()->getScalarType()->isFloatTy()) reader_.fail("a level of detail that is no float");
    if (!reader_.failed()) value = resized(value, needed);
    return {value, ParameterType::of(*value->getType(), /*isSigned=*/true)};
  }

  Reader::Argument level(Id id) {
    Value* value = reader_.value(id);
    if (!value->getType()->isIntegerTy(32)) reader_.fail("a level that is no integer of 32 bits");
    return {value, ParameterType::integer(32, /*isSigned=*/true)};
  }

  /// The function for texels of this type; null if there is none.
  static const char* nameFor(llvm::Type* element, Extension extension, llvm::ArrayRef<const char*> names) {
    if (element->isFloatTy()) return names[0];
    if (element->isHalfTy()) return names[1];
    if (!element->isIntegerTy(32)) return nullptr;
    return extension == Extension::Sign ? names[2] : extension == Extension::Zero ? names[3] : names[4];
  }

  static bool isColour(llvm::Type* type) {
    const auto* vector = llvm::dyn_cast<llvm::FixedVectorType>(type);
    return vector != nullptr && vector->getNumElements() == 4;
  }

  Value* readTexel(const Type& image, llvm::ArrayRef<Reader::Argument> arguments, Extension extension, bool hasLevel) {
    static constexpr const char* kNames[] = {"read_imagef", "read_imageh", "read_imagei", "read_imageui",
                                             "__clotho_read_image"};
    const Effects effects = image.access == spv::AccessQualifierReadWrite ? Effects::Any : Effects::Reads;
    llvm::Type* result = reader_.llvmType(instruction_.type);
    llvm::Type* element = result->getScalarType();
    const char* name = nameFor(element, extension, kNames);
    if (image.isDepth) {
      if (!element->isFloatingPointTy() || name == nullptr || (result->isVectorTy() && !isColour(result))) {
        reader_.fail("a depth is read as a float or a half");
        return llvm::PoisonValue::get(result);
      }
      Value* depth = reader_.call(kNames[0], builder_.getFloatTy(), arguments, effects);
      depth = builder_.CreateFPCast(depth, element);
      if (!result->isVectorTy()) return depth;
      return builder_.CreateInsertElement(llvm::Constant::getNullValue(result), depth, std::uint64_t{0});
    }
    if (name == nullptr || !isColour(result)) {
      reader_.fail("a texel is read as four floats, halves or integers of 32 bits");
      return llvm::PoisonValue::get(result);
    }
    // OpenCL C reads halves only from level 0.
    if (!element->isHalfTy() || !hasLevel) return reader_.call(name, result, arguments, effects);
    auto* floats = llvm::FixedVectorType::get(builder_.getFloatTy(), 4);
    return builder_.CreateFPTrunc(reader_.call(kNames[0], floats, arguments, effects), result);
  }

  void writeTexel(const Type& image, Arguments& arguments, Value* texel, Extension extension) {
    static constexpr const char* kNames[] = {"write_imagef", "write_imageh", "write_imagei", "write_imageui",
                                             "__clotho_write_image"};
    const bool hasLevel = arguments.size() > 2;
    if (image.isDepth && isColour(texel->getType())) texel = builder_.CreateExtractElement(texel, std::uint64_t{0});
    llvm::Type* type = texel->getType();
    const char* name = nameFor(type->getScalarType(), extension, kNames);
    if (name == nullptr || (image.isDepth ? !type->isFloatingPointTy() : !isColour(type)))
      return reader_.fail("a texel is written as four floats, halves or integers of 32 bits, a depth as one float");
    // OpenCL C writes halves only to level 0, and not to depth images.
    if (type->getScalarType()->isHalfTy() && (hasLevel || image.isDepth)) {
      texel = builder_.CreateFPExt(texel, type->getWithNewType(builder_.getFloatTy()));
      type = texel->getType();
      name = kNames[0];
    }
    const unsigned elements = image.isDepth ? 1 : 4;
    const bool isSigned = extension == Extension::Sign;
    arguments.push_back({texel, type->isFPOrFPVectorTy()
                                    ? ParameterType::floating(type->getScalarSizeInBits(), elements)
                                    : ParameterType::integer(32, isSigned, elements)});
    reader_.call(name, builder_.getVoidTy(), arguments, Effects::Any);
  }

  Arguments blockArguments() {
    Value *image = valueOf(0, spv::OpTypeImage), *coordinates = reader_.value(instruction_.operand(1));
    const Arguments arguments = {{image, reader_.parameterFor(instruction_.operand(0))},
                                 {coordinates, ParameterType::integer(32, /*isSigned=*/true, 2)}};
    if (!reader_.failed() && coordinates->getType() != llvm::FixedVectorType::get(builder_.getInt32Ty(), 2))
      reader_.fail("the place of a block is two integers of 32 bits");
    return arguments;
  }

  std::string blockSuffix(llvm::Type* type) {
    std::string suffix;
    switch (type->isIntOrIntVectorTy() ? type->getScalarSizeInBits() : 0) {
    case 8: suffix = "_uc"; break;
    case 16: suffix = "_us"; break;
    case 32: break;
    case 64: suffix = "_ul"; break;
    default: reader_.fail("a block is of integers of 8 to 64 bits");
    }
    if (const auto* vector = llvm::dyn_cast<llvm::FixedVectorType>(type))
      suffix += std::to_string(vector->getNumElements());
    return suffix;
  }

  Reader& reader_;
  llvm::IRBuilder<>& builder_;
  const Instruction& instruction_;
};

} // namespace

bool readImage(Reader& reader, const Instruction& instruction) {
  Images images(reader, instruction);
  switch (static_cast<unsigned>(instruction.op)) {
  case spv::OpSampledImage: images.makeSampled(); return true;
  case spv::OpImage: images.imageOfSampled(); return true;
  case spv::OpImageSampleExplicitLod: images.sample(); return true;
  case spv::OpImageRead: images.read(); return true;
  case spv::OpImageWrite: images.write(); return true;
  case spv::OpImageQuerySizeLod: images.querySize(/*hasLevel=*/true); return true;
  case spv::OpImageQuerySize: images.querySize(/*hasLevel=*/false); return true;
  case spv::OpImageQueryFormat: images.queryNumber("get_image_channel_data_type", 0x10D0); return true; // CL_SNORM_INT8
  case spv::OpImageQueryOrder: images.queryNumber("get_image_channel_order", 0x10B0); return true;      // CL_R
  case spv::OpImageQueryLevels: images.queryNumber("get_image_num_mip_levels", 0); return true;
  case spv::OpImageQuerySamples: reader.fail("multisampled images"); return true;
  case kOpSubgroupImageBlockRead: images.readBlock(); return true;
  case kOpSubgroupImageBlockWrite: images.writeBlock(); return true;
  default: return false;
  }
}

} // namespace clotho::compiler::spirv
