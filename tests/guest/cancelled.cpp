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
  // Errors are told in the log, if there is one.
  callCancelled([&] { REQUIRE(clSetKernelArg(say, 0, 4, nullptr) == CL_INVALID_ARG_INDEX); });
  guest::computeSomething(session);
  clReleaseKernel(say);
  clReleaseProgram(program);
  return 0;
}
