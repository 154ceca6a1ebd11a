// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/analysis/kernel_arguments.hpp"

#include "compiler/ir/kernel_facts.hpp"
#include "compiler/ir/kernels.hpp"
#include "compiler/ir/marks.hpp"
#include "compiler/ir/sub_group_operations.hpp"

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/SmallPtrSet.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/DataLayout.h>
#include <llvm/IR/DerivedTypes.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/Instruction.h>
#include <llvm/IR/Metadata.h>
#include <llvm/IR/Module.h>
#include <llvm/Support/MathExtras.h>
#include <llvm/Support/raw_ostream.h>

namespace clotho::compiler {
namespace {

constexpr unsigned kGlobalSpace = 1, kConstantSpace = 2, kLocalSpace = 3,
                   kGenericSpace = 4; // address spaces of clang's SPIR targets

/// Kind of a host object, from the target extension type that clang's SPIR targets give each kind.
ArgKind kindOfObject(llvm::StringRef type) {
  if (type == "spirv.Sampler") return ArgKind::Sampler;
  if (type == "spirv.Pipe") return ArgKind::Pipe;
  if (type == "spirv.Queue") return ArgKind::Queue;
  return ArgKind::Image;
}

/// Describes an image by the integer parameters of "spirv.Image": Dim, Depth, Arrayed, MS and so on, as in SPIR-V's
/// OpTypeImage.
void describeImage(const llvm::TargetExtType& type, ArgInfo& arg) {
  enum { kDim, kDepth, kArrayed, kMultisampled, kNumbers };
  enum { kOne, kTwo, kThree, kBuffer = 5 };
  if (type.getNumIntParameters() < kNumbers || type.getIntParameter(kMultisampled) != 0) return;
  arg.isDepth = type.getIntParameter(kDepth) == 1;
  const bool isArray = type.getIntParameter(kArrayed) != 0;
  switch (type.getIntParameter(kDim)) {
  case kOne: arg.imageType = isArray ? CL_MEM_OBJECT_IMAGE1D_ARRAY : CL_MEM_OBJECT_IMAGE1D; break;
  case kTwo: arg.imageType = isArray ? CL_MEM_OBJECT_IMAGE2D_ARRAY : CL_MEM_OBJECT_IMAGE2D; break;
  case kThree: arg.imageType = CL_MEM_OBJECT_IMAGE3D; break;
  case kBuffer: arg.imageType = CL_MEM_OBJECT_IMAGE1D_BUFFER; break;
  default: break;
  }
}

ArgInfo describeParameter(const llvm::Argument& parameter, const llvm::DataLayout& layout) {
  ArgInfo arg;
  llvm::Type* type = parameter.getType();
  if (parameter.hasByValAttr()) {
    type = parameter.getParamByValType();
    const llvm::Align align = parameter.getParamAlign().value_or(layout.getABITypeAlign(type));
    arg.alignment = static_cast<std::uint32_t>(align.value());
    arg.size = static_cast<std::uint32_t>(layout.getTypeAllocSize(type));
  } else if (const auto* object = llvm::dyn_cast<llvm::TargetExtType>(type)) {
    arg.kind = kindOfObject(object->getName());
    if (arg.kind == ArgKind::Image || arg.kind == ArgKind::Pipe) arg.address = AddressQualifier::Global;
    if (arg.kind == ArgKind::Image) describeImage(*object, arg);
    arg.size = 8;
  } else if (const auto* pointer = llvm::dyn_cast<llvm::PointerType>(type)) {
    const unsigned space = pointer->getAddressSpace();
    arg.kind = space == kLocalSpace                     ? ArgKind::Local
               : parameter.hasAttribute(kImageArgument) ? ArgKind::Image
               : parameter.hasAttribute(kPipeArgument)  ? ArgKind::Pipe
                                                        : ArgKind::Buffer;
    arg.address = space == kLocalSpace      ? AddressQualifier::Local
                  : space == kConstantSpace ? AddressQualifier::Constant
                  : space == kGlobalSpace   ? AddressQualifier::Global
                  : space == kGenericSpace  ? AddressQualifier::Global // what a block has captured
                                            : AddressQualifier::Private;
    arg.size = 8;
    // Alignment of the pointee, from the attribute that clang gives pointer parameters of kernels.
    arg.alignment = static_cast<std::uint32_t>(parameter.getParamAlign().valueOrOne().value());
  } else {
    arg.alignment = static_cast<std::uint32_t>(layout.getABITypeAlign(type).value());
    arg.size = static_cast<std::uint32_t>(layout.getTypeAllocSize(type)); // 16 for float3, as sizeof says
  }
  return arg;
}

llvm::StringRef textOperand(const llvm::MDNode* node, unsigned index) {
  if (node == nullptr || index >= node->getNumOperands()) return {};
  const auto* text = llvm::dyn_cast_or_null<llvm::MDString>(node->getOperand(index));
  return text != nullptr ? text->getString() : llvm::StringRef();
}

std::uint64_t numberOperand(const llvm::MDNode* node, unsigned index) {
  if (node == nullptr || index >= node->getNumOperands()) return 0;
  const auto* value = llvm::mdconst::dyn_extract_or_null<llvm::ConstantInt>(node->getOperand(index));
  return value != nullptr ? value->getZExtValue() : 0;
}

std::uint32_t typeQualifiers(llvm::StringRef text) {
  std::uint32_t bits = 0;
  llvm::SmallVector<llvm::StringRef, 4> words;
  text.split(words, ' ', -1, /*KeepEmpty=*/false);
  for (llvm::StringRef word : words) {
    if (word == "const") bits |= ArgInfo::kConst;
    if (word == "restrict") bits |= ArgInfo::kRestrict;
    if (word == "volatile") bits |= ArgInfo::kVolatile;
    if (word == "pipe") bits |= ArgInfo::kPipe;
  }
  return bits;
}

AccessQualifier accessQualifier(llvm::StringRef text) {
  if (text == "read_only") return AccessQualifier::ReadOnly;
  if (text == "write_only") return AccessQualifier::WriteOnly;
  if (text == "read_write") return AccessQualifier::ReadWrite;
  return AccessQualifier::None;
}

std::string vectorHint(const llvm::MDNode& node) {
  const auto* value = llvm::dyn_cast_or_null<llvm::ValueAsMetadata>(node.getOperand(0));
  if (value == nullptr) return {};
  const bool isSigned = numberOperand(&node, 1) != 0;
  llvm::Type* type = value->getType();
  llvm::Type* element = type->getScalarType();
  std::string name;
  if (element->isFloatTy())
    name = "float";
  else if (element->isDoubleTy())
    name = "double";
  else if (element->isHalfTy())
    name = "half";
  else {
    const unsigned bits = element->getIntegerBitWidth();
    name = std::string(isSigned ? "" : "u") + (bits == 8 ? "char" : bits == 16 ? "short" : bits == 32 ? "int" : "long");
  }
  if (const auto* vector = llvm::dyn_cast<llvm::FixedVectorType>(type))
    name += std::to_string(vector->getNumElements());
  return "vec_type_hint(" + name + ")";
}

std::string sizesAttribute(llvm::StringRef name, const llvm::MDNode* node) {
  std::string text = name.str();
  for (unsigned i = 0; i < node->getNumOperands(); ++i)
    text += (i == 0 ? "(" : ",") + std::to_string(numberOperand(node, i));
  return text + ")";
}

std::string kernelAttributes(const llvm::Function& kernel) {
  std::vector<std::string> parts;
  if (const llvm::MDNode* node = kernel.getMetadata("vec_type_hint")) parts.push_back(vectorHint(*node));
  for (const char* name : {"work_group_size_hint", "reqd_work_group_size", "intel_reqd_sub_group_size"})
    if (const llvm::MDNode* node = kernel.getMetadata(name)) parts.push_back(sizesAttribute(name, node));
  std::string text;
  for (const std::string& part : parts)
    text += (text.empty() ? "" : " ") + part;
  return text;
}

/// The role of a kernel that is not a block.
KernelRole roleOf(const llvm::Function& kernel) {
  const llvm::StringRef role = kernel.getFnAttribute(kRoleAttribute).getValueAsString();
  return role == kInitialiserRole ? KernelRole::Initialiser
         : role == kCleanUpRole   ? KernelRole::CleanUp
                                  : KernelRole::Entry;
}

KernelInfo describeKernel(const llvm::Function& kernel) {
  KernelInfo info;
  info.name = kernel.getName().str();
  info.attributes = kernelAttributes(kernel);
  ArgumentLayout layout = layoutArguments(kernel);
  info.args = std::move(layout.args);
  info.argBlockSize = layout.blockSize;
  if (const llvm::MDNode* sizes = kernel.getMetadata("reqd_work_group_size"))
    for (unsigned i = 0; i < 3; ++i)
      info.requiredLocalSize[i] = static_cast<std::uint32_t>(numberOperand(sizes, i));

  if (const llvm::MDNode* size = kernel.getMetadata("intel_reqd_sub_group_size"))
    info.requiredSubGroupSize = static_cast<std::uint32_t>(numberOperand(size, 0));
  if (const llvm::MDNode* count = kernel.getMetadata(kRequiredSubGroups))
    info.requiredSubGroups = static_cast<std::uint32_t>(numberOperand(count, 0));
  if (const llvm::MDNode* sizes = kernel.getMetadata(kLargestLocalSize))
    for (unsigned i = 0; i < 3; ++i)
      info.largestLocalSize[i] = static_cast<std::uint32_t>(numberOperand(sizes, i));
  if (const llvm::MDNode* most = kernel.getMetadata(kMostDimensions))
    info.mostDimensions = static_cast<std::uint32_t>(numberOperand(most, 0));
  info.refusesOffset = kernel.getMetadata(kRefusesOffset) != nullptr;

  info.flushesDenormals = factsOf(kernel).flushesDenormals;

  // clang writes the names only under -cl-kernel-arg-info, so their presence tells whether the option was given.
  const llvm::MDNode* names = kernel.getMetadata("kernel_arg_name");
  info.hasArgInfo = names != nullptr;
  for (unsigned i = 0; i < info.args.size(); ++i) {
    ArgInfo& arg = info.args[i];
    arg.name = textOperand(names, i).str();
    arg.maxBytes = static_cast<std::uint32_t>(numberOperand(kernel.getMetadata(kMaxArgumentBytes), i));
    arg.typeName = textOperand(kernel.getMetadata("kernel_arg_type"), i).str();
    arg.typeQualifiers = typeQualifiers(textOperand(kernel.getMetadata("kernel_arg_type_qual"), i));
    arg.access = accessQualifier(textOperand(kernel.getMetadata("kernel_arg_access_qual"), i));
    if (arg.address == AddressQualifier::Constant) arg.typeQualifiers |= ArgInfo::kConst;
  }
  return info;
}

/// Functions that may reach a function of device queues or events, by calls or by pointers: blocks are called by
/// pointers in their literals.
llvm::SmallPtrSet<const llvm::Function*, 16> reachDeviceQueues(const llvm::Module& module) {
  llvm::SmallPtrSet<const llvm::Function*, 16> functions;
  llvm::SmallPtrSet<const llvm::Value*, 32> seen;
  llvm::SmallVector<const llvm::Value*, 32> work;
  for (const llvm::Function& function : module)
    if (function.isDeclaration() && isOfDeviceQueues(function.getName())) work.push_back(&function);
  while (!work.empty()) {
    for (const llvm::User* user : work.pop_back_val()->users()) {
      const llvm::Value* next = user;
      if (const auto* instruction = llvm::dyn_cast<llvm::Instruction>(user)) {
        next = instruction->getFunction();
        functions.insert(instruction->getFunction());
      }
      if (seen.insert(next).second) work.push_back(next);
    }
  }
  return functions;
}

} // namespace

ArgumentLayout layoutArguments(const llvm::Function& kernel) {
  ArgumentLayout layout;
  std::uint64_t offset = 0;
  for (const llvm::Argument& parameter : kernel.args()) {
    ArgInfo arg = describeParameter(parameter, kernel.getDataLayout());
    offset = llvm::alignTo(offset, arg.kind == ArgKind::Value ? arg.alignment : 8);
    arg.offset = static_cast<std::uint32_t>(offset);
    offset += arg.size;
    layout.args.push_back(std::move(arg));
  }
  layout.blockSize = static_cast<std::uint32_t>(llvm::alignTo(offset, 8));
  return layout;
}

std::vector<KernelInfo> describeKernels(llvm::Module& module) {
  std::vector<KernelInfo> kernels;
  const llvm::SmallPtrSet<const llvm::Function*, 16> enqueuing = reachDeviceQueues(module);
  const std::vector<llvm::Function*> blocks = blocksOf(module);
  for (const llvm::Function& function : module) {
    if (!isKernel(function)) continue;
    KernelInfo& kernel = kernels.emplace_back(describeKernel(function));
    kernel.enqueues = enqueuing.contains(&function);
    kernel.role = roleOf(function);
    if (const auto found = llvm::find(blocks, &function); found != blocks.end()) {
      kernel.role = KernelRole::Block;
      kernel.blockNumber = static_cast<std::uint32_t>(found - blocks.begin()) + 1;
    }
    kernel.allowsNonUniform = !hasUniformGroupsOnly(module);
  }
  return kernels;
}

} // namespace clotho::compiler
