// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A process that may map little has few events. A command for which there is none is refused completely; waiting
// commands are not disturbed, and once there are events again everything works.
#include "guest.hpp"

#include <sys/resource.h>
#include <unistd.h>
#include <vector>

namespace {

cl_event userEvent(const guest::Session& session, cl_int& status) {
  return clCreateUserEvent(session.context, &status);
}

cl_int statusOf(cl_event event) {
  cl_int status = 1;
  REQUIRE(clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, nullptr) == CL_SUCCESS);
  return status;
}

} // namespace

int main() {
  alarm(120);
  const rlimit little{rlim_t{4} << 30, rlim_t{4} << 30};
  REQUIRE(setrlimit(RLIMIT_AS, &little) == 0);
  const guest::Session session;
  guest::computeSomething(session, 1);
  cl_int status = 1;
  for (int round = 0; round < 3; ++round) {
    cl_command_queue queue =
        clCreateCommandQueue(session.context, session.device, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, &status);
    REQUIRE(status == CL_SUCCESS);
    cl_event gate = userEvent(session, status);
    REQUIRE(status == CL_SUCCESS);
    std::vector<cl_event> taken;
    for (cl_event event; (event = userEvent(session, status)) != nullptr;)
      taken.push_back(event);
    REQUIRE(status == CL_OUT_OF_HOST_MEMORY);
    REQUIRE(taken.size() > 1000);
    auto giveBack = [&](int count) {
      for (; count > 0; --count) {
        REQUIRE(clReleaseEvent(taken.back()) == CL_SUCCESS);
        taken.pop_back();
      }
    };
    // One for the command, and none for what the queue wants to know of it.
    giveBack(1);
    REQUIRE(clEnqueueMarkerWithWaitList(queue, 1, &gate, nullptr) == CL_OUT_OF_HOST_MEMORY);
    REQUIRE(clEnqueueBarrierWithWaitList(queue, 1, &gate, nullptr) == CL_OUT_OF_HOST_MEMORY);
    REQUIRE(clFinish(queue) == CL_OUT_OF_HOST_MEMORY);
    giveBack(1);
    cl_event waiting = nullptr, more = nullptr;
    REQUIRE(clEnqueueMarkerWithWaitList(queue, 1, &gate, &waiting) == CL_SUCCESS);
    REQUIRE(clEnqueueMarkerWithWaitList(queue, 1, &gate, &more) == CL_OUT_OF_HOST_MEMORY);
    // Neither of these may lose what comes before it.
    REQUIRE(clEnqueueBarrierWithWaitList(queue, 0, nullptr, &more) == CL_OUT_OF_HOST_MEMORY);
    REQUIRE(clFinish(queue) == CL_OUT_OF_HOST_MEMORY);
    REQUIRE(more == nullptr);
    giveBack(1);
    REQUIRE(clEnqueueBarrierWithWaitList(queue, 0, nullptr, &more) == CL_SUCCESS);
    REQUIRE(statusOf(waiting) > CL_RUNNING);
    REQUIRE(statusOf(more) > CL_RUNNING);
    const bool fails = round == 1;
    REQUIRE(clSetUserEventStatus(gate, fails ? -5 : CL_COMPLETE) == CL_SUCCESS);
    REQUIRE(clWaitForEvents(1, &more) == CL_SUCCESS);
    REQUIRE(statusOf(waiting) == (fails ? CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST : CL_COMPLETE));
    for (cl_event event : {gate, waiting, more})
      REQUIRE(clReleaseEvent(event) == CL_SUCCESS);
    giveBack(static_cast<int>(taken.size()));
    REQUIRE(clFinish(queue) == CL_SUCCESS);
    REQUIRE(clReleaseCommandQueue(queue) == CL_SUCCESS);
    guest::computeSomething(session, round);
  }
  return 0;
}
