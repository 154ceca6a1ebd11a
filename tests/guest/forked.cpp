// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// After fork the child may create contexts of its own; inherited handles give errors, never a hang or a crash, in every
// call that takes one; the parent goes on.
#include "guest.hpp"

#include <sys/wait.h>
#include <unistd.h>

namespace {

void waitFor(pid_t child) {
  int status = 0;
  REQUIRE(waitpid(child, &status, 0) == child);
  if (WIFSIGNALED(status)) std::fprintf(stderr, "the child died by signal %d\n", WTERMSIG(status));
  REQUIRE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

struct Handles {
  cl_device_id device;
  cl_context context;
  cl_command_queue queue;
  cl_mem buffer;
  cl_program program;
  cl_kernel kernel;
  cl_event userEvent;
  void* shared;     ///< fine-grain shared memory
  cl_event pending; ///< of a command that waits for it
};

#define REFUSED(call) REQUIRE((call) != CL_SUCCESS)
/// For calls that return an object and a status through the variable `status`.
#define NOT_CREATED(call)                                                                                              \
  do {                                                                                                                 \
    status = CL_SUCCESS;                                                                                               \
    REQUIRE((call) == nullptr && status != CL_SUCCESS);                                                                \
  } while (false)

void createWith(const Handles& h) {
  cl_int status = CL_SUCCESS;
  const char* source = "kernel void f() {}";
  const unsigned char* bytes = reinterpret_cast<const unsigned char*>(source);
  const std::size_t length = 18;
  const cl_buffer_region region{0, 128};
  const cl_image_format format{CL_RGBA, CL_UNORM_INT8};
  cl_image_desc description{};
  description.image_type = CL_MEM_OBJECT_IMAGE2D;
  description.image_width = description.image_height = 4;
  NOT_CREATED(clCreateCommandQueue(h.context, h.device, 0, &status));
  NOT_CREATED(clCreateCommandQueueWithProperties(h.context, h.device, nullptr, &status));
  NOT_CREATED(clCreateBuffer(h.context, CL_MEM_READ_WRITE, 64, nullptr, &status));
  NOT_CREATED(clCreateBufferWithProperties(h.context, nullptr, CL_MEM_READ_WRITE, 64, nullptr, &status));
  NOT_CREATED(clCreateSubBuffer(h.buffer, CL_MEM_READ_WRITE, CL_BUFFER_CREATE_TYPE_REGION, &region, &status));
  NOT_CREATED(clCreateImage(h.context, CL_MEM_READ_WRITE, &format, &description, nullptr, &status));
  NOT_CREATED(clCreatePipe(h.context, CL_MEM_READ_WRITE, 4, 4, nullptr, &status));
  NOT_CREATED(clCreateSampler(h.context, CL_FALSE, CL_ADDRESS_NONE, CL_FILTER_NEAREST, &status));
  NOT_CREATED(clCreateProgramWithSource(h.context, 1, &source, nullptr, &status));
  NOT_CREATED(clCreateProgramWithBinary(h.context, 1, &h.device, &length, &bytes, nullptr, &status));
  NOT_CREATED(clCreateProgramWithIL(h.context, source, length, &status));
  NOT_CREATED(clCreateProgramWithBuiltInKernels(h.context, 1, &h.device, "f", &status));
  NOT_CREATED(clLinkProgram(h.context, 1, &h.device, "", 1, &h.program, nullptr, nullptr, &status));
  NOT_CREATED(clCreateKernel(h.program, "add", &status));
  NOT_CREATED(clCloneKernel(h.kernel, &status));
  NOT_CREATED(clCreateUserEvent(h.context, &status));
  cl_uint count = 0;
  REFUSED(clCreateKernelsInProgram(h.program, 0, nullptr, &count));
  REQUIRE(clSVMAlloc(h.context, CL_MEM_READ_WRITE, 64, 0) == nullptr);
  clSVMFree(h.context, nullptr);
  clSVMFree(h.context, h.shared); // of the parent's context: nothing happens
  REQUIRE(static_cast<volatile int*>(h.shared)[0] == 5);
}

void queryAndChange(const Handles& h) {
  char text[256];
  std::size_t size = 0;
  const int by = 2;
  REFUSED(clGetContextInfo(h.context, CL_CONTEXT_REFERENCE_COUNT, sizeof text, text, &size));
  REFUSED(clGetSupportedImageFormats(h.context, CL_MEM_READ_WRITE, CL_MEM_OBJECT_IMAGE2D, 0, nullptr, nullptr));
  REFUSED(clGetCommandQueueInfo(h.queue, CL_QUEUE_CONTEXT, sizeof text, text, &size));
  REFUSED(clGetMemObjectInfo(h.buffer, CL_MEM_SIZE, sizeof text, text, &size));
  REFUSED(clGetProgramInfo(h.program, CL_PROGRAM_NUM_DEVICES, sizeof text, text, &size));
  REFUSED(clGetProgramBuildInfo(h.program, h.device, CL_PROGRAM_BUILD_STATUS, sizeof text, text, &size));
  REFUSED(clGetKernelInfo(h.kernel, CL_KERNEL_NUM_ARGS, sizeof text, text, &size));
  REFUSED(clGetKernelArgInfo(h.kernel, 0, CL_KERNEL_ARG_NAME, sizeof text, text, &size));
  REFUSED(clGetKernelWorkGroupInfo(h.kernel, h.device, CL_KERNEL_WORK_GROUP_SIZE, sizeof text, text, &size));
  REFUSED(clGetEventInfo(h.userEvent, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof text, text, &size));
  REFUSED(clGetEventProfilingInfo(h.pending, CL_PROFILING_COMMAND_END, sizeof text, text, &size));
  REFUSED(clSetKernelArg(h.kernel, 1, sizeof by, &by));
  REFUSED(clSetUserEventStatus(h.userEvent, CL_COMPLETE));
  REFUSED(clSetEventCallback(h.pending, CL_COMPLETE, [](cl_event, cl_int, void*) {}, nullptr));
  REFUSED(clSetMemObjectDestructorCallback(h.buffer, [](cl_mem, void*) {}, nullptr));
  REFUSED(clSetContextDestructorCallback(h.context, [](cl_context, void*) {}, nullptr));
  REFUSED(clBuildProgram(h.program, 1, &h.device, "-DAGAIN", nullptr, nullptr));
  REFUSED(clCompileProgram(h.program, 1, &h.device, "", 0, nullptr, nullptr, nullptr, nullptr));
}

void enqueueWith(const Handles& h) {
  const std::size_t size = 64, origin[3] = {0, 0, 0}, region[3] = {4, 1, 1};
  int value = 0;
  cl_int status = CL_SUCCESS;
  cl_event out = nullptr;
  REFUSED(clEnqueueNDRangeKernel(h.queue, h.kernel, 1, nullptr, &size, nullptr, 0, nullptr, nullptr));
  REFUSED(clEnqueueNDRangeKernel(h.queue, h.kernel, 1, nullptr, &size, nullptr, 1, &h.userEvent, &out));
  REFUSED(clEnqueueTask(h.queue, h.kernel, 0, nullptr, nullptr));
  REFUSED(clEnqueueNativeKernel(h.queue, [](void*) {}, nullptr, 0, 0, nullptr, nullptr, 0, nullptr, nullptr));
  REFUSED(clEnqueueReadBuffer(h.queue, h.buffer, CL_TRUE, 0, 4, &value, 0, nullptr, nullptr));
  REFUSED(clEnqueueWriteBuffer(h.queue, h.buffer, CL_FALSE, 0, 4, &value, 0, nullptr, nullptr));
  REFUSED(clEnqueueReadBufferRect(h.queue, h.buffer, CL_TRUE, origin, origin, region, 0, 0, 0, 0, &value, 0, nullptr,
                                  nullptr));
  REFUSED(clEnqueueWriteBufferRect(h.queue, h.buffer, CL_TRUE, origin, origin, region, 0, 0, 0, 0, &value, 0, nullptr,
                                   nullptr));
  REFUSED(clEnqueueCopyBuffer(h.queue, h.buffer, h.buffer, 0, 64, 4, 0, nullptr, nullptr));
  REFUSED(
      clEnqueueCopyBufferRect(h.queue, h.buffer, h.buffer, origin, origin, region, 0, 0, 0, 0, 0, nullptr, nullptr));
  REFUSED(clEnqueueFillBuffer(h.queue, h.buffer, &value, 4, 0, 64, 0, nullptr, nullptr));
  REFUSED(clEnqueueMigrateMemObjects(h.queue, 1, &h.buffer, 0, 0, nullptr, nullptr));
  NOT_CREATED(clEnqueueMapBuffer(h.queue, h.buffer, CL_TRUE, CL_MAP_READ, 0, 64, 0, nullptr, nullptr, &status));
  REFUSED(clEnqueueUnmapMemObject(h.queue, h.buffer, &value, 0, nullptr, nullptr));
  REFUSED(clEnqueueMarkerWithWaitList(h.queue, 0, nullptr, nullptr));
  REFUSED(clEnqueueBarrierWithWaitList(h.queue, 0, nullptr, nullptr));
  REFUSED(clEnqueueMarker(h.queue, &out));
  REFUSED(clEnqueueBarrier(h.queue));
  REFUSED(clEnqueueWaitForEvents(h.queue, 1, &h.pending));
  void* freed[] = {h.shared};
  const void* migrated[] = {h.shared};
  REFUSED(clEnqueueSVMFree(h.queue, 1, freed, nullptr, nullptr, 0, nullptr, nullptr));
  REFUSED(clEnqueueSVMMemcpy(h.queue, CL_TRUE, h.shared, &value, 4, 0, nullptr, nullptr));
  REFUSED(clEnqueueSVMMemFill(h.queue, h.shared, &value, 4, 4, 0, nullptr, nullptr));
  REFUSED(clEnqueueSVMMap(h.queue, CL_TRUE, CL_MAP_READ, h.shared, 4, 0, nullptr, nullptr));
  REFUSED(clEnqueueSVMUnmap(h.queue, h.shared, 0, nullptr, nullptr));
  REFUSED(clEnqueueSVMMigrateMem(h.queue, 1, migrated, nullptr, 0, 0, nullptr, nullptr));
  REFUSED(clSetKernelArgSVMPointer(h.kernel, 0, h.shared));
  REFUSED(clFlush(h.queue));
  REFUSED(clFinish(h.queue));
  REFUSED(clWaitForEvents(1, &h.pending));
  REFUSED(clWaitForEvents(1, &h.userEvent));
}

/// Inherited objects together with the child's own.
void mixWithOwn(const Handles& h, const guest::Session& own) {
  cl_int status = CL_SUCCESS;
  const std::size_t size = 64;
  int value = 0;
  NOT_CREATED(clCreateCommandQueue(h.context, own.device, 0, &status));
  cl_program program = guest::build(own.context, own.device, "kernel void f(global int* out) { *out = 1; }");
  cl_kernel kernel = guest::kernel(program, "f");
  REFUSED(clSetKernelArg(kernel, 0, sizeof h.buffer, &h.buffer));
  REFUSED(clEnqueueNDRangeKernel(own.queue, h.kernel, 1, nullptr, &size, nullptr, 0, nullptr, nullptr));
  REFUSED(clEnqueueNDRangeKernel(h.queue, kernel, 1, nullptr, &size, nullptr, 0, nullptr, nullptr));
  REFUSED(clEnqueueReadBuffer(own.queue, h.buffer, CL_TRUE, 0, 4, &value, 0, nullptr, nullptr));
  REFUSED(clEnqueueMarkerWithWaitList(own.queue, 1, &h.userEvent, nullptr));
  REQUIRE(clFinish(own.queue) == CL_SUCCESS);
  clReleaseKernel(kernel);
  clReleaseProgram(program);
}

void retainAndRelease(const Handles& h) {
  REFUSED(clRetainContext(h.context));
  REFUSED(clRetainCommandQueue(h.queue));
  REFUSED(clRetainMemObject(h.buffer));
  REFUSED(clRetainProgram(h.program));
  REFUSED(clRetainKernel(h.kernel));
  REFUSED(clRetainEvent(h.userEvent));
  REFUSED(clReleaseEvent(h.pending));
  REFUSED(clReleaseEvent(h.userEvent));
  REFUSED(clReleaseKernel(h.kernel));
  REFUSED(clReleaseProgram(h.program));
  REFUSED(clReleaseMemObject(h.buffer));
  REFUSED(clReleaseCommandQueue(h.queue));
  REFUSED(clReleaseContext(h.context));
}

void useOwn(int number) {
  const guest::Session own;
  auto* shared = static_cast<int*>(clSVMAlloc(own.context, CL_MEM_SVM_FINE_GRAIN_BUFFER, 64, 0));
  REQUIRE(shared);
  REQUIRE(clEnqueueSVMMemFill(own.queue, shared, &number, sizeof number, 64, 0, nullptr, nullptr) == CL_SUCCESS);
  REQUIRE(clFinish(own.queue) == CL_SUCCESS);
  REQUIRE(shared[15] == number);
  clSVMFree(own.context, shared);
  guest::computeSomething(own, number);
}

[[noreturn]] void runChild(const Handles& handles, int round) {
  alarm(100); // a hang becomes a death by SIGALRM
  // Before the child's first own use of the driver in some rounds, and after it in others.
  if (round % 2) useOwn(round);
  createWith(handles);
  queryAndChange(handles);
  enqueueWith(handles);
  {
    const guest::Session own;
    mixWithOwn(handles, own);
    guest::computeSomething(own, round);
  }
  retainAndRelease(handles);
  // The device is the same one, and a context may be made with its inherited handle.
  REQUIRE(guest::firstDevice() == handles.device);
  cl_int status = CL_SUCCESS;
  cl_context context = clCreateContext(nullptr, 1, &handles.device, nullptr, nullptr, &status);
  REQUIRE(status == CL_SUCCESS);
  REQUIRE(clReleaseContext(context) == CL_SUCCESS);
  // And so on for children of the child.
  if (round == 2) {
    const pid_t grandchild = fork();
    if (grandchild == 0) {
      REQUIRE(guest::firstDevice() == handles.device);
      enqueueWith(handles);
      useOwn(7);
      std::exit(0);
    }
    waitFor(grandchild);
    useOwn(8);
  }
  std::exit(0);
}

} // namespace

int main() {
  alarm(150);
  // Fork before any use of OpenCL: nothing is inherited.
  pid_t child = fork();
  if (child == 0) {
    alarm(100);
    useOwn(1);
    std::exit(0);
  }
  waitFor(child);

  guest::Session session;
  guest::computeSomething(session);
  const std::string source = guest::freshSource();
  Handles handles{};
  handles.device = session.device;
  handles.context = session.context;
  handles.queue = session.queue;
  handles.program = guest::build(session.context, session.device, source.c_str());
  handles.kernel = guest::kernel(handles.program, "add");
  cl_int status = CL_SUCCESS;
  handles.buffer = clCreateBuffer(session.context, CL_MEM_READ_WRITE, 4096, nullptr, &status);
  REQUIRE(status == CL_SUCCESS);
  handles.shared = clSVMAlloc(session.context, CL_MEM_SVM_FINE_GRAIN_BUFFER, 4096, 0);
  REQUIRE(handles.shared);
  *static_cast<int*>(handles.shared) = 5;
  const int by = 1;
  REQUIRE(clSetKernelArg(handles.kernel, 0, sizeof handles.buffer, &handles.buffer) == CL_SUCCESS);
  REQUIRE(clSetKernelArg(handles.kernel, 1, sizeof by, &by) == CL_SUCCESS);
  handles.userEvent = clCreateUserEvent(session.context, &status);
  REQUIRE(status == CL_SUCCESS);
  cl_command_queue waiting = clCreateCommandQueue(session.context, session.device, 0, &status);
  const std::size_t size = 1000;
  REQUIRE(clEnqueueNDRangeKernel(waiting, handles.kernel, 1, nullptr, &size, nullptr, 1, &handles.userEvent,
                                 &handles.pending) == CL_SUCCESS);

  for (int round = 0; round < 4; ++round) {
    child = fork();
    if (child == 0) runChild(handles, round);
    // The parent works on meanwhile.
    guest::computeSomething(session, round);
    waitFor(child);
  }

  REQUIRE(clSetUserEventStatus(handles.userEvent, CL_COMPLETE) == CL_SUCCESS);
  REQUIRE(clWaitForEvents(1, &handles.pending) == CL_SUCCESS);
  clReleaseEvent(handles.pending);
  clReleaseEvent(handles.userEvent);
  clReleaseCommandQueue(waiting);
  clReleaseMemObject(handles.buffer);
  clSVMFree(session.context, handles.shared);
  clReleaseKernel(handles.kernel);
  clReleaseProgram(handles.program);
  return 0;
}
