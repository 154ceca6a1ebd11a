// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <csignal>
#include <initializer_list>
#include <pthread.h>

namespace clotho {

/// While it lives, this thread lets only its own traps through. A thread made meanwhile inherits that for good: threads
/// of ours take none of the application's signals. SIGSYS is among the traps: in a sandbox whose filter asks a handler
/// about a system call, a thread that blocks it ends the process.
class SignalsBlocked {
 public:
  SignalsBlocked() {
    sigset_t mask;
    sigfillset(&mask);
    for (int signal : {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGTRAP, SIGSYS})
      sigdelset(&mask, signal);
    pthread_sigmask(SIG_SETMASK, &mask, &previous_);
  }
  ~SignalsBlocked() { pthread_sigmask(SIG_SETMASK, &previous_, nullptr); }
  SignalsBlocked(const SignalsBlocked&) = delete;
  SignalsBlocked& operator=(const SignalsBlocked&) = delete;

 private:
  sigset_t previous_;
};

} // namespace clotho
