// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// pthread_cancel of a thread that is in a call: the call goes on to its end, and the thread ends at its next
// cancellation point. The driver works as before.
#include "guest.hpp"

#include <atomic>
#include <functional>
#include <pthread.h>
#include <unistd.h>

namespace {

/// Runs `call` on a thread that is cancelled already and would end at the first cancellation point that it meets.
void callCancelled(const std::function<void()>& call) {
  struct State {
    const std::function<void()>& call;
    std::atomic<bool> isReady{false}, isCancelled{false}, isOver{false}, isKept{true};
  } state{call};
  const auto body = [](void* data) -> void* {
    auto& state = *static_cast<State*>(data);
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, nullptr);
    state.isReady = true;
    while (!state.isCancelled) {
    }
    pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, nullptr);
    state.call();
    int before = PTHREAD_CANCEL_DISABLE;
    pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, &before);
    state.isKept = before == PTHREAD_CANCEL_ENABLE;
    state.isOver = true;
    pthread_testcancel();
    return nullptr;
  };
  pthread_t thread;
  REQUIRE(pthread_create(&thread, nullptr, body, &state) == 0);
  while (!state.isReady) {
  }
  REQUIRE(pthread_cancel(thread) == 0);
  state.isCancelled = true;
  void* result = nullptr;
  REQUIRE(pthread_join(thread, &result) == 0);
  REQUIRE(state.isOver);
  REQUIRE(state.isKept);
  REQUIRE(result == PTHREAD_CANCELED);
}

} // namespace

int main() {
  alarm(120);
  const guest::Session session; // the loader is not ours: it reads its files here
  callCancelled([&] { guest::computeSomething(session); });
  // Kernels that print, on the thread that waits for them as on others.
  cl_program program = guest::build(session.context, session.device,
                                    "kernel void say() { if (get_global_id(0) == 0) printf(\"said\\n\"); }");
  cl_kernel say = guest::kernel(program, "say");
  callCancelled([&] {
    for (int i = 0; i < 50; ++i) {
      const std::size_t one = 1;
      REQUIRE(clEnqueueNDRangeKernel(session.queue, say, 1, nullptr, &one, nullptr, 0, nullptr, nullptr) == CL_SUCCESS);
      REQUIRE(clFinish(session.queue) == CL_SUCCESS);
    }
  });
  // A launch that may wait until there is a version of its kernel for the format of its image (CLOTHO_SPECIALISE).
  cl_program images = guest::build(session.context, session.device, R"(
    kernel void count(read_only image1d_t in, global uint* out) { *out = read_imageui(in, 0).x; })");
  cl_kernel count = guest::kernel(images, "count");
  constexpr cl_image_format kFormat = {CL_R, CL_UNSIGNED_INT8};
  cl_image_desc desc{};
  desc.image_type = CL_MEM_OBJECT_IMAGE1D;
  desc.image_width = 1;
  cl_uchar texel = 7;
  cl_int status = 1;
  cl_mem image = clCreateImage(session.context, CL_MEM_COPY_HOST_PTR, &kFormat, &desc, &texel, &status);
  REQUIRE(status == CL_SUCCESS);
  cl_mem result = clCreateBuffer(session.context, 0, sizeof(cl_uint), nullptr, &status);
  REQUIRE(status == CL_SUCCESS);
  REQUIRE(clSetKernelArg(count, 0, sizeof image, &image) == CL_SUCCESS);
  REQUIRE(clSetKernelArg(count, 1, sizeof result, &result) == CL_SUCCESS);
  callCancelled([&] {
    const std::size_t one = 1;
    REQUIRE(clEnqueueNDRangeKernel(session.queue, count, 1, nullptr, &one, nullptr, 0, nullptr, nullptr) == CL_SUCCESS);
  });
  cl_uint seen = 0;
  REQUIRE(clEnqueueReadBuffer(session.queue, result, CL_TRUE, 0, sizeof seen, &seen, 0, nullptr, nullptr) ==
          CL_SUCCESS);
  REQUIRE(seen == texel);
  clReleaseMemObject(image);
  clReleaseMemObject(result);
  clReleaseKernel(count);
  clReleaseProgram(images);
  // Errors are told in the log, if there is one.
  callCancelled([&] { REQUIRE(clSetKernelArg(say, 0, 4, nullptr) == CL_INVALID_ARG_INDEX); });
  guest::computeSomething(session);
  clReleaseKernel(say);
  clReleaseProgram(program);
  return 0;
}
