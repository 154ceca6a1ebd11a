// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// If the user has used up the threads that the system allows, kernels, copies and callbacks still complete, in the
// application's own threads; once threads are available again, the driver starts its own.
#include "guest.hpp"

#include <atomic>
#include <cerrno>
#include <cstdint>
#include <pthread.h>
#include <sys/resource.h>
#include <unistd.h>

namespace {

const char* const kSource = "kernel void add(global int* out, int by) { out[get_global_id(0)] += by; }"
                            "kernel void turn(global int* out, int by) {"
                            "  local int shared[16]; const int i = get_local_id(0);"
                            "  shared[i] = out[get_global_id(0)]; barrier(CLK_LOCAL_MEM_FENCE);"
                            "  out[get_global_id(0)] = shared[15 - i]; }"
                            "kernel void faults(global int* out, int by) { *(global int*)(ulong)by = 1; }";

bool threadsCanBeMade() {
  pthread_t thread;
  const int error = pthread_create(&thread, nullptr, [](void*) -> void* { return nullptr; }, nullptr);
  if (error == 0) pthread_join(thread, nullptr);
  return error == 0;
}

void limitThreads(rlim_t limit) {
  rlimit now;
  REQUIRE(getrlimit(RLIMIT_NPROC, &now) == 0);
  now.rlim_cur = limit < now.rlim_max ? limit : now.rlim_max;
  REQUIRE(setrlimit(RLIMIT_NPROC, &now) == 0);
}

cl_kernel prepare(cl_program program, const char* name, cl_mem buffer, int by) {
  cl_kernel kernel = guest::kernel(program, name);
  REQUIRE(clSetKernelArg(kernel, 0, sizeof buffer, &buffer) == CL_SUCCESS);
  REQUIRE(clSetKernelArg(kernel, 1, sizeof by, &by) == CL_SUCCESS);
  return kernel;
}

void use(const guest::Session& session, cl_program program) {
  constexpr std::size_t kItems = 65536, kLocal = 16;
  cl_int status = CL_SUCCESS;
  std::vector<int> values(kItems);
  for (std::size_t i = 0; i < kItems; ++i)
    values[i] = int(i);
  cl_mem buffer = clCreateBuffer(session.context, CL_MEM_READ_WRITE, kItems * sizeof(int), nullptr, &status);
  cl_mem copy = clCreateBuffer(session.context, CL_MEM_READ_WRITE, kItems * sizeof(int), nullptr, &status);
  REQUIRE(status == CL_SUCCESS);
  cl_kernel add = prepare(program, "add", buffer, 1), turn = prepare(program, "turn", buffer, 0);
  cl_kernel faults = prepare(program, "faults", buffer, 16);
  cl_command_queue unordered =
      clCreateCommandQueue(session.context, session.device, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, &status);
  REQUIRE(status == CL_SUCCESS);

  // A long chain behind a user event, with a fault off the chain and a callback at the end.
  static std::atomic<int> called{0};
  called = 0;
  cl_event gate = clCreateUserEvent(session.context, &status), last = nullptr, failed = nullptr;
  REQUIRE(clEnqueueWriteBuffer(session.queue, buffer, CL_FALSE, 0, kItems * sizeof(int), values.data(), 1, &gate,
                               nullptr) == CL_SUCCESS);
  for (int i = 0; i < 1000; ++i)
    REQUIRE(clEnqueueNDRangeKernel(session.queue, add, 1, nullptr, &kLocal, nullptr, 0, nullptr, nullptr) ==
            CL_SUCCESS);
  REQUIRE(clEnqueueNDRangeKernel(session.queue, turn, 1, nullptr, &kItems, &kLocal, 0, nullptr, nullptr) == CL_SUCCESS);
  REQUIRE(clEnqueueCopyBuffer(session.queue, buffer, copy, 0, 0, kItems * sizeof(int), 0, nullptr, &last) ==
          CL_SUCCESS);
  REQUIRE(clSetEventCallback(last, CL_COMPLETE, [](cl_event, cl_int, void*) { ++called; }, nullptr) == CL_SUCCESS);
  REQUIRE(clEnqueueNDRangeKernel(unordered, faults, 1, nullptr, &kItems, &kLocal, 1, &last, &failed) == CL_SUCCESS);
  REQUIRE(clSetUserEventStatus(gate, CL_COMPLETE) == CL_SUCCESS);
  REQUIRE(clFinish(unordered) == CL_SUCCESS);
  REQUIRE(clWaitForEvents(1, &failed) == CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
  REQUIRE(clEnqueueReadBuffer(session.queue, copy, CL_TRUE, 0, kItems * sizeof(int), values.data(), 0, nullptr,
                              nullptr) == CL_SUCCESS);
  for (std::size_t i = 0; i < kItems; ++i) {
    const std::size_t from = i / kLocal * kLocal + (kLocal - 1 - i % kLocal);
    REQUIRE(values[i] == int(from) + (from < kLocal ? 1000 : 0));
  }
  for (int i = 0; i < 10000 && called == 0; ++i)
    usleep(1000);
  REQUIRE(called == 1);

  for (cl_event event : {gate, last, failed})
    clReleaseEvent(event);
  for (cl_kernel kernel : {add, turn, faults})
    clReleaseKernel(kernel);
  clReleaseMemObject(buffer);
  clReleaseMemObject(copy);
  clReleaseCommandQueue(unordered);
}

/// A context of all devices, each with threads of its own if there were any.
struct AllDevices {
  AllDevices() {
    cl_platform_id platform = nullptr;
    REQUIRE(clGetPlatformIDs(1, &platform, nullptr) == CL_SUCCESS);
    cl_uint count = 0;
    REQUIRE(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 0, nullptr, &count) == CL_SUCCESS);
    devices.resize(count);
    REQUIRE(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, count, devices.data(), nullptr) == CL_SUCCESS);
    cl_int status = CL_SUCCESS;
    context = clCreateContext(nullptr, count, devices.data(), nullptr, nullptr, &status);
    REQUIRE(status == CL_SUCCESS);
    for (cl_device_id device : devices) {
      queues.push_back(clCreateCommandQueue(context, device, 0, &status));
      REQUIRE(status == CL_SUCCESS);
    }
    program = clCreateProgramWithSource(context, 1, const_cast<const char**>(&kSource), nullptr, &status);
    REQUIRE(status == CL_SUCCESS);
    REQUIRE(clBuildProgram(program, 0, nullptr, "", nullptr, nullptr) == CL_SUCCESS);
  }

  /// A chain in which what one device has written goes to the next.
  void use() const {
    constexpr std::size_t kItems = 1024;
    constexpr int kSteps = 200;
    cl_int status = CL_SUCCESS;
    cl_mem buffer = clCreateBuffer(context, CL_MEM_READ_WRITE, kItems * sizeof(int), nullptr, &status);
    REQUIRE(status == CL_SUCCESS);
    cl_kernel add = prepare(program, "add", buffer, 1);
    cl_event gate = clCreateUserEvent(context, &status), last = nullptr;
    REQUIRE(status == CL_SUCCESS);
    const int zero = 0;
    REQUIRE(clEnqueueFillBuffer(queues[0], buffer, &zero, sizeof zero, 0, kItems * sizeof(int), 1, &gate, &last) ==
            CL_SUCCESS);
    for (std::size_t i = 0; i < kSteps; ++i) {
      cl_event before = last;
      REQUIRE(clEnqueueNDRangeKernel(queues[i * i % queues.size()], add, 1, nullptr, &kItems, nullptr, 1, &before,
                                     &last) == CL_SUCCESS);
      clReleaseEvent(before);
    }
    REQUIRE(clSetUserEventStatus(gate, CL_COMPLETE) == CL_SUCCESS);
    std::vector<int> values(kItems);
    REQUIRE(clEnqueueReadBuffer(queues.back(), buffer, CL_TRUE, 0, kItems * sizeof(int), values.data(), 1, &last,
                                nullptr) == CL_SUCCESS);
    for (int value : values)
      REQUIRE(value == kSteps);
    for (cl_event event : {gate, last})
      clReleaseEvent(event);
    clReleaseKernel(add);
    clReleaseMemObject(buffer);
  }

  ~AllDevices() {
    for (cl_command_queue queue : queues)
      clReleaseCommandQueue(queue);
    clReleaseProgram(program);
    clReleaseContext(context);
  }
  AllDevices(const AllDevices&) = delete;
  AllDevices& operator=(const AllDevices&) = delete;

  std::vector<cl_device_id> devices;
  cl_context context;
  std::vector<cl_command_queue> queues;
  cl_program program;
};

} // namespace

int main() {
  alarm(120);
  const guest::Session session;
  const AllDevices all;
  // The compiler is another process and needs room too, so what is run is built first.
  cl_program program = guest::build(session.context, session.device, kSource);
  // The superuser is exempt from the limit.
  if (getuid() == 0) REQUIRE(setresuid(64123, 64123, 64123) == 0);
  limitThreads(1);
  REQUIRE(!threadsCanBeMade());
  for (int i = 0; i < 3; ++i) {
    use(session, program);
    all.use();
  }
  REQUIRE(!threadsCanBeMade());

  // A build that would need a new process is an error, neither a hang nor a crash.
  const std::string source = guest::freshSource();
  const char* text = source.c_str();
  cl_int status = CL_SUCCESS;
  cl_program another = clCreateProgramWithSource(session.context, 1, &text, nullptr, &status);
  REQUIRE(status == CL_SUCCESS);
  status = clBuildProgram(another, 1, &session.device, "", nullptr, nullptr);
  std::printf("build without room: %d\n", status);
  clReleaseProgram(another);

  limitThreads(RLIM_INFINITY);
  REQUIRE(threadsCanBeMade());
  for (int i = 0; i < 3; ++i) {
    use(session, program);
    all.use();
  }
  clReleaseProgram(program);
  return 0;
}
