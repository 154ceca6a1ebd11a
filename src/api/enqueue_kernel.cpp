// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "api/commands.hpp"
#include "api/required_sub_groups.hpp"
#include "runtime/capture/captures.hpp"

#include <algorithm>
#include <cstring>
#include <string>

namespace clotho::api {

namespace {

std::string inUnits(std::uint64_t bytes, unsigned shift, const char* unit) {
  return std::to_string((bytes >> shift) + ((bytes & ((std::uint64_t{1} << shift) - 1)) != 0)) + unit;
}
std::string inMiB(std::uint64_t bytes) { return inUnits(bytes, 20, " MiB"); }
std::string inKiB(std::uint64_t bytes) { return inUnits(bytes, 10, " KiB"); }

/// Tells the context's callback in numbers what is too much in a launch.
[[noreturn]] void refuse(const Kernel& kernel, const std::string& text, const Error& error) {
  kernel.context().report("kernel '" + kernel.info().name + "': " + text, LogLevel::Warn);
  throw error;
}

std::string nameGroup(const NDRange& range) {
  std::string text = "a work-group of ";
  for (cl_uint i = 0; i < range.dimensions; ++i)
    text += (i == 0 ? "" : " x ") + std::to_string(range.local[i]);
  return text + " work-items";
}

void checkLocalSize(const NDRange& range, const Kernel& kernel, const DeviceKernel& code,
                    const DeviceProperties& device) {
  const KernelInfo& info = code.info();
  const std::uint32_t (&required)[3] = info.requiredLocalSize;
  const auto refuseSize = [&](const Error& error) {
    refuse(kernel, nameGroup(range) + ", of which the device runs at most " + std::to_string(device.maxWorkGroupSize),
           error);
  };
  for (int i = 0; i < 3; ++i) {
    check(range.local[i] > 0, CL_INVALID_WORK_GROUP_SIZE, "an empty work-group");
    if (range.local[i] > device.maxWorkItemSizes[i])
      refuseSize({CL_INVALID_WORK_ITEM_SIZE, "more than CL_DEVICE_MAX_WORK_ITEM_SIZES"});
    check(!required[0] || range.local[i] == required[i], CL_INVALID_WORK_GROUP_SIZE,
          "not the size that reqd_work_group_size asks for");
    check(!info.largestLocalSize[0] || range.local[i] <= info.largestLocalSize[i], CL_INVALID_WORK_GROUP_SIZE,
          "more work-items than the kernel's MaxWorkgroupSizeINTEL allows");
    check(info.allowsNonUniform || range.global[i] % range.local[i] == 0, CL_INVALID_WORK_GROUP_SIZE,
          "the global size is no multiple of the local size, and the program has uniform work-groups only");
  }
  if (range.groupItems() > device.maxWorkGroupSize)
    refuseSize({CL_INVALID_WORK_GROUP_SIZE, "more work-items than CL_DEVICE_MAX_WORK_GROUP_SIZE"});
  if (info.requiredSubGroups != 0)
    check(allGroupsHave({info.requiredSubGroups, subGroupSize(code, device)}, range), CL_INVALID_WORK_GROUP_SIZE,
          "a work-group has not the number of sub-groups that the kernel requires");
}

/// The most work-items up to `most` along a dimension of `global` ones, in work-groups of one size if all must be.
size_t groupOfAtMost(size_t most, size_t global, bool allowsNonUniform) {
  while (!allowsNonUniform && global % most != 0)
    --most;
  return most;
}

/// Refuses launches that the kernel rules out by KernelInfo::mostDimensions and KernelInfo::refusesOffset. Dimensions
/// of one work-item do not count.
void checkPromises(const NDRange& range, const KernelInfo& info) {
  for (cl_uint i = 0; i < range.dimensions; ++i) {
    check(i < info.mostDimensions || range.global[i] <= 1, CL_INVALID_WORK_DIMENSION,
          "more dimensions than the kernel's MaxWorkDimINTEL allows");
    check(!info.refusesOffset || range.offset[i] == 0, CL_INVALID_GLOBAL_OFFSET,
          "a global offset, and the kernel's NoGlobalOffsetINTEL refuses it");
  }
}

void checkDimensions(cl_uint dimensions) {
  check(dimensions >= 1 && dimensions <= 3, CL_INVALID_WORK_DIMENSION, "not 1 to 3 dimensions");
}

/// Section 5.10. An empty range has no work-items: `global` has a zero then. `code`: the kernel as it was built for
/// the device, since builds for several devices may differ.
NDRange parseRange(const Device& device, const Kernel& kernel, const DeviceKernel& code, cl_uint dimensions,
                   const size_t* offset, const size_t* global, const size_t* local) {
  const KernelInfo& info = code.info();
  checkDimensions(dimensions);
  NDRange range;
  range.dimensions = dimensions;
  for (cl_uint i = 0; i < dimensions; ++i) {
    range.global[i] = global ? global[i] : 0;
    if (offset) range.offset[i] = offset[i];
    check(range.offset[i] + range.global[i] >= range.offset[i], CL_INVALID_GLOBAL_OFFSET,
          "offset and global size do not fit in a size_t");
    if (local) range.local[i] = local[i];
  }
  checkPromises(range, info);
  if (!local) {
    if (info.requiredLocalSize[0])
      std::copy_n(info.requiredLocalSize, 3, range.local.begin());
    else if (info.requiredSubGroups)
      chooseLocalSize({info.requiredSubGroups, subGroupSize(code, device.properties())},
                      device.properties().maxWorkGroupSize, info.allowsNonUniform, range);
    else
      code.chooseLocalSize(range, device.properties());
    if (info.largestLocalSize[0] && !info.requiredLocalSize[0] && !info.requiredSubGroups)
      for (int i = 0; i < 3; ++i)
        range.local[i] = groupOfAtMost(std::min<size_t>(range.local[i], info.largestLocalSize[i]), range.global[i],
                                       info.allowsNonUniform);
  }
  checkLocalSize(range, kernel, code, device.properties());
  if (code.privateBytesOfGroup(range.local) > device.properties().privateMemorySize)
    refuse(kernel,
           nameGroup(range) + " keeps " + inMiB(code.privateBytesOfGroup(range.local)) +
               " of private data, and the device has " + inMiB(device.properties().privateMemorySize) + " for that",
           {CL_OUT_OF_RESOURCES, "the work-group's private data need more memory than there is"});
  std::uint64_t groups = 1;
  for (std::size_t i = 0; i < 3; ++i) {
    const std::uint64_t across = range.global[i] / range.local[i] + (range.global[i] % range.local[i] != 0);
    if (__builtin_mul_overflow(groups, across, &groups))
      refuse(kernel, "more work-groups than 64 bits can count",
             {CL_OUT_OF_RESOURCES, "more work-groups than can be counted"});
  }
  return range;
}

/// The kernel's code for the queue's device, ready to run with the arguments it has, if it has all.
const DeviceKernel& runnableCode(const Queue& queue, const Kernel& kernel, bool mayLackArguments = false) {
  check(&kernel.context() == &queue.context(), CL_INVALID_CONTEXT, "kernel and queue are of different contexts");
  const DeviceKernel* code = kernel.codeFor(queue.device());
  check(code, CL_INVALID_PROGRAM_EXECUTABLE, "the kernel's program is not built for the queue's device");
  check(mayLackArguments || kernel.allArgumentsSet(), CL_INVALID_KERNEL_ARGS, "not all arguments are set");
  const std::uint64_t room = queue.device().properties().localMemorySize;
  if (kernel.localBytes() > room)
    refuse(kernel,
           "a work-group uses " + inKiB(kernel.localBytes()) + " of local memory, " + inKiB(code->limits().localBytes) +
               " of which for its own variables, and the device has " + inKiB(room),
           {CL_OUT_OF_RESOURCES, "more local memory than CL_DEVICE_LOCAL_MEM_SIZE"});
  return *code;
}

void enqueueKernel(cl_command_type type, cl_command_queue rawQueue, cl_kernel rawKernel, cl_uint dimensions,
                   const size_t* offset, const size_t* global, const size_t* local, cl_uint waitCount,
                   const cl_event* waitEvents, cl_event* out) {
  const Ref<Queue> queue = object(rawQueue);
  const Ref<Kernel> kernel = object(rawKernel);
  const CheckedLaunch checked = checkLaunch(*queue, *kernel, dimensions, offset, global, local);
  Waits waits(queue->context(), waitCount, waitEvents);
  Command command = launch(*queue, *kernel, checked, /*mayTry=*/true);
  if (Captures* captures = Process::get().captures()) [[unlikely]]
    return give(captures->submit(*queue, *kernel, {type, dimensions, offset, global, local}, std::move(command), waits),
                out);
  give(queue->submit(type, std::move(command), waits, out != nullptr), out);
}

} // namespace

CheckedLaunch checkLaunch(const Queue& queue, const Kernel& kernel, cl_uint dimensions, const size_t* offset,
                          const size_t* global, const size_t* local, bool mayLackArguments) {
  const DeviceKernel& code = runnableCode(queue, kernel, mayLackArguments);
  return {code, parseRange(queue.device(), kernel, code, dimensions, offset, global, local)};
}

cl_int CL_API_CALL clEnqueueNDRangeKernel(cl_command_queue rawQueue, cl_kernel rawKernel, cl_uint dimensions,
                                          const size_t* offset, const size_t* global, const size_t* local,
                                          cl_uint waitCount, const cl_event* waitEvents, cl_event* out) {
  return callBriefly([&] {
    enqueueKernel(CL_COMMAND_NDRANGE_KERNEL, rawQueue, rawKernel, dimensions, offset, global, local, waitCount,
                  waitEvents, out);
  });
}

cl_int CL_API_CALL clGetKernelSuggestedLocalWorkSize(cl_command_queue rawQueue, cl_kernel rawKernel, cl_uint dimensions,
                                                     const size_t* offset, const size_t* global, size_t* suggested) {
  return call([&] {
    const Ref<Queue> queue = object(rawQueue);
    const Ref<Kernel> kernel = object(rawKernel);
    const DeviceKernel& code = runnableCode(*queue, *kernel);
    checkDimensions(dimensions);
    check(global && std::find(global, global + dimensions, size_t{0}) == global + dimensions,
          CL_INVALID_GLOBAL_WORK_SIZE, "a global size without work-items");
    check(suggested, CL_INVALID_VALUE, "nowhere to put the local size");
    NDRange range = parseRange(queue->device(), *kernel, code, dimensions, offset, global, nullptr);
    ArgSnapshot unused; // refuses arguments that the device cannot use
    kernel->snapshot(queue->device(), queue->home(), unused);
    std::copy_n(range.local.begin(), dimensions, suggested);
  });
}

cl_int CL_API_CALL clGetKernelSuggestedLocalWorkSizeKHR(cl_command_queue rawQueue, cl_kernel rawKernel,
                                                        cl_uint dimensions, const size_t* offset, const size_t* global,
                                                        size_t* suggested) {
  return api::clGetKernelSuggestedLocalWorkSize(rawQueue, rawKernel, dimensions, offset, global, suggested);
}

cl_int CL_API_CALL clEnqueueTask(cl_command_queue rawQueue, cl_kernel rawKernel, cl_uint waitCount,
                                 const cl_event* waitEvents, cl_event* out) {
  return callBriefly([&] {
    const size_t one = 1;
    enqueueKernel(CL_COMMAND_TASK, rawQueue, rawKernel, 1, nullptr, &one, &one, waitCount, waitEvents, out);
  });
}

cl_int CL_API_CALL clEnqueueNativeKernel(cl_command_queue rawQueue, void(CL_CALLBACK* function)(void*), void* args,
                                         size_t argsSize, cl_uint memoryCount, const cl_mem* memoryList,
                                         const void** memoryPlaces, cl_uint waitCount, const cl_event* waitEvents,
                                         cl_event* out) {
  return call([&] {
    const Ref<Queue> queue = object(rawQueue);
    check(queue->device().properties().executionCapabilities & CL_EXEC_NATIVE_KERNEL, CL_INVALID_OPERATION,
          "the device runs no native kernels");
    check(function, CL_INVALID_VALUE, "no function");
    check((args != nullptr) == (argsSize > 0), CL_INVALID_VALUE, "arguments and their size do not agree");
    check(args || memoryCount == 0, CL_INVALID_VALUE, "memory objects without arguments");
    check((memoryCount > 0) == (memoryList != nullptr) && (memoryCount > 0) == (memoryPlaces != nullptr),
          CL_INVALID_VALUE, "memory objects, their places and their number do not agree");
    HostCall host{function, nullptr, {}};
    if (args) {
      host.args.reset(new std::byte[argsSize]);
      std::memcpy(host.args.get(), args, argsSize);
    }
    const auto* original = static_cast<const std::byte*>(args);
    for (cl_uint i = 0; i < memoryCount; ++i) {
      const auto* place = static_cast<const std::byte*>(memoryPlaces[i]);
      check(place >= original && place + sizeof(void*) <= original + argsSize, CL_INVALID_VALUE,
            "a memory object's place is not in the arguments");
      std::byte* address = nullptr;
      if (memoryList[i]) {
        const Ref<MemoryObject> memory = object(memoryList[i]);
        check(&memory->context() == &queue->context(), CL_INVALID_CONTEXT,
              "memory object and queue are of different contexts");
        check(memory->isBuffer(), CL_INVALID_MEM_OBJECT, "not a buffer");
        address = memory->bytesOn(kHostHome);
        host.operands.push_back({memory, memory->range(), Access::ReadWrite});
      }
      // The places lie in the application's block; the function gets the copy.
      std::memcpy(host.args.get() + (place - original), static_cast<const void*>(&address), sizeof address);
    }
    Waits waits(queue->context(), waitCount, waitEvents);
    give(queue->submitTo(kHostHome, CL_COMMAND_NATIVE_KERNEL, std::move(host), waits), out);
  });
}

} // namespace clotho::api
