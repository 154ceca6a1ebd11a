// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "api/parse.hpp"

#include "device/private_memory.hpp"

#include <algorithm>
#include <cstring>
#include <string>

namespace clotho::api {

namespace {

/// The largest divisor of `size` that is at most `limit`.
std::uint64_t divisorUpTo(std::uint64_t size, std::uint64_t limit) {
  if (size % limit == 0) return limit;
  if (size <= limit) return size;
  if (size <= UINT32_MAX) {
    // Divisions of 32 bits take a fraction of the time.
    auto small = static_cast<std::uint32_t>(size);
    for (auto d = static_cast<std::uint32_t>(limit - 1); d > 1; --d)
      if (small % d == 0) return d;
    return 1;
  }
  for (std::uint64_t d = limit - 1; d > 1; --d)
    if (size % d == 0) return d;
  return 1;
}

/// Likewise, but a multiple of `multiple` where that is not much smaller: whole sub-groups.
std::uint64_t rowUpTo(std::uint64_t size, std::uint64_t limit, std::uint64_t multiple) {
  const std::uint64_t largest = divisorUpTo(size, limit);
  if (largest % multiple == 0 || size % multiple != 0 || limit < multiple) return largest;
  const std::uint64_t whole = multiple * divisorUpTo(size / multiple, limit / multiple);
  return 2 * whole >= largest ? whole : largest;
}

/// As few pieces of at most `limit` as there can be, of equal length but for rounding up to a multiple, and the last.
std::uint64_t pieceUpTo(std::uint64_t size, std::uint64_t limit, std::uint64_t multiple) {
  std::uint64_t pieces = size / limit + (size % limit != 0);
  std::uint64_t piece = size / pieces + (size % pieces != 0);
  return std::min((piece + multiple - 1) / multiple * multiple, limit);
}

/// Work-groups of at most `largest` work-items: large enough to hide what each costs, wide in dimension 0, where
/// neighbours in memory usually are, and several for each compute unit while there are enough work-items.
void chooseLocalSizeUpTo(std::uint64_t largest, NDRange& range, const KernelInfo& kernel,
                         const DeviceProperties& device) {
  range.local = {1, 1, 1};
  std::uint64_t items = range.global[0];
  for (int i = 1; i < 3; ++i)
    if (__builtin_mul_overflow(items, range.global[i], &items)) items = UINT64_MAX;
  std::uint64_t limit =
      std::clamp<std::uint64_t>(items / (4 * device.computeUnits), std::min<std::uint64_t>(64, largest), largest);
  // Where only small numbers divide the global size, the last work-group is shorter rather than all of them. Kernels
  // whose work-groups are run together do not mind.
  bool mayLeaveRest = kernel.allowsNonUniform && (kernel.mergedRow == 0 || kernel.directSize[0] != 0);
  // Rows that go together are in one work-group.
  std::uint64_t rows = limit >= kernel.rowsAtOnce && range.global[1] % kernel.rowsAtOnce == 0 ? kernel.rowsAtOnce : 1;
  limit /= rows;
  range.global[1] /= rows;
  for (int i = 0; i < 3 && limit > 1; ++i) {
    const std::uint64_t multiple = i == 0 ? device.preferredGroupMultiple : 1;
    range.local[i] = rowUpTo(range.global[i], limit, multiple);
    if (mayLeaveRest && range.global[i] > limit && 2 * range.local[i] <= limit)
      range.local[i] = pieceUpTo(range.global[i], limit, multiple);
    limit /= range.local[i];
  }
  range.global[1] *= rows;
  range.local[1] *= rows;
}

/// A local size for an application that leaves the choice to us. A barrier keeps the whole work-group's state, so those
/// are smaller, and every compute unit should find memory for one.
void chooseLocalSize(NDRange& range, const KernelInfo& kernel, const DeviceProperties& device) {
  std::uint64_t largest = std::min<std::uint64_t>(kernel.usesBarrier ? 64 : 256, device.maxWorkGroupSize);
  chooseLocalSizeUpTo(largest, range, kernel, device);
  const std::uint64_t share = device.privateMemorySize / device.computeUnits;
  while (largest > 1 && privateBytesOfGroup(kernel, range.local) > share)
    chooseLocalSizeUpTo(largest /= 2, range, kernel, device);
}

/// A work-group whose work-items keep more than there is memory for.
[[noreturn]] void refuseLocalSize(const NDRange& range, const Kernel& kernel, const KernelInfo& info,
                                  const DeviceProperties& device) {
  const auto inMiB = [](std::uint64_t bytes) { return std::to_string((bytes >> 20) + (bytes % (1 << 20) != 0)); };
  std::string text = "kernel '" + info.name + "': a work-group of ";
  for (cl_uint i = 0; i < range.dimensions; ++i)
    text += (i == 0 ? "" : " x ") + std::to_string(range.local[i]);
  text += " work-items keeps " + inMiB(privateBytesOfGroup(info, range.local)) +
          " MiB of private data, and the device has " + inMiB(device.privateMemorySize) + " MiB for that";
  kernel.context().report(std::move(text));
  throw Error{CL_OUT_OF_RESOURCES, "the work-group's private data need more memory than there is"};
}

void checkLocalSize(const NDRange& range, const KernelInfo& kernel, const DeviceProperties& device) {
  const std::uint32_t (&required)[3] = kernel.requiredLocalSize;
  for (int i = 0; i < 3; ++i) {
    check(range.local[i] > 0, CL_INVALID_WORK_GROUP_SIZE, "an empty work-group");
    check(range.local[i] <= device.maxWorkGroupSize, CL_INVALID_WORK_ITEM_SIZE,
          "more than CL_DEVICE_MAX_WORK_ITEM_SIZES");
    check(!required[0] || range.local[i] == required[i], CL_INVALID_WORK_GROUP_SIZE,
          "not the size that reqd_work_group_size asks for");
    check(kernel.allowsNonUniform || range.global[i] % range.local[i] == 0, CL_INVALID_WORK_GROUP_SIZE,
          "the global size is no multiple of the local size, and the program has uniform work-groups only");
  }
  check(range.groupItems() <= device.maxWorkGroupSize, CL_INVALID_WORK_GROUP_SIZE,
        "more work-items than CL_DEVICE_MAX_WORK_GROUP_SIZE");
}

void checkDimensions(cl_uint dimensions) {
  check(dimensions >= 1 && dimensions <= 3, CL_INVALID_WORK_DIMENSION, "not 1 to 3 dimensions");
}

/// Section 5.10. An empty range has no work-items: `global` has a zero then. `info`: of the kernel as it was built for
/// the device, since builds for several devices may differ.
NDRange parseRange(const Device& device, const Kernel& kernel, const KernelInfo& info, cl_uint dimensions,
                   const size_t* offset, const size_t* global, const size_t* local) {
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
  if (!local) {
    if (info.requiredLocalSize[0])
      std::copy_n(info.requiredLocalSize, 3, range.local.begin());
    else
      chooseLocalSize(range, info, device.properties());
  }
  checkLocalSize(range, info, device.properties());
  if (privateBytesOfGroup(info, range.local) > device.properties().privateMemorySize)
    refuseLocalSize(range, kernel, info, device.properties());
  std::uint64_t groups = 1;
  for (std::size_t i = 0; i < 3; ++i)
    check(!__builtin_mul_overflow(groups, range.global[i] / range.local[i] + 1, &groups), CL_OUT_OF_RESOURCES,
          "more work-groups than can be counted");
  return range;
}

/// The kernel's code for the queue's device, ready to run with the arguments it has.
const DeviceKernel& runnableCode(const Queue& queue, const Kernel& kernel) {
  check(&kernel.context() == &queue.context(), CL_INVALID_CONTEXT, "kernel and queue are of different contexts");
  const DeviceKernel* code = kernel.codeFor(queue.device());
  check(code, CL_INVALID_PROGRAM_EXECUTABLE, "the kernel's program is not built for the queue's device");
  check(kernel.allArgumentsSet(), CL_INVALID_KERNEL_ARGS, "not all arguments are set");
  check(kernel.localBytes() <= queue.device().properties().localMemorySize, CL_OUT_OF_RESOURCES,
        "more local memory than CL_DEVICE_LOCAL_MEM_SIZE");
  return *code;
}

void enqueueKernel(cl_command_type type, cl_command_queue rawQueue, cl_kernel rawKernel, cl_uint dimensions,
                   const size_t* offset, const size_t* global, const size_t* local, cl_uint waitCount,
                   const cl_event* waitEvents, cl_event* out) {
  const Ref<Queue> queue = object(rawQueue);
  const Ref<Kernel> kernel = object(rawKernel);
  Device& device = queue->device();
  const DeviceKernel& code = runnableCode(*queue, *kernel);
  NDRange range = parseRange(device, *kernel, code.info(), dimensions, offset, global, local);
  Waits waits(queue->context(), waitCount, waitEvents);
  Command command = Nothing{};
  if (range.global[0] && range.global[1] && range.global[2]) {
    Launch& launch = command.emplace<Launch>();
    launch.kernel = &code;
    launch.program = &kernel->program();
    launch.referencesId = kernel->referencesId();
    kernel->snapshot(device, launch.args);
    launch.range = range;
  }
  give(queue->submit(type, std::move(command), waits, out != nullptr), out);
}

} // namespace

cl_int CL_API_CALL clEnqueueNDRangeKernel(cl_command_queue rawQueue, cl_kernel rawKernel, cl_uint dimensions,
                                          const size_t* offset, const size_t* global, const size_t* local,
                                          cl_uint waitCount, const cl_event* waitEvents, cl_event* out) {
  return callBriefly([&] {
    enqueueKernel(CL_COMMAND_NDRANGE_KERNEL, rawQueue, rawKernel, dimensions, offset, global, local, waitCount,
                  waitEvents, out);
  });
}

cl_int CL_API_CALL clGetKernelSuggestedLocalWorkSizeKHR(cl_command_queue rawQueue, cl_kernel rawKernel,
                                                        cl_uint dimensions, const size_t* offset, const size_t* global,
                                                        size_t* suggested) {
  return call([&] {
    const Ref<Queue> queue = object(rawQueue);
    const Ref<Kernel> kernel = object(rawKernel);
    const DeviceKernel& code = runnableCode(*queue, *kernel);
    checkDimensions(dimensions);
    check(global && std::find(global, global + dimensions, size_t{0}) == global + dimensions,
          CL_INVALID_GLOBAL_WORK_SIZE, "a global size without work-items");
    check(suggested, CL_INVALID_VALUE, "nowhere to put the local size");
    NDRange range = parseRange(queue->device(), *kernel, code.info(), dimensions, offset, global, nullptr);
    std::copy_n(range.local.begin(), dimensions, suggested);
  });
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
        address = memory->hostBytes();
        host.objects.push_back(memory);
      }
      // The places lie in the application's block; the function gets the copy.
      std::memcpy(host.args.get() + (place - original), static_cast<const void*>(&address), sizeof address);
    }
    Waits waits(queue->context(), waitCount, waitEvents);
    give(queue->submit(CL_COMMAND_NATIVE_KERNEL, std::move(host), waits), out);
  });
}

} // namespace clotho::api
