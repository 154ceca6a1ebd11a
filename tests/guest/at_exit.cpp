// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// OpenCL from the application's static destructors and atexit handlers works.
#include "guest.hpp"

namespace {

guest::Session* fromAtexit = nullptr;
void handler() { guest::computeSomething(*fromAtexit, 5); }

/// Made before main and before the driver is loaded, so destroyed after everything that was registered later.
struct Global {
  guest::Session* session = nullptr;
  cl_program program = nullptr;
  cl_mem buffer = nullptr;
  ~Global() {
    guest::computeSomething(*session, 6);
    REQUIRE(clReleaseMemObject(buffer) == CL_SUCCESS);
    REQUIRE(clReleaseProgram(program) == CL_SUCCESS);
    REQUIRE(clFinish(session->queue) == CL_SUCCESS);
    REQUIRE(clReleaseCommandQueue(session->queue) == CL_SUCCESS);
    REQUIRE(clReleaseContext(session->context) == CL_SUCCESS);
    session->keep = true;
    delete session;
    // Even a first use of a new context is in order.
    const guest::Session late;
    guest::computeSomething(late, 7);
    std::puts("all destructors done");
  }
};
Global global;

} // namespace

int main() {
  global.session = new guest::Session;
  global.program = guest::build(global.session->context, global.session->device, "kernel void f() {}");
  cl_int status = CL_SUCCESS;
  global.buffer = clCreateBuffer(global.session->context, CL_MEM_READ_WRITE, 100, nullptr, &status);
  fromAtexit = global.session;
  REQUIRE(std::atexit(handler) == 0);
  return 0;
}
