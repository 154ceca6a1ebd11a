// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// OpExtInst: calls of OpenCL C's functions (OpenCL Extended Instruction Set Specification).
#include "compiler/frontend/spirv/opencl_std.hpp"
#include "compiler/frontend/spirv/reader.hpp"

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/StringExtras.h>
#include <llvm/IR/MDBuilder.h>

namespace clotho::compiler::spirv {
namespace {

/// Instructions that are not in opencl_std.def.
enum Special : unsigned {
  kMad = 42,
  kSqrt = 61,
  kHalfDivide = 68,
  kHalfReciprocal = 76,
  kNativeDivide = 82,
  kNativeReciprocal = 90,
  kVectorLoad = 171,
  kVectorStore = 172,
  kHalfLoad = 173,
  kHalvesLoad = 174,
  kHalfStore = 175,
  kHalfStoreRounded = 176,
  kHalvesStore = 177,
  kHalvesStoreRounded = 178,
  kAlignedHalvesLoad = 179,
  kAlignedHalvesStore = 180,
  kAlignedHalvesStoreRounded = 181,
  kShuffle = 182,
  kShuffle2 = 183,
  kPrintf = 184,
  kPrefetch = 185,
};

class Extended {
 public:
  Extended(Reader& reader, const Instruction& instruction)
      : reader_(reader), builder_(reader.builder), instruction_(instruction),
        operands_(instruction.operands.drop_front(2)) {}

  void read(unsigned number) {
    const std::size_t least = number == kPrintf                                                         ? 1
                              : number == kVectorStore || (number >= kHalfStore && number <= kShuffle2) ? 2
                                                                                                        : 1;
    if (operands_.size() < least) return reader_.fail("an extended instruction has too few operands");
    switch (number) {
    case kMad: return mad();
    case kVectorLoad: return load("vload", /*isHalf=*/false);
    case kHalfLoad:
    case kHalvesLoad: return load("vload_half", /*isHalf=*/true);
    case kAlignedHalvesLoad: return load("vloada_half", /*isHalf=*/true);
    case kVectorStore: return store("vstore", /*isHalf=*/false);
    case kHalfStore:
    case kHalfStoreRounded:
    case kHalvesStore:
    case kHalvesStoreRounded: return store("vstore_half", /*isHalf=*/true);
    case kAlignedHalvesStore:
    case kAlignedHalvesStoreRounded: return store("vstorea_half", /*isHalf=*/true);
    case kShuffle:
    case kShuffle2: return shuffle();
    case kPrintf: return print();
    case kPrefetch: return prefetch();
    default: return plain(number);
    }
  }

 private:
  struct Shape {
    bool isFloat;
    unsigned bits, elements;
  };
  Shape shapeOf(llvm::Type* type) const {
    const auto* vector = llvm::dyn_cast<llvm::FixedVectorType>(type);
    return {type->isFPOrFPVectorTy(), type->getScalarSizeInBits(), vector != nullptr ? vector->getNumElements() : 1};
  }
  llvm::Type* resultType() { return reader_.llvmType(instruction_.type); }
  bool isNumber(llvm::Type* type) const { return type->isFPOrFPVectorTy() || type->isIntOrIntVectorTy(); }

  void define(llvm::Value* value) {
    if (!value->getType()->isVoidTy()) reader_.define(instruction_, value);
  }

  void plain(unsigned number) {
    llvm::SmallVector<llvm::Value*, 3> values;
    for (const Id operand : operands_)
      values.push_back(reader_.value(operand));
    if (reader_.failed()) return;
    llvm::Type* first = values[0]->getType();
    if (!isNumber(first)) return reader_.fail("an extended instruction's operand is no number");
    if (first->isFPOrFPVectorTy() && first->getScalarSizeInBits() != 32) {
      if ((number == kHalfDivide || number == kNativeDivide) && values.size() == 2)
        return define(builder_.CreateFDiv(values[0], values[1]));
      if (number == kHalfReciprocal || number == kNativeReciprocal)
        return define(builder_.CreateFDiv(llvm::ConstantFP::get(first, 1.0), values[0]));
    }
    const Shape shape = shapeOf(first);
    const auto function = extendedFunction(number, shape.isFloat, shape.bits, shape.elements);
    if (!function) return reader_.fail("OpenCL.std has no instruction " + llvm::Twine(number));
    if (function->parameters.size() != values.size())
      return reader_.fail("an extended instruction has another number of operands than its function");
    llvm::SmallVector<Reader::Argument, 3> arguments;
    for (const auto& [value, type] : llvm::zip(values, function->parameters))
      arguments.push_back({type.isPointer ? reader_.generic(value) : value, type});
    if (function->writesMemory)
      define(reader_.call(function->name, resultType(), arguments, Effects::Any));
    else
      define(withAccuracy(number, reader_.callForElements(function->name, resultType(), arguments)));
  }
  /// The result of a function, with the accuracy of a single-precision root, as clang sets it (OpenCL C, relative
  /// error).
  llvm::Value* withAccuracy(unsigned number, llvm::Value* result) {
    auto* call = llvm::dyn_cast<llvm::CallInst>(result);
    if (number == kSqrt && call != nullptr && call->getType()->getScalarType()->isFloatTy() &&
        !reader_.options().correctlyRoundedDivideSqrt)
      call->setMetadata(llvm::LLVMContext::MD_fpmath, llvm::MDBuilder(reader_.context()).createFPMath(3));
    return result;
  }

  void mad() {
    if (operands_.size() != 3) return reader_.fail("mad has three operands");
    llvm::Value *a = reader_.value(operands_[0]), *b = reader_.value(operands_[1]), *c = reader_.value(operands_[2]);
    if (reader_.failed()) return;
    if (!a->getType()->isFPOrFPVectorTy() || a->getType() != b->getType() || a->getType() != c->getType())
      return reader_.fail("mad is of three floats of one type");
    define(builder_.CreateIntrinsic(llvm::Intrinsic::fmuladd, a->getType(), {a, b, c}));
  }

  /// An index, which is size_t in OpenCL C.
  Reader::Argument size(Id id) {
    llvm::Value* value = reader_.value(id);
    if (!value->getType()->isIntegerTy()) reader_.fail("an index is no integer");
    if (!reader_.failed()) value = builder_.CreateZExtOrTrunc(value, builder_.getInt64Ty());
    return {value, ParameterType::integer(64, false)};
  }

  /// A pointer to scalars. Only constant memory has functions of its own.
  Reader::Argument pointer(Id id, const ParameterType& scalar, llvm::StringRef qualifiers) {
    llvm::Value* value = reader_.value(id);
    const auto* type = llvm::dyn_cast<llvm::PointerType>(value->getType());
    if (type != nullptr && type->getAddressSpace() == kConstantSpace && !qualifiers.empty())
      return {value, scalar.pointer(kConstantSpace, qualifiers)};
    return {reader_.generic(value), scalar.pointer(kGenericSpace, qualifiers)};
  }

  static std::string count(unsigned elements) { return elements == 1 ? "" : std::to_string(elements); }

  void load(llvm::StringRef name, bool isHalf) {
    if (operands_.size() < 2) return reader_.fail("a load of vector data has an index and a pointer");
    llvm::Type* result = resultType();
    if (reader_.failed() || !isNumber(result)) return reader_.fail("a load of what is no number");
    const ParameterType scalar =
        isHalf ? ParameterType::floating(16) : ParameterType::of(*result->getScalarType(), false);
    const Reader::Argument arguments[] = {size(operands_[0]), pointer(operands_[1], scalar, "K")};
    if (reader_.failed()) return;
    define(reader_.call(name.str() + count(shapeOf(result).elements), result, arguments, Effects::Reads));
  }

  void store(llvm::StringRef name, bool isHalf) {
    if (operands_.size() < 3) return reader_.fail("a store of vector data has data, an index and a pointer");
    llvm::Value* data = reader_.value(operands_[0]);
    if (reader_.failed() || !isNumber(data->getType())) return reader_.fail("a store of what is no number");
    const ParameterType scalar =
        isHalf ? ParameterType::floating(16) : ParameterType::of(*data->getType()->getScalarType(), false);
    std::string whole = name.str() + count(shapeOf(data->getType()).elements);
    if (operands_.size() > 3) {
      constexpr const char* kModes[] = {"_rte", "_rtz", "_rtp", "_rtn"};
      if (operands_[3] >= std::size(kModes)) return reader_.fail("there is no such rounding mode");
      if (isHalf) whole += kModes[operands_[3]];
    }
    const Reader::Argument arguments[] = {
        {data, ParameterType::of(*data->getType(), false)}, size(operands_[1]), pointer(operands_[2], scalar, "")};
    if (reader_.failed()) return;
    reader_.call(whole, builder_.getVoidTy(), arguments, Effects::Any);
  }

  void shuffle() {
    llvm::SmallVector<Reader::Argument, 3> arguments;
    for (const Id operand : operands_) {
      llvm::Value* value = reader_.value(operand);
      if (reader_.failed() || !isNumber(value->getType())) return reader_.fail("a shuffle of what is no vector");
      arguments.push_back({value, ParameterType::of(*value->getType(), false)});
    }
    define(reader_.call(arguments.size() > 2 ? "shuffle2" : "shuffle", resultType(), arguments, Effects::None));
  }

  void print() {
    llvm::SmallVector<llvm::Value*, 8> values;
    for (const Id operand : operands_) {
      llvm::Value* value = reader_.value(operand);
      // Applies C's promotions for variadic arguments. Signedness does not matter: the printf conversion cuts the
      // extension off.
      llvm::Type* type = value->getType();
      if (type->isIntOrIntVectorTy() && !llvm::is_contained({1U, 8U, 16U, 32U, 64U}, type->getScalarSizeInBits()))
        return reader_.fail("printf has no conversion for integers of " + llvm::Twine(type->getScalarSizeInBits()) +
                            " bits");
      if (!values.empty() && type->isIntegerTy() && type->getIntegerBitWidth() < 32)
        value = builder_.CreateZExt(value, builder_.getInt32Ty());
      if (!values.empty() && (type->isHalfTy() || type->isFloatTy()))
        value = builder_.CreateFPExt(value, builder_.getDoubleTy());
      values.push_back(value);
    }
    if (reader_.failed()) return;
    // A format may be in any address space (SPV_EXT_relaxed_printf_string_address_space), but, as in OpenCL C, must be
    // a string that is known at compile time.
    if (!values[0]->getType()->isPointerTy()) return reader_.fail("the format of printf is no pointer");
    values[0] = builder_.CreatePointerBitCastOrAddrSpaceCast(values[0], builder_.getPtrTy(kConstantSpace));
    define(reader_.callNamed("printf", builder_.getInt32Ty(), values, Effects::Any, /*isVariadic=*/true));
  }

  void prefetch() {
    if (operands_.size() < 2) return reader_.fail("prefetch has a pointer and a number");
    const Id type = reader_.typeIdOf(operands_[0]);
    const Type& element = reader_.type(reader_.type(type).element);
    // OpenCL C has no prefetch of other types; the hint is dropped.
    if (reader_.failed() || element.type == nullptr || !isNumber(element.type)) return;
    const Reader::Argument arguments[] = {
        {reader_.value(operands_[0]), ParameterType::of(*element.type, false).pointer(kGlobalSpace, "K")},
        size(operands_[1])};
    if (reader_.failed()) return;
    reader_.call("prefetch", builder_.getVoidTy(), arguments, Effects::Any);
  }

  Reader& reader_;
  llvm::IRBuilder<>& builder_;
  const Instruction& instruction_;
  Words operands_;
};

} // namespace

bool readExtended(Reader& reader, const Instruction& instruction) {
  if (instruction.op != spv::OpExtInst) return false;
  if (instruction.operands.size() < 2) {
    reader.fail("an extended instruction without a set");
    return true;
  }
  const std::string set = reader.text(instruction.operands[0]);
  const llvm::StringRef name = set;
  if (name == "OpenCL.std")
    Extended(reader, instruction).read(instruction.operands[1]);
  else if (!name.starts_with("NonSemantic.") && name != "OpenCL.DebugInfo.100" && name != "DebugInfo" &&
           name != "SPIRV.debug")
    reader.fail("instructions of the set " + set);
  return true;
}

} // namespace clotho::compiler::spirv
