// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/process.hpp"

#include "base/fork_gate.hpp"

#include <atomic>
#include <new>
#include <pthread.h>

namespace clotho {

namespace {

// Constant-initialised and trivially destroyed: nothing runs at load or exit.
std::atomic<Process*> current{nullptr};
Process* inherited = nullptr; // the parent's, in a forked child
Mutex creation;
bool handlesForks = false; // under `creation`

// A fork waits for a Process in the making, so that the child never inherits a locked mutex or half an object.
void beforeFork() NO_THREAD_SAFETY_ANALYSIS {
  creation.lock();
  ForkGate::shut();
}
void afterForkInParent() NO_THREAD_SAFETY_ANALYSIS {
  ForkGate::open();
  creation.unlock();
}
void afterForkInChild() NO_THREAD_SAFETY_ANALYSIS {
  if (Process* parents = current.exchange(nullptr, std::memory_order_relaxed)) inherited = parents;
  ForkGate::openInChild();
  creation.unlock();
}

} // namespace

Process::Process(Process* parent)
    : parent_(parent), platform_(parent ? parent->platform_ : *new Platform), hostMemory_(platform_.hostMemorySize()) {
  if (parent_) platform_.afterFork();
}

Process& Process::get() {
  Process* process = current.load(std::memory_order_acquire);
  if (process) [[likely]]
    return *process;
  MutexLock lock(creation);
  process = current.load(std::memory_order_acquire);
  if (!process) {
    // Once for good, also if what follows fails: handlers that are registered twice would lock twice.
    if (!handlesForks && pthread_atfork(beforeFork, afterForkInParent, afterForkInChild) != 0) throw std::bad_alloc();
    handlesForks = true;
    process = new Process(inherited);
    current.store(process, std::memory_order_release);
  }
  return *process;
}

} // namespace clotho
