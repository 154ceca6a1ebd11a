// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/error.hpp"
#include "runtime/capture/captures.hpp"
#include "runtime/capture/launch_capture.hpp"
#include "runtime/objects/kernel.hpp"
#include "runtime/objects/queue.hpp"

#include <algorithm>
#include <cstring>

// Descriptions of launches, made of the objects of the runtime.
namespace clotho {

namespace {

/// The flags that another driver knows, too, and that do not describe how the bytes came into the object.
constexpr cl_mem_flags kFlags = CL_MEM_READ_WRITE | CL_MEM_WRITE_ONLY | CL_MEM_READ_ONLY | CL_MEM_USE_HOST_PTR |
                                CL_MEM_ALLOC_HOST_PTR | CL_MEM_HOST_WRITE_ONLY | CL_MEM_HOST_READ_ONLY |
                                CL_MEM_HOST_NO_ACCESS | CL_MEM_KERNEL_READ_AND_WRITE;

capture::Shape shapeOf(const Image& image, bool isView) {
  const ImageShape& shape = image.shape();
  capture::Shape result;
  result.type = shape.type;
  result.channelOrder = shape.format.image_channel_order;
  result.channelType = shape.format.image_channel_data_type;
  result.levels = shape.mipLevels;
  result.width = shape.width;
  result.height = shape.height;
  result.depth = shape.depth;
  result.layers = shape.layers;
  if (isView) {
    result.rowPitch = shape.rowPitch;
    result.slicePitch = shape.slicePitch;
  }
  result.texelBytes = static_cast<std::uint32_t>(image.texelBytes());
  return result;
}

/// Bytes of an image without the gaps between rows.
std::uint64_t packedBytes(const Image& image) {
  std::uint64_t bytes = 0;
  for (cl_uint level = 0; level < image.levelCount(); ++level) {
    const Image::Triple extent = image.extent(level);
    bytes += extent[0] * extent[1] * extent[2] * image.texelBytes();
  }
  return bytes;
}

void addRemark(std::vector<capture::Named>& remarks, const char* name, std::string text) {
  if (!text.empty()) remarks.push_back({name, std::move(text)});
}

std::vector<capture::Named> remarksOf(const Device& device, const std::vector<capture::Named>& options) {
  std::vector<capture::Named> remarks;
  addRemark(remarks, "device", device.properties().name);
  addRemark(remarks, "driver", device.properties().driverVersion);
  remarks.insert(remarks.end(), options.begin(), options.end());
  return remarks;
}

capture::NdRange rangeOf(const AskedRange& asked) {
  capture::NdRange range;
  range.dimensions = asked.dimensions;
  range.hasOffset = asked.offset != nullptr;
  range.hasLocal = asked.local != nullptr;
  for (cl_uint i = 0; i < asked.dimensions; ++i) {
    range.global[i] = asked.global[i];
    if (asked.offset) range.offset[i] = asked.offset[i];
    if (asked.local) range.local[i] = asked.local[i];
  }
  return range;
}

} // namespace

void LaunchCapture::describe(const Kernel& kernel, const AskedRange& range) {
  const Device& device = queue_->device();
  const Program::Build& build = kernel.buildFor(device);
  check(build.recipe && !build.recipe->units.empty(), CL_INVALID_PROGRAM,
        "it is not known what its program is made of");
  description_.program = *build.recipe;
  description_.remarks = remarksOf(device, captures_.environment());
  description_.kernel = kernel.info().name;
  description_.range = rangeOf(range);
  description_.initializedMemory = queue_->context().initializedMemory();
  description_.usesSystemMemory = kernel.usesSystemMemory();
  description_.hasDeviceQueue = queue_->context().deviceQueues().defaultOf(device).get() != nullptr;
  for (std::size_t i = 0; i < kernel.info().args.size(); ++i)
    addArgument(kernel, i);
  for (const auto kind : {Kernel::PointerKind::Svm, Kernel::PointerKind::Unified})
    for (const void* pointer : kernel.indirect(kind)) {
      reached_.push_back(pointer);
      description_.reached.push_back(reinterpret_cast<std::uintptr_t>(pointer));
    }
  for (const void* pointer : kernel.indirect(Kernel::PointerKind::Device))
    if (const Ref<MemoryObject> buffer = queue_->context().deviceAddresses().find(queue_->home(), pointer))
      add(*buffer);
  variables_ = build.code->variables();
  for (const ProgramVariable& variable : variables_)
    description_.variables.push_back({variable.name, variable.size});
  if (variables_.empty() && build.result->hasProgramScopeVariables)
    description_.remarks.push_back({"not captured", "variables at program scope, of which the host has no address"});
  if (description_.usesSystemMemory)
    description_.remarks.push_back({"not captured", "memory of the system that the kernel may reach"});
}

void LaunchCapture::addArgument(const Kernel& kernel, std::size_t index) {
  using Kind = capture::ArgumentKind;
  const ArgInfo& info = kernel.info().args[index];
  const Kernel::Argument& given = kernel.argument(index);
  capture::Argument& argument = description_.arguments.emplace_back();
  argument.name = info.name;
  argument.type = info.typeName;
  const auto number = [&] {
    std::uint64_t value = 0;
    std::memcpy(&value, kernel.valueOf(index), sizeof value);
    return value;
  };
  switch (info.kind) {
  case ArgKind::Value: argument.value.assign(reinterpret_cast<const char*>(kernel.valueOf(index)), info.size); return;
  case ArgKind::Local:
    argument.kind = Kind::Local;
    argument.number = given.localSize;
    return;
  case ArgKind::Sampler:
    argument.kind = Kind::Sampler;
    argument.number = number();
    return;
  case ArgKind::Queue: argument.kind = Kind::Queue; return;
  case ArgKind::Pipe:
  case ArgKind::Buffer:
  case ArgKind::Image: break;
  }
  if (given.memory) {
    const Ref<MemoryObject> memory = Ref<MemoryObject>::ifAlive(given.memory);
    check(memory.get() != nullptr, CL_INVALID_MEM_OBJECT, "a memory object that is an argument was released");
    argument.kind = Kind::Memory;
    argument.number = add(*memory);
  } else if (given.pointerKind == Kernel::PointerKind::None) {
    argument.kind = Kind::Null;
  } else {
    argument.kind = Kind::Pointer;
    argument.number = number();
    if (given.pointerKind == Kernel::PointerKind::Device)
      addDevicePointer(kernel, argument);
    else
      reached_.push_back(reinterpret_cast<const void*>(argument.number)); // NOLINT(performance-no-int-to-ptr)
  }
}

void LaunchCapture::addDevicePointer(const Kernel& kernel, capture::Argument& argument) {
  argument.kind = capture::ArgumentKind::DevicePointer;
  // NOLINTNEXTLINE(performance-no-int-to-ptr): the interface has addresses of devices as numbers
  const auto* pointer = reinterpret_cast<const void*>(argument.number);
  const Ref<MemoryObject> buffer = kernel.context().deviceAddresses().find(queue_->home(), pointer);
  check(buffer.get() != nullptr, CL_INVALID_MEM_OBJECT, "an address of a device is in no buffer");
  add(*buffer);
}

/// Adds an object behind those whose bytes it has; its index in the description.
std::uint64_t LaunchCapture::add(MemoryObject& memory) {
  const auto known = std::find_if(memories_.begin(), memories_.end(),
                                  [&](const Ref<MemoryObject>& each) { return each.get() == &memory; });
  if (known != memories_.end()) return static_cast<std::uint64_t>(known - memories_.begin());
  capture::Memory described;
  if (memory.parent()) described.parent = static_cast<std::uint32_t>(add(*memory.parent()));
  described.kind = memory.image()         ? capture::MemoryKind::Image
                   : memory.pipe()        ? capture::MemoryKind::Pipe
                   : memory.isSubBuffer() ? capture::MemoryKind::SubBuffer
                                          : capture::MemoryKind::Buffer;
  described.flags = memory.flags() & kFlags;
  described.size = memory.size();
  if (memory.parent()) described.origin = memory.origin() - memory.parent()->origin();
  if (memory.image()) described.shape = shapeOf(*memory.image(), memory.parent() != nullptr);
  if (memory.hostPointer()) described.hostAddress = reinterpret_cast<std::uintptr_t>(memory.hostPointer());
  if (memory.hasDeviceAddress())
    described.deviceAddress = reinterpret_cast<std::uintptr_t>(memory.bytesOn(queue_->home()));
  described.isShared = memory.storage().isShared();
  if (described.isShared) reached_.push_back(memory.hostPointer());
  if (const Pipe* pipe = memory.pipe()) {
    described.shape.width = pipe->packetSize;
    described.shape.height = pipe->maxPackets;
    described.stored = sizeof(std::uint64_t) + std::uint64_t{pipe->packetSize} * pipe->maxPackets;
  } else if (!memory.parent() && !described.isShared) {
    described.stored = memory.image() ? packedBytes(*memory.image()) : memory.size();
  }
  memory.bytesOn(kHostHome); // has memory there before any command wants the bytes
  description_.memories.push_back(described);
  memories_.emplace_back(memory);
  return memories_.size() - 1;
}

} // namespace clotho
