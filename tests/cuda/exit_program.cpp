// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The process ends while commands run on the GPU, in one of several ways; the fake driver aborts at any call after
// that.
#include "../guest/guest.hpp"

#include <cstring>
#include <thread>
#include <unistd.h>
#include <vector>

namespace {

constexpr const char* kSource = "kernel void k(global int* p) { p[0] = 1; }";
constexpr const char* kEnqueuing =
    "kernel void k(global int* p) { enqueue_kernel(get_default_queue(), 0, ndrange_1D(1), ^{ p[0] = 1; }); }";

struct Launcher {
  guest::Session session;
  cl_program program;
  cl_mem buffer = nullptr;
  cl_kernel kernel = nullptr;

  explicit Launcher(const char* source = kSource)
      : program(guest::build(session.context, session.device, source, "-cl-std=CL3.0")) {
    cl_int status = CL_SUCCESS;
    buffer = clCreateBuffer(session.context, CL_MEM_READ_WRITE, sizeof bytes_, nullptr, &status);
    kernel = clCreateKernel(program, "k", &status);
    REQUIRE(status == CL_SUCCESS);
    REQUIRE(clSetKernelArg(kernel, 0, sizeof buffer, &buffer) == CL_SUCCESS);
    session.keep = true;
  }
  ~Launcher() {
    clReleaseKernel(kernel);
    clReleaseProgram(program);
    clReleaseMemObject(buffer);
    clReleaseCommandQueue(session.queue);
    clReleaseContext(session.context);
  }
  void makeQueueOnDevice() const {
    const cl_queue_properties properties[] = {
        CL_QUEUE_PROPERTIES, CL_QUEUE_ON_DEVICE | CL_QUEUE_ON_DEVICE_DEFAULT | CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE,
        0};
    cl_int status = CL_SUCCESS;
    clCreateCommandQueueWithProperties(session.context, session.device, properties, &status);
    REQUIRE(status == CL_SUCCESS);
  }
  Launcher(const Launcher&) = delete;
  Launcher& operator=(const Launcher&) = delete;

  void launch(int times) {
    const std::size_t one = 1;
    for (int i = 0; i < times; ++i)
      clEnqueueNDRangeKernel(session.queue, kernel, 1, nullptr, &one, nullptr, 0, nullptr, nullptr);
  }
  void copy() {
    clEnqueueWriteBuffer(session.queue, buffer, CL_FALSE, 0, sizeof bytes_, bytes_, 0, nullptr, nullptr);
    clEnqueueReadBuffer(session.queue, buffer, CL_FALSE, 0, sizeof bytes_, bytes_, 0, nullptr, nullptr);
  }

 private:
  char bytes_[1 << 16] = {};
};

/// Made before the driver is loaded, so destroyed after it is gone.
struct Global {
  Launcher* launcher = nullptr;
  unsigned delay = 0; ///< us
  ~Global() {
    usleep(delay);
    if (!launcher) return;
    launcher->launch(3);
    launcher->copy();
    clFinish(launcher->session.queue);
    delete launcher;
    std::puts("all destructors done");
  }
};
Global global;

} // namespace

int main(int, char** arguments) {
  const char* how = arguments[1];
  if (std::strcmp(how, "enqueuing") == 0) {
    static auto* const launcher = new Launcher(kEnqueuing); // never freed: the process ends as it is
    launcher->makeQueueOnDevice();
    launcher->launch(1);
    clFlush(launcher->session.queue);
    usleep(50'000);
    global.delay = 600'000; // the kernel ends before the process does
    return 0;
  }
  static auto* const launcher = new Launcher;
  launcher->launch(100);
  if (std::strcmp(how, "running") == 0) {
    launcher->copy();
  } else if (std::strcmp(how, "destructors") == 0) {
    global.launcher = launcher;
  } else if (std::strcmp(how, "threads") == 0) {
    for (int i = 0; i < 4; ++i)
      std::thread([] {
        Launcher own;
        for (;;) {
          own.launch(3);
          own.copy();
          clFinish(own.session.queue);
        }
      }).detach();
    usleep(50'000);
  } else if (std::strcmp(how, "thread") == 0) {
    std::thread([] { std::exit(0); }).join();
  }
  return 0;
}
