// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Memory objects of other programs and drivers are taken over and given back (cl_khr_external_memory).
#include "api/parse.hpp"

#include <cstring>

namespace clotho::api {

namespace {

/// The function of a HostCall; its arguments are a number, and so many pointers.
template <bool begins> void CL_CALLBACK announce(void* args) {
  std::size_t count = 0;
  std::memcpy(&count, args, sizeof count);
  const auto* place = static_cast<const std::byte*>(args) + sizeof count;
  for (std::size_t i = 0; i < count; ++i, place += sizeof(void*)) {
    const ExternalMemory* memory = nullptr;
    std::memcpy(static_cast<void*>(&memory), place, sizeof(void*));
    memory->announce(begins);
  }
}

/// As bytes, as a HostCall has its arguments. The operands keep what they point to.
std::unique_ptr<std::byte[]> argumentsOf(const std::vector<const ExternalMemory*>& announced) {
  const std::size_t count = announced.size();
  std::unique_ptr<std::byte[]> args(new std::byte[sizeof count + count * sizeof(void*)]);
  std::memcpy(args.get(), &count, sizeof count);
  std::memcpy(args.get() + sizeof count, static_cast<const void*>(announced.data()), count * sizeof(void*));
  return args;
}

Ref<MemoryObject> externalFor(const Queue& queue, cl_mem raw) {
  Ref<MemoryObject> memory = object(raw);
  check(memory->external(), CL_INVALID_MEM_OBJECT, "not made of external memory");
  if (&memory->context() != &queue.context()) {
    check(memory->context().has(queue.device()), CL_INVALID_COMMAND_QUEUE,
          "the memory object's context does not have the queue's device");
    throw Error{CL_INVALID_CONTEXT, "memory object and queue are of different contexts"};
  }
  check(memory->external()->isFor(queue.device()), CL_INVALID_COMMAND_QUEUE, "the memory is for other devices");
  return memory;
}

/// The application's view of the bytes is the host's home. What others wrote is valid there alone, from the acquire on;
/// what devices wrote is valid there, too, after the release.
template <bool acquires>
void handOver(cl_command_type type, cl_command_queue rawQueue, cl_uint count, const cl_mem* list, cl_uint waitCount,
              const cl_event* waitEvents, cl_event* out) {
  const Ref<Queue> queue = object(rawQueue);
  check((count > 0) == (list != nullptr), CL_INVALID_VALUE, "memory objects and their number do not agree");
  std::vector<Operand> operands;
  std::vector<const ExternalMemory*> announced;
  for (cl_uint i = 0; i < count; ++i) {
    const Ref<MemoryObject> memory = externalFor(*queue, list[i]);
    operands.push_back({memory, memory->range(), acquires ? Access::Discard : Access::Read});
    if (memory->external()->isAnnounced()) announced.push_back(memory->external());
  }
  Waits waits(queue->context(), waitCount, waitEvents);
  for (const Event* event : WaitList(waits))
    check(event->status() >= 0, CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST, "an event of the wait list has failed");
  Command command = Nothing{};
  if (!announced.empty()) // which may have to wait for other drivers: not on a thread of the device's
    command = HostCall{announce<acquires>, argumentsOf(announced), std::move(operands)};
  else if (!operands.empty())
    command = Migrate{std::move(operands)};
  give(queue->submitTo(kHostHome, type, std::move(command), waits, out != nullptr), out);
}

} // namespace

cl_int CL_API_CALL clEnqueueAcquireExternalMemObjectsKHR(cl_command_queue rawQueue, cl_uint count, const cl_mem* list,
                                                         cl_uint waitCount, const cl_event* waitEvents, cl_event* out) {
  return call([&] {
    handOver<true>(CL_COMMAND_ACQUIRE_EXTERNAL_MEM_OBJECTS_KHR, rawQueue, count, list, waitCount, waitEvents, out);
  });
}

cl_int CL_API_CALL clEnqueueReleaseExternalMemObjectsKHR(cl_command_queue rawQueue, cl_uint count, const cl_mem* list,
                                                         cl_uint waitCount, const cl_event* waitEvents, cl_event* out) {
  return call([&] {
    handOver<false>(CL_COMMAND_RELEASE_EXTERNAL_MEM_OBJECTS_KHR, rawQueue, count, list, waitCount, waitEvents, out);
  });
}

} // namespace clotho::api
