// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Recording commands to command buffers (cl_khr_command_buffer).
#include "api/command_buffer.hpp"
#include "api/shared_memory.hpp"

namespace clotho::api {

namespace {

using Properties = khr::cl_command_properties_khr;

/// The command buffer and the queue that a command is recorded for.
struct Place {
  Place(cl_command_buffer_khr rawBuffer, cl_command_queue rawQueue) : buffer(object(rawBuffer)) {
    const std::vector<Ref<Queue>>& queues = buffer->queues();
    if (!rawQueue) {
      check(queues.size() == 1, CL_INVALID_COMMAND_QUEUE, "the command buffer has several queues, and none is named");
    } else {
      const Ref<Queue> queue = object(rawQueue);
      check(&queue->context() == &buffer->context(), CL_INVALID_CONTEXT,
            "queue and command buffer are of different contexts");
      while (lane < queues.size() && queues[lane] != queue)
        ++lane;
      check(lane < queues.size(), CL_INVALID_COMMAND_QUEUE, "not a queue of the command buffer");
    }
    buffer->checkRecording();
  }
  const Queue& queue() const { return *buffer->queues()[lane]; }

  const Ref<CommandBuffer> buffer;
  std::uint32_t lane = 0;
};

/// A command's place in the order.
struct SyncPoints {
  cl_uint count;
  const cl_sync_point_khr* list;
  cl_sync_point_khr* out;
};

void record(const Place& place, CommandBuffer::Command command, const SyncPoints& points, bool isBarrier,
            cl_mutable_command_khr* handle) {
  check((points.count == 0) == (points.list == nullptr), CL_INVALID_SYNC_POINT_WAIT_LIST_KHR,
        "sync points and their number do not agree");
  const cl_sync_point_khr point =
      place.buffer->record(std::move(command), {points.list, points.count}, isBarrier, handle);
  if (points.out) *points.out = point;
}

/// Records a command of those without properties and without handles; `make` gives it for a queue.
template <class Make>
cl_int recordPlain(cl_command_type type, cl_command_buffer_khr rawBuffer, cl_command_queue rawQueue,
                   const Properties* properties, const SyncPoints& points, const cl_mutable_command_khr* handle,
                   Make&& make, const char* function = __builtin_FUNCTION()) {
  return call(
      [&] {
        const Place place(rawBuffer, rawQueue);
        check(!properties || *properties == 0, CL_INVALID_VALUE, "unknown property");
        check(!handle, CL_INVALID_VALUE, "the command cannot be updated and has no handle");
        auto command = Ref<RecordedCommand>::adopt(new RecordedCommand(make(place.queue())));
        record(place,
               {.type = type,
                .lane = place.lane,
                .propertyList = {},
                .command = std::move(command),
                .dispatch = {},
                .after = {},
                .handle = {}},
               points, type == CL_COMMAND_BARRIER, nullptr);
      },
      function);
}

/// The fields of a launch that may be updated.
cl_mutable_dispatch_fields_khr parseFields(const CommandBuffer& buffer, const Properties* list, bool hasLocal,
                                           bool& mayLackArguments) {
  Properties fields = kMutableFields, asserts = 0;
  parseProperties<Properties>(
      list, {{CL_MUTABLE_DISPATCH_UPDATABLE_FIELDS_KHR, &fields}, {CL_MUTABLE_DISPATCH_ASSERTS_KHR, &asserts}});
  constexpr Properties kNoMoreGroups = CL_MUTABLE_DISPATCH_ASSERT_NO_ADDITIONAL_WORK_GROUPS_KHR;
  check(!(asserts & ~kNoMoreGroups), CL_INVALID_VALUE, "unknown assertion");
  check(!(fields & ~Properties{kMutableFields}), CL_INVALID_OPERATION, "a field that cannot be updated");
  check(hasLocal || !((asserts | buffer.traits().asserts) & kNoMoreGroups), CL_INVALID_VALUE,
        "the number of work-groups is not known without a local size");
  // The default does not count here: who sets arguments later has to say so.
  mayLackArguments = false;
  for (const Properties* p = list; p && *p; p += 2)
    if (*p == CL_MUTABLE_DISPATCH_UPDATABLE_FIELDS_KHR)
      mayLackArguments = (fields & CL_MUTABLE_DISPATCH_ARGUMENTS_KHR) != 0;
  return fields;
}

} // namespace

CheckedLaunch checkDispatch(const Queue& queue, const Dispatch& dispatch, bool mayLackArguments) {
  return checkLaunch(queue, *dispatch.state, dispatch.dimensions, dispatch.offset.data(), dispatch.global.data(),
                     dispatch.hasLocal ? dispatch.local.data() : nullptr, mayLackArguments);
}

Ref<RecordedCommand> recordedLaunch(const Queue& queue, const Dispatch& dispatch, const CheckedLaunch& checked) {
  if (!dispatch.state->allArgumentsSet()) return {};
  return Ref<RecordedCommand>::adopt(new RecordedCommand(launch(queue, *dispatch.state, checked, /*mayTry=*/false)));
}

cl_int CL_API_CALL clCommandBarrierWithWaitListKHR(cl_command_buffer_khr rawBuffer, cl_command_queue rawQueue,
                                                   const Properties* properties, cl_uint pointCount,
                                                   const cl_sync_point_khr* points, cl_sync_point_khr* out,
                                                   cl_mutable_command_khr* handle) {
  return recordPlain(CL_COMMAND_BARRIER, rawBuffer, rawQueue, properties, {pointCount, points, out}, handle,
                     [](const Queue&) -> Command { return Nothing{}; });
}

cl_int CL_API_CALL clCommandCopyBufferKHR(cl_command_buffer_khr rawBuffer, cl_command_queue rawQueue,
                                          const Properties* properties, cl_mem rawSource, cl_mem rawTarget,
                                          size_t sourceOffset, size_t targetOffset, size_t size, cl_uint pointCount,
                                          const cl_sync_point_khr* points, cl_sync_point_khr* out,
                                          cl_mutable_command_khr* handle) {
  return recordPlain(
      CL_COMMAND_COPY_BUFFER, rawBuffer, rawQueue, properties, {pointCount, points, out}, handle,
      [&](const Queue& queue) { return copyBuffer(queue, rawSource, rawTarget, sourceOffset, targetOffset, size); });
}

cl_int CL_API_CALL clCommandCopyBufferRectKHR(cl_command_buffer_khr rawBuffer, cl_command_queue rawQueue,
                                              const Properties* properties, cl_mem rawSource, cl_mem rawTarget,
                                              const size_t* sourceOrigin, const size_t* targetOrigin,
                                              const size_t* region, size_t sourceRowPitch, size_t sourceSlicePitch,
                                              size_t targetRowPitch, size_t targetSlicePitch, cl_uint pointCount,
                                              const cl_sync_point_khr* points, cl_sync_point_khr* out,
                                              cl_mutable_command_khr* handle) {
  return recordPlain(CL_COMMAND_COPY_BUFFER_RECT, rawBuffer, rawQueue, properties, {pointCount, points, out}, handle,
                     [&](const Queue& queue) {
                       return copyBufferRect(queue, rawSource, rawTarget, sourceOrigin, targetOrigin, region,
                                             sourceRowPitch, sourceSlicePitch, targetRowPitch, targetSlicePitch);
                     });
}

cl_int CL_API_CALL clCommandCopyBufferToImageKHR(cl_command_buffer_khr rawBuffer, cl_command_queue rawQueue,
                                                 const Properties* properties, cl_mem rawSource, cl_mem rawImage,
                                                 size_t offset, const size_t* origin, const size_t* region,
                                                 cl_uint pointCount, const cl_sync_point_khr* points,
                                                 cl_sync_point_khr* out, cl_mutable_command_khr* handle) {
  return recordPlain(
      CL_COMMAND_COPY_BUFFER_TO_IMAGE, rawBuffer, rawQueue, properties, {pointCount, points, out}, handle,
      [&](const Queue& queue) { return copyBufferToImage(queue, rawSource, rawImage, offset, origin, region); });
}

cl_int CL_API_CALL clCommandCopyImageKHR(cl_command_buffer_khr rawBuffer, cl_command_queue rawQueue,
                                         const Properties* properties, cl_mem rawSource, cl_mem rawTarget,
                                         const size_t* sourceOrigin, const size_t* targetOrigin, const size_t* region,
                                         cl_uint pointCount, const cl_sync_point_khr* points, cl_sync_point_khr* out,
                                         cl_mutable_command_khr* handle) {
  return recordPlain(
      CL_COMMAND_COPY_IMAGE, rawBuffer, rawQueue, properties, {pointCount, points, out}, handle,
      [&](const Queue& queue) { return copyImage(queue, rawSource, rawTarget, sourceOrigin, targetOrigin, region); });
}

cl_int CL_API_CALL clCommandCopyImageToBufferKHR(cl_command_buffer_khr rawBuffer, cl_command_queue rawQueue,
                                                 const Properties* properties, cl_mem rawImage, cl_mem rawTarget,
                                                 const size_t* origin, const size_t* region, size_t offset,
                                                 cl_uint pointCount, const cl_sync_point_khr* points,
                                                 cl_sync_point_khr* out, cl_mutable_command_khr* handle) {
  return recordPlain(
      CL_COMMAND_COPY_IMAGE_TO_BUFFER, rawBuffer, rawQueue, properties, {pointCount, points, out}, handle,
      [&](const Queue& queue) { return copyImageToBuffer(queue, rawImage, rawTarget, origin, region, offset); });
}

cl_int CL_API_CALL clCommandFillBufferKHR(cl_command_buffer_khr rawBuffer, cl_command_queue rawQueue,
                                          const Properties* properties, cl_mem rawTarget, const void* pattern,
                                          size_t patternSize, size_t offset, size_t size, cl_uint pointCount,
                                          const cl_sync_point_khr* points, cl_sync_point_khr* out,
                                          cl_mutable_command_khr* handle) {
  return recordPlain(
      CL_COMMAND_FILL_BUFFER, rawBuffer, rawQueue, properties, {pointCount, points, out}, handle,
      [&](const Queue& queue) { return fillBuffer(queue, rawTarget, pattern, patternSize, offset, size); });
}

cl_int CL_API_CALL clCommandFillImageKHR(cl_command_buffer_khr rawBuffer, cl_command_queue rawQueue,
                                         const Properties* properties, cl_mem rawImage, const void* colour,
                                         const size_t* origin, const size_t* region, cl_uint pointCount,
                                         const cl_sync_point_khr* points, cl_sync_point_khr* out,
                                         cl_mutable_command_khr* handle) {
  return recordPlain(CL_COMMAND_FILL_IMAGE, rawBuffer, rawQueue, properties, {pointCount, points, out}, handle,
                     [&](const Queue& queue) { return fillImage(queue, rawImage, colour, origin, region); });
}

cl_int CL_API_CALL clCommandSVMMemcpyKHR(cl_command_buffer_khr rawBuffer, cl_command_queue rawQueue,
                                         const Properties* properties, void* target, const void* source, size_t size,
                                         cl_uint pointCount, const cl_sync_point_khr* points, cl_sync_point_khr* out,
                                         cl_mutable_command_khr* handle) {
  return recordPlain(CL_COMMAND_SVM_MEMCPY, rawBuffer, rawQueue, properties, {pointCount, points, out}, handle,
                     [&](const Queue& queue) {
                       checkShares(queue);
                       return copyAddresses(target, source, size);
                     });
}

cl_int CL_API_CALL clCommandSVMMemFillKHR(cl_command_buffer_khr rawBuffer, cl_command_queue rawQueue,
                                          const Properties* properties, void* target, const void* pattern,
                                          size_t patternSize, size_t size, cl_uint pointCount,
                                          const cl_sync_point_khr* points, cl_sync_point_khr* out,
                                          cl_mutable_command_khr* handle) {
  return recordPlain(CL_COMMAND_SVM_MEMFILL, rawBuffer, rawQueue, properties, {pointCount, points, out}, handle,
                     [&](const Queue& queue) {
                       checkShares(queue);
                       return fillAddresses(target, pattern, patternSize, size);
                     });
}

cl_int CL_API_CALL clCommandNDRangeKernelKHR(cl_command_buffer_khr rawBuffer, cl_command_queue rawQueue,
                                             const Properties* properties, cl_kernel rawKernel, cl_uint dimensions,
                                             const size_t* offset, const size_t* global, const size_t* local,
                                             cl_uint pointCount, const cl_sync_point_khr* points,
                                             cl_sync_point_khr* out, cl_mutable_command_khr* handle) {
  return call([&] {
    const Place place(rawBuffer, rawQueue);
    bool mayLackArguments;
    Dispatch dispatch;
    dispatch.fields = parseFields(*place.buffer, properties, local != nullptr, mayLackArguments);
    dispatch.kernel = object(rawKernel);
    check(&dispatch.kernel->context() == &place.buffer->context(), CL_INVALID_CONTEXT,
          "kernel and command buffer are of different contexts");
    check(dimensions >= 1 && dimensions <= 3, CL_INVALID_WORK_DIMENSION, "not 1 to 3 dimensions");
    dispatch.state = make<Kernel>(Kernel::CloneOf{*dispatch.kernel});
    dispatch.dimensions = dimensions;
    dispatch.hasLocal = local != nullptr;
    for (cl_uint i = 0; i < dimensions; ++i) {
      if (offset) dispatch.offset[i] = offset[i];
      if (global) dispatch.global[i] = global[i];
      if (local) dispatch.local[i] = local[i];
    }
    const CheckedLaunch checked = checkDispatch(place.queue(), dispatch, mayLackArguments);
    dispatch.range = checked.range;
    Ref<RecordedCommand> command = recordedLaunch(place.queue(), dispatch, checked);
    record(place,
           {.type = CL_COMMAND_NDRANGE_KERNEL,
            .lane = place.lane,
            .propertyList = propertyList(properties),
            .command = std::move(command),
            .dispatch = std::move(dispatch),
            .after = {},
            .handle = {}},
           {pointCount, points, out}, false, handle);
  });
}

} // namespace clotho::api
