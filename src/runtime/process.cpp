// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/process.hpp"

#include "base/fork_gate.hpp"
#include "base/log.hpp"
#include "base/options.hpp"
#include "base/thread_affinity.hpp"
#include "runtime/capture/captures.hpp"
#include "trace/trace.hpp"

#include <algorithm>
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
  trace::afterForkInChild();
  ForkGate::openInChild();
  creation.unlock();
}

} // namespace

Process::Process(Process* parent)
    : parent_(parent), platform_(parent ? parent->platform_ : *new Platform), hostMemory_(platform_.hostMemorySize()),
      captures_(Captures::fromOptions()) {
  if (parent_) platform_.afterFork();
}

void Process::startEarly() noexcept {
  try {
    callbacks_.startAll(1);
    nativeKernels_.startAll(kEarlyNativeThreads);
    builders_.startAll(static_cast<unsigned>(std::min<std::size_t>(kMaxBuilders, usableProcessors())));
    syncFiles_.start();
    for (const Ref<Device>& device : platform_.hostDevices())
      device->startThreads();
    compiler_.start();
  } catch (...) {
    CLOTHO_LOG(Runtime, Warn, "CLOTHO_EARLY_START: there is no memory or no thread for all that is to be started");
  }
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
    trace::start();
    process = new Process(inherited);
    if (options().startsEarly) process->startEarly();
    current.store(process, std::memory_order_release);
  }
  return *process;
}

} // namespace clotho
