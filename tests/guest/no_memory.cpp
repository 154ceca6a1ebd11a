// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Without memory a callback cannot be registered, and the call says so; but one that is registered comes in any case.
#include "guest.hpp"

#include "failing_new.hpp"

#include <unistd.h>

namespace {

std::atomic<int> called{0};
void CL_CALLBACK count(cl_event, cl_int, void*) { ++called; }

} // namespace

int main() {
  alarm(60);
  constexpr int kCallbacks = 100;
  const guest::Session session;
  cl_int status = CL_SUCCESS;
  cl_event gate = clCreateUserEvent(session.context, &status), marker = nullptr;
  REQUIRE(status == CL_SUCCESS);
  REQUIRE(clEnqueueMarkerWithWaitList(session.queue, 1, &gate, &marker) == CL_SUCCESS);
  for (int i = 0; i < kCallbacks; ++i) {
    REQUIRE(clSetEventCallback(gate, CL_COMPLETE, count, nullptr) == CL_SUCCESS);
    REQUIRE(clSetEventCallback(marker, i % 2 ? CL_RUNNING : CL_COMPLETE, count, nullptr) == CL_SUCCESS);
  }
  // The thread that they will run on is there.
  REQUIRE(clSetEventCallback(marker, CL_SUBMITTED, count, nullptr) == CL_SUCCESS);
  while (called == 0)
    usleep(100);

  guest::newFails = true;
  const cl_int refused = clSetEventCallback(marker, CL_COMPLETE, count, nullptr);
  const cl_int set = clSetUserEventStatus(gate, CL_COMPLETE), waited = clWaitForEvents(1, &marker);
  while (called < 2 * kCallbacks + 1)
    usleep(100);
  guest::newFails = false;
  REQUIRE(refused == CL_OUT_OF_HOST_MEMORY);
  REQUIRE(set == CL_SUCCESS);
  REQUIRE(waited == CL_SUCCESS);
  REQUIRE(called == 2 * kCallbacks + 1);
  clReleaseEvent(marker);
  clReleaseEvent(gate);
  return 0;
}
