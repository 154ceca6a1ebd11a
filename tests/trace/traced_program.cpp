// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A program whose trace check_trace.py looks at: traced_program WHAT [NUMBER].
#include "guest.hpp"

#include <cerrno>
#include <cstddef>
#include <cstring>
#include <iterator>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <string>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

namespace {

constexpr std::size_t kItems = 1 << 16;

constexpr const char* kSource = R"(
kernel void saxpy(global float* y, global const float* x, float a) {
  const size_t i = get_global_id(0);
  y[i] = a * x[i] + y[i];
}
kernel void matrix(global float* c, global const float* a, global const float* b, int n) {
  const int x = get_global_id(0), y = get_global_id(1);
  float sum = 0;
  for (int k = 0; k < n; ++k) sum += a[y * n + k] * b[k * n + x];
  c[y * n + x] = sum;
}
kernel void search(global int* out, global const int* in) {
  int steps = 0;
  for (int at = get_global_id(0); in[at] != 0; at = in[at]) ++steps;
  out[get_global_id(0)] = steps;
}
)";

struct Program {
  guest::Session session;
  cl_command_queue timed, unordered;
  cl_program program;
  cl_kernel saxpy;
  cl_mem x, y;

  Program() : program(guest::build(session.context, session.device, kSource)) {
    cl_int status = CL_SUCCESS;
    timed = clCreateCommandQueue(session.context, session.device, CL_QUEUE_PROFILING_ENABLE, &status);
    REQUIRE(status == CL_SUCCESS);
    unordered = clCreateCommandQueue(session.context, session.device, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, &status);
    REQUIRE(status == CL_SUCCESS);
    saxpy = guest::kernel(program, "saxpy");
    x = buffer(kItems * sizeof(float));
    y = buffer(kItems * sizeof(float));
    const float a = 2;
    REQUIRE(clSetKernelArg(saxpy, 0, sizeof y, &y) == CL_SUCCESS);
    REQUIRE(clSetKernelArg(saxpy, 1, sizeof x, &x) == CL_SUCCESS);
    REQUIRE(clSetKernelArg(saxpy, 2, sizeof a, &a) == CL_SUCCESS);
  }

  cl_mem buffer(std::size_t size) const {
    cl_int status = CL_SUCCESS;
    const std::vector<char> zeros(size);
    cl_mem made = clCreateBuffer(session.context, CL_MEM_COPY_HOST_PTR, size, const_cast<char*>(zeros.data()), &status);
    REQUIRE(status == CL_SUCCESS);
    return made;
  }
  cl_event launch(cl_command_queue queue, std::vector<cl_event> waits = {}, std::size_t items = kItems) const {
    cl_event event = nullptr;
    REQUIRE(clEnqueueNDRangeKernel(queue, saxpy, 1, nullptr, &items, nullptr, static_cast<cl_uint>(waits.size()),
                                   waits.empty() ? nullptr : waits.data(), &event) == CL_SUCCESS);
    return event;
  }
};

/// A line for check_trace.py: what the application learns of a command.
void tell(const char* name, cl_event event) {
  cl_ulong times[4] = {};
  for (cl_uint i = 0; i < 4; ++i)
    REQUIRE(clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_QUEUED + i, sizeof times[i], &times[i], nullptr) ==
            CL_SUCCESS);
  std::printf("%s %llu %llu %llu %llu\n", name, static_cast<unsigned long long>(times[0]),
              static_cast<unsigned long long>(times[1]), static_cast<unsigned long long>(times[2]),
              static_cast<unsigned long long>(times[3]));
}

void everything() {
  const Program p;
  std::vector<float> bytes(kItems);
  const std::size_t size = kItems * sizeof(float);
  cl_event read = nullptr, write = nullptr, fill = nullptr;
  REQUIRE(clEnqueueWriteBuffer(p.timed, p.x, CL_FALSE, 0, size, bytes.data(), 0, nullptr, &write) == CL_SUCCESS);
  cl_event first = p.launch(p.timed), second = p.launch(p.timed);
  const float one = 1;
  REQUIRE(clEnqueueFillBuffer(p.timed, p.x, &one, sizeof one, 0, size, 0, nullptr, &fill) == CL_SUCCESS);
  REQUIRE(clEnqueueReadBuffer(p.timed, p.y, CL_TRUE, 0, size, bytes.data(), 0, nullptr, &read) == CL_SUCCESS);
  cl_int status = CL_SUCCESS;
  void* mapped = clEnqueueMapBuffer(p.timed, p.y, CL_TRUE, CL_MAP_READ, 0, size, 0, nullptr, nullptr, &status);
  REQUIRE(status == CL_SUCCESS);
  REQUIRE(clEnqueueUnmapMemObject(p.timed, p.y, mapped, 0, nullptr, nullptr) == CL_SUCCESS);
  REQUIRE(clFinish(p.timed) == CL_SUCCESS);

  // a -> b, c; b, c -> d; e waits for what is done already.
  cl_event a = p.launch(p.unordered), b = p.launch(p.unordered, {a}), c = p.launch(p.unordered, {a}),
           d = p.launch(p.unordered, {b, c});
  REQUIRE(clWaitForEvents(1, &d) == CL_SUCCESS);
  cl_event e = p.launch(p.timed, {d});
  REQUIRE(clFinish(p.timed) == CL_SUCCESS);
  tell("write", write);
  tell("saxpy", first);
  tell("saxpy", second);
  tell("fill", fill);
  tell("read", read);
  tell("saxpy", e);
}

/// Kernels whose work can be counted, and one of which it cannot.
void work() {
  const Program p;
  cl_kernel matrix = guest::kernel(p.program, "matrix"), search = guest::kernel(p.program, "search");
  constexpr int kSize = 64;
  cl_mem buffers[3];
  for (cl_uint i = 0; i < 3; ++i) {
    buffers[i] = p.buffer(kSize * kSize * sizeof(float));
    REQUIRE(clSetKernelArg(matrix, i, sizeof buffers[i], &buffers[i]) == CL_SUCCESS);
  }
  REQUIRE(clSetKernelArg(matrix, 3, sizeof kSize, &kSize) == CL_SUCCESS);
  REQUIRE(clSetKernelArg(search, 0, sizeof buffers[0], &buffers[0]) == CL_SUCCESS);
  REQUIRE(clSetKernelArg(search, 1, sizeof buffers[1], &buffers[1]) == CL_SUCCESS);
  const std::size_t square[] = {kSize, kSize};
  p.launch(p.timed);
  REQUIRE(clEnqueueNDRangeKernel(p.timed, matrix, 2, nullptr, square, nullptr, 0, nullptr, nullptr) == CL_SUCCESS);
  REQUIRE(clEnqueueNDRangeKernel(p.timed, search, 1, nullptr, square, nullptr, 0, nullptr, nullptr) == CL_SUCCESS);
  REQUIRE(clFinish(p.timed) == CL_SUCCESS);
}

void commandBuffer() {
  const Program p;
  const auto get = [](const char* name) {
    cl_platform_id platform = nullptr;
    REQUIRE(clGetPlatformIDs(1, &platform, nullptr) == CL_SUCCESS);
    void* found = clGetExtensionFunctionAddressForPlatform(platform, name);
    REQUIRE(found);
    return found;
  };
  using Buffer = void*;
  auto create = reinterpret_cast<Buffer (*)(cl_uint, const cl_command_queue*, const void*, cl_int*)>(
      get("clCreateCommandBufferKHR"));
  auto record = reinterpret_cast<cl_int (*)(Buffer, cl_command_queue, const void*, cl_kernel, cl_uint, const size_t*,
                                            const size_t*, const size_t*, cl_uint, const cl_uint*, cl_uint*, void**)>(
      get("clCommandNDRangeKernelKHR"));
  auto finalize = reinterpret_cast<cl_int (*)(Buffer)>(get("clFinalizeCommandBufferKHR"));
  auto enqueue = reinterpret_cast<cl_int (*)(cl_uint, cl_command_queue*, Buffer, cl_uint, const cl_event*, cl_event*)>(
      get("clEnqueueCommandBufferKHR"));
  cl_int status = CL_SUCCESS;
  Buffer buffer = create(1, &p.timed, nullptr, &status);
  REQUIRE(status == CL_SUCCESS);
  const std::size_t items = 64;
  for (int i = 0; i < 3; ++i)
    REQUIRE(record(buffer, nullptr, nullptr, p.saxpy, 1, nullptr, &items, nullptr, 0, nullptr, nullptr, nullptr) ==
            CL_SUCCESS);
  REQUIRE(finalize(buffer) == CL_SUCCESS);
  for (int i = 0; i < 4; ++i)
    REQUIRE(enqueue(0, nullptr, buffer, 0, nullptr, nullptr) == CL_SUCCESS);
  REQUIRE(clFinish(p.timed) == CL_SUCCESS);
}

/// A kernel that enqueues two others.
void enqueues() {
  const guest::Session session;
  cl_int status = CL_SUCCESS;
  const cl_queue_properties properties[] = {
      CL_QUEUE_PROPERTIES, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE | CL_QUEUE_ON_DEVICE | CL_QUEUE_ON_DEVICE_DEFAULT, 0};
  cl_command_queue onDevice = clCreateCommandQueueWithProperties(session.context, session.device, properties, &status);
  REQUIRE(status == CL_SUCCESS && onDevice);
  constexpr const char* kEnqueuing = R"(
    kernel void parent(global int* a) {
      for (int i = 0; i < 2; ++i)
        enqueue_kernel(get_default_queue(), CLK_ENQUEUE_FLAGS_NO_WAIT, ndrange_1D(32), ^{ a[i * 32 + get_global_id(0)] = i; });
    })";
  cl_program program =
      clCreateProgramWithSource(session.context, 1, const_cast<const char**>(&kEnqueuing), nullptr, &status);
  REQUIRE(clBuildProgram(program, 0, nullptr, "-cl-std=CL2.0", nullptr, nullptr) == CL_SUCCESS);
  cl_kernel kernel = guest::kernel(program, "parent");
  cl_mem a = clCreateBuffer(session.context, 0, 64 * sizeof(cl_int), nullptr, &status);
  REQUIRE(clSetKernelArg(kernel, 0, sizeof a, &a) == CL_SUCCESS);
  const std::size_t one = 1;
  REQUIRE(clEnqueueNDRangeKernel(session.queue, kernel, 1, nullptr, &one, nullptr, 0, nullptr, nullptr) == CL_SUCCESS);
  REQUIRE(clFinish(session.queue) == CL_SUCCESS);
}

void flood(int commands) {
  const Program p;
  for (int i = 0; i < commands; ++i) {
    const std::size_t items = 64;
    REQUIRE(clEnqueueNDRangeKernel(p.session.queue, p.saxpy, 1, nullptr, &items, nullptr, 0, nullptr, nullptr) ==
            CL_SUCCESS);
  }
  REQUIRE(clFinish(p.session.queue) == CL_SUCCESS);
}

/// A child that uses OpenCL beside its parent, and one that does not.
void forks() {
  const Program p;
  clReleaseEvent(p.launch(p.session.queue));
  REQUIRE(clFinish(p.session.queue) == CL_SUCCESS);
  for (const bool usesOpenCl : {true, false}) {
    const pid_t child = fork();
    if (child == 0) {
      if (usesOpenCl) {
        const Program own;
        clReleaseEvent(own.launch(own.timed));
        REQUIRE(clFinish(own.timed) == CL_SUCCESS);
      }
      std::exit(0);
    }
    int status = 0;
    REQUIRE(waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0);
  }
  clReleaseEvent(p.launch(p.session.queue));
  REQUIRE(clFinish(p.session.queue) == CL_SUCCESS);
}

/// A launcher that looks for devices, as mpirun does, and starts a program.
void launches(const char* self, const char* what) {
  const guest::Session session;
  const pid_t child = fork();
  if (child == 0) {
    execl(self, self, what, nullptr);
    _exit(127);
  }
  int status = 0;
  REQUIRE(waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

/// From here on the system refuses this thread, and those that it starts, counters of the processor.
void refuseCounters() {
  sock_filter rules[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_perf_event_open, 0, 1),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
  };
  const sock_fprog program{static_cast<unsigned short>(std::size(rules)), rules};
  REQUIRE(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0);
  REQUIRE(prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0);
}

/// Ends in some way, with commands that are done and were not waited for by any release.
void leave(const std::string& how) {
  auto* p = new Program;
  for (int i = 0; i < 10; ++i)
    p->launch(p->session.queue);
  REQUIRE(clFinish(p->session.queue) == CL_SUCCESS);
  if (how == "exit") std::exit(3);
  std::this_thread::sleep_for(
      std::chrono::milliseconds(2000)); // some periods of the thread that writes, on a busy machine, too
  if (how == "_exit") _exit(3);
  if (how == "quick_exit") std::quick_exit(3);
  if (how == "kill") raise(SIGKILL);
  if (how == "fault") {
    signal(SIGSEGV, SIG_DFL);
    raise(SIGSEGV);
  }
}

} // namespace

int main(int argc, char** argv) {
  const std::string what = argc > 1 ? argv[1] : "";
  if (what == "everything") everything();
  if (what == "refused") {
    refuseCounters();
    everything();
  }
  if (what == "work") work();
  if (what == "command_buffer") commandBuffer();
  if (what == "enqueues") enqueues();
  if (what == "flood") flood(std::atoi(argv[2]));
  if (what == "forks") forks();
  if (what == "launches") launches(argv[0], argv[2]);
  if (what == "leave") leave(argv[2]);
  return 0;
}
