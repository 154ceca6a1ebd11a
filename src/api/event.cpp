// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "api/parse.hpp"

namespace clotho::api {

cl_event CL_API_CALL clCreateUserEvent(cl_context rawContext, cl_int* status) {
  return create(
      status, [&] { return handOut(make<Event>(*object(rawContext), nullptr, CL_COMMAND_USER, Command(Nothing{}))); });
}

cl_int CL_API_CALL clSetUserEventStatus(cl_event rawEvent, cl_int executionStatus) {
  return call([&] {
    const Ref<Event> event = object(rawEvent);
    check(event->type() == CL_COMMAND_USER, CL_INVALID_EVENT, "not a user event");
    check(executionStatus <= CL_COMPLETE, CL_INVALID_VALUE, "a user event becomes CL_COMPLETE or an error");
    check(event->setUserStatus(executionStatus), CL_INVALID_OPERATION, "the status was set before");
  });
}

cl_int CL_API_CALL clWaitForEvents(cl_uint count, const cl_event* list) {
  return call([&] {
    Waits events(count, list);
    static constinit const trace::Name kWait("clWaitForEvents");
    const trace::Scope traced(kWait);
    bool failed = false;
    for (Event* event : WaitList(events))
      failed |= event->wait() < 0;
    check(!failed, CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST, "an event of the list failed");
  });
}

cl_int CL_API_CALL clGetEventInfo(cl_event rawEvent, cl_event_info name, size_t size, void* value,
                                  size_t* sizeReturned) {
  return call([&] {
    const Ref<Event> event = object(rawEvent);
    InfoSink out(size, value, sizeReturned);
    switch (name) {
    case CL_EVENT_COMMAND_QUEUE:
      return out.put<cl_command_queue>(event->isOfSeveralQueues() ? nullptr : event->queue());
    case CL_EVENT_CONTEXT: return out.put<cl_context>(&event->context());
    case CL_EVENT_COMMAND_TYPE: return out.put<cl_command_type>(event->type());
    case CL_EVENT_COMMAND_EXECUTION_STATUS: return out.put<cl_int>(event->status());
    case CL_EVENT_REFERENCE_COUNT: return out.put<cl_uint>(event->apiRefs());
    default: throw Error{CL_INVALID_VALUE, "unknown cl_event_info"};
    }
  });
}

cl_int CL_API_CALL clRetainEvent(cl_event rawEvent) {
  return call([&] { retain(rawEvent); });
}

cl_int CL_API_CALL clReleaseEvent(cl_event rawEvent) {
  return call([&] { release(rawEvent); });
}

cl_int CL_API_CALL clSetEventCallback(cl_event rawEvent, cl_int status, Event::Callback function, void* userData) {
  return call([&] {
    const Ref<Event> event = object(rawEvent);
    check(function, CL_INVALID_VALUE, "no callback");
    check(status == CL_SUBMITTED || status == CL_RUNNING || status == CL_COMPLETE, CL_INVALID_VALUE,
          "callbacks are for CL_SUBMITTED, CL_RUNNING and CL_COMPLETE");
    event->addCallback(status, function, userData);
  });
}

cl_int CL_API_CALL clGetEventProfilingInfo(cl_event rawEvent, cl_profiling_info name, size_t size, void* value,
                                           size_t* sizeReturned) {
  return call([&] {
    const Ref<Event> event = object(rawEvent);
    InfoSink out(size, value, sizeReturned);
    check(event->hasProfiling(), CL_PROFILING_INFO_NOT_AVAILABLE,
          "not complete, not profiled by its queue, or a user event");
    out.put<cl_ulong>(event->profilingTime(name));
  });
}

} // namespace clotho::api
