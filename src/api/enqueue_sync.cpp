// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Markers and barriers, of OpenCL 1.2 and of before.
#include "api/parse.hpp"

namespace clotho::api {

cl_int CL_API_CALL clEnqueueMarkerWithWaitList(cl_command_queue rawQueue, cl_uint waitCount, const cl_event* waitEvents,
                                               cl_event* out) {
  return call([&] {
    const Ref<Queue> queue = object(rawQueue);
    Waits waits(queue->context(), waitCount, waitEvents);
    give(queue->marker(CL_COMMAND_MARKER, waits), out);
  });
}

cl_int CL_API_CALL clEnqueueBarrierWithWaitList(cl_command_queue rawQueue, cl_uint waitCount,
                                                const cl_event* waitEvents, cl_event* out) {
  return call([&] {
    const Ref<Queue> queue = object(rawQueue);
    Waits waits(queue->context(), waitCount, waitEvents);
    give(queue->barrier(CL_COMMAND_BARRIER, waits), out);
  });
}

cl_int CL_API_CALL clEnqueueMarker(cl_command_queue rawQueue, cl_event* out) {
  return call([&] {
    const Ref<Queue> queue = object(rawQueue);
    check(out, CL_INVALID_VALUE, "nowhere to put the event");
    give(queue->marker(CL_COMMAND_MARKER, {}), out);
  });
}

cl_int CL_API_CALL clEnqueueBarrier(cl_command_queue rawQueue) {
  return call([&] { object(rawQueue)->barrier(CL_COMMAND_BARRIER, {}); });
}

cl_int CL_API_CALL clEnqueueWaitForEvents(cl_command_queue rawQueue, cl_uint count, const cl_event* list) {
  return call([&] {
    const Ref<Queue> queue = object(rawQueue);
    check(count > 0 && list, CL_INVALID_VALUE, "no events");
    for (cl_uint i = 0; i < count; ++i)
      checkHandle(list[i]);
    Waits waits(queue->context(), count, list);
    queue->barrier(CL_COMMAND_BARRIER, waits);
  });
}

} // namespace clotho::api
