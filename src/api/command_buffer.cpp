// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Command buffers as objects (cl_khr_command_buffer): made, finalized, enqueued, asked.
#include "api/command_buffer.hpp"
#include "runtime/capture/captures.hpp"

namespace clotho::api {

namespace {

CommandBuffer::Traits parseTraits(const cl_command_buffer_properties_khr* list) {
  constexpr cl_command_buffer_flags_khr kFlags =
      CL_COMMAND_BUFFER_SIMULTANEOUS_USE_KHR | CL_COMMAND_BUFFER_MUTABLE_KHR | CL_COMMAND_BUFFER_DEVICE_SIDE_SYNC_KHR;
  CommandBuffer::Traits traits;
  parseProperties<cl_command_buffer_properties_khr>(
      list, {{CL_COMMAND_BUFFER_FLAGS_KHR, &traits.flags},
             {CL_COMMAND_BUFFER_MUTABLE_DISPATCH_ASSERTS_KHR, &traits.asserts}});
  check(!(traits.flags & ~kFlags), CL_INVALID_VALUE, "unknown flag of a command buffer");
  check(!(traits.asserts & ~cl_bitfield{CL_MUTABLE_DISPATCH_ASSERT_NO_ADDITIONAL_WORK_GROUPS_KHR}), CL_INVALID_VALUE,
        "unknown assertion");
  traits.propertyList = propertyList(list);
  return traits;
}

/// A queue in the place of another one.
Ref<Queue> substituteFor(const Queue& own, cl_command_queue rawQueue) {
  Ref<Queue> queue = object(rawQueue);
  check(&queue->context() == &own.context(), CL_INVALID_CONTEXT,
        "a queue is of another context than the one before it");
  check(&queue->device() == &own.device(), CL_INVALID_DEVICE, "a queue is of another device than the one before it");
  check(!(queue->properties() & ~kCommandBufferQueueProperties), CL_INCOMPATIBLE_COMMAND_QUEUE_KHR,
        "a queue has properties with which it runs no command buffers");
  return queue;
}

std::vector<Ref<Queue>> substituteQueues(const CommandBuffer& buffer, cl_uint count, const cl_command_queue* list) {
  check((count == 0) == (list == nullptr), CL_INVALID_VALUE, "queues and their number do not agree");
  const std::vector<Ref<Queue>>& own = buffer.queues();
  if (!list) return own;
  check(count == own.size(), CL_INVALID_VALUE, "not as many queues as the command buffer was made with");
  std::vector<Ref<Queue>> queues;
  queues.reserve(count);
  for (cl_uint i = 0; i < count; ++i)
    queues.push_back(substituteFor(*own[i], list[i]));
  return queues;
}

} // namespace

cl_command_buffer_khr CL_API_CALL clCreateCommandBufferKHR(cl_uint count, const cl_command_queue* list,
                                                           const cl_command_buffer_properties_khr* properties,
                                                           cl_int* status) {
  return create(status, [&] {
    check(count > 0 && list, CL_INVALID_VALUE, "no queues");
    std::vector<Ref<Queue>> queues;
    for (cl_uint i = 0; i < count; ++i) {
      queues.push_back(object(list[i]));
      check(&queues.back()->context() == &queues.front()->context(), CL_INVALID_CONTEXT,
            "the queues are of different contexts");
      const Claims& claims = queues.back()->device().claims();
      check(claims.has(claims::rowOf("cl_khr_command_buffer")), CL_INCOMPATIBLE_COMMAND_QUEUE_KHR,
            "a queue's device has no command buffers");
    }
    return handOut(make<CommandBuffer>(std::move(queues), parseTraits(properties)));
  });
}

cl_int CL_API_CALL clRetainCommandBufferKHR(cl_command_buffer_khr rawBuffer) {
  return call([&] { retain(rawBuffer); });
}

cl_int CL_API_CALL clReleaseCommandBufferKHR(cl_command_buffer_khr rawBuffer) {
  return call([&] { release(rawBuffer); });
}

cl_int CL_API_CALL clFinalizeCommandBufferKHR(cl_command_buffer_khr rawBuffer) {
  return call([&] { object(rawBuffer)->finalize(); });
}

cl_int CL_API_CALL clEnqueueCommandBufferKHR(cl_uint count, cl_command_queue* list, cl_command_buffer_khr rawBuffer,
                                             cl_uint waitCount, const cl_event* waitEvents, cl_event* out) {
  return callBriefly([&] {
    const Ref<CommandBuffer> buffer = object(rawBuffer);
    const std::vector<Ref<Queue>> queues = substituteQueues(*buffer, count, list);
    Waits waits(buffer->context(), waitCount, waitEvents);
    give(buffer->enqueue(queues, waits, out != nullptr), out);
  });
}

cl_int CL_API_CALL clGetCommandBufferInfoKHR(cl_command_buffer_khr rawBuffer, cl_command_buffer_info_khr name,
                                             size_t size, void* value, size_t* sizeReturned) {
  return call([&] {
    const Ref<CommandBuffer> buffer = object(rawBuffer);
    InfoSink out(size, value, sizeReturned);
    switch (name) {
    case CL_COMMAND_BUFFER_NUM_QUEUES_KHR: return out.put<cl_uint>(static_cast<cl_uint>(buffer->queues().size()));
    case CL_COMMAND_BUFFER_QUEUES_KHR: {
      std::vector<cl_command_queue> queues;
      for (const Ref<Queue>& queue : buffer->queues())
        queues.push_back(queue.get());
      return out.list<cl_command_queue>(queues);
    }
    case CL_COMMAND_BUFFER_REFERENCE_COUNT_KHR: return out.put<cl_uint>(buffer->apiRefs());
    case CL_COMMAND_BUFFER_STATE_KHR: return out.put<cl_command_buffer_state_khr>(buffer->state());
    case CL_COMMAND_BUFFER_PROPERTIES_ARRAY_KHR:
      return out.list<cl_command_buffer_properties_khr>(buffer->traits().propertyList);
    case CL_COMMAND_BUFFER_CONTEXT_KHR: return out.put<cl_context>(&buffer->context());
    default: throw Error{CL_INVALID_VALUE, "unknown cl_command_buffer_info_khr"};
    }
  });
}

} // namespace clotho::api
