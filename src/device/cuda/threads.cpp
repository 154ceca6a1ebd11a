// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "device/cuda/threads.hpp"

#include "base/signals_blocked.hpp"

#include <pthread.h>

namespace clotho::cuda {

bool startThread(const char* name, void* (*main)(void*), void* argument) noexcept {
  pthread_attr_t attributes;
  if (pthread_attr_init(&attributes) != 0) return false;
  pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
  const SignalsBlocked blocked;
  pthread_t thread;
  const int error = pthread_create(&thread, &attributes, main, argument);
  pthread_attr_destroy(&attributes);
  if (error == 0) pthread_setname_np(thread, name);
  return error == 0;
}

} // namespace clotho::cuda
