// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/sync_files.hpp"

#include "base/error.hpp"
#include "base/signals_blocked.hpp"
#include "base/thread_affinity.hpp"

#include <linux/sync_file.h>
#include <memory>
#include <pthread.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <thread>
#include <utility>

namespace clotho {

namespace {

/// As the kernel has it.
enum FenceStatus : std::int32_t { kNoFence = -0x10000, kActive = 0, kSignaled = 1 }; // below 0 otherwise: its error

std::int32_t statusOf(int fd) noexcept {
  sync_file_info info{}; // room for no fence: only what they are together
  return retryInterrupted([&] { return ioctl(fd, SYNC_IOC_FILE_INFO, &info); }) < 0 ? kNoFence : info.status;
}

/// A fence that failed is told like an event that did.
cl_int signalStatus(std::int32_t fence) noexcept {
  return fence == kSignaled ? CL_COMPLETE : CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST;
}

/// Asks for the descriptor's next event, or only that there is room for that.
bool control(int epoll, int operation, int fd, void* data, bool isAwaited) noexcept {
  epoll_event event{};
  event.events = EPOLLONESHOT | (isAwaited ? EPOLLIN : 0U);
  event.data.ptr = data;
  return epoll_ctl(epoll, operation, fd, &event) == 0;
}

} // namespace

bool isSyncFile(int fd) noexcept { return statusOf(fd) != kNoFence; }

int SyncFiles::watching() {
  MutexLock lock(mutex_);
  if (epoll_) return epoll_.get();
  UniqueFd epoll = aboveLowNumbers(makeFd([] { return epoll_create1(EPOLL_CLOEXEC); }));
  check(static_cast<bool>(epoll), CL_OUT_OF_RESOURCES, "no descriptor to wait for sync files with");
  SignalsBlocked blocked;
  std::thread([fd = epoll.get(), inheritsBounds = isThreadBound()] {
    if (inheritsBounds) takeAffinityOfProcess();
    takeScheduling(schedulingOfProcess());
    run(fd);
  }).detach();
  epoll_ = std::move(epoll);
  return epoll_.get();
}

void SyncFiles::signalWhenDone(BinarySemaphore& semaphore, int fd) {
  auto fresh = Ref<SemaphorePulse>::adopt(new SemaphorePulse);
  const std::int32_t fence = fd < 0 ? kSignaled : statusOf(fd);
  if (fence != kActive) {
    semaphore.endSignal(*semaphore.addSignal(std::move(fresh)), signalStatus(fence));
    UniqueFd taken(fd);
    return;
  }
  // The thread has a place for it before the semaphore knows of the signal, after which nothing fails.
  const int epoll = watching();
  auto watched = std::make_unique<Watched>();
  watched->semaphore = Ref<BinarySemaphore>(semaphore);
  check(control(epoll, EPOLL_CTL_ADD, fd, watched.get(), false), CL_OUT_OF_RESOURCES,
        "no more sync files can be waited for");
  watched->fd.reset(fd);
  Watched* const owned = watched.release();
  owned->pulse.store(semaphore.addSignal(std::move(fresh)).detach(), std::memory_order_release);
  control(epoll, EPOLL_CTL_MOD, fd, owned, true); // `owned` may be gone by the time this returns
}

void SyncFiles::run(int epoll) noexcept {
  pthread_setname_np(pthread_self(), "clotho-fence");
  for (;;) {
    epoll_event event{};
    if (retryInterrupted([&] { return epoll_wait(epoll, &event, 1, -1); }) < 0) return; // our descriptor was closed
    handle(epoll, *static_cast<Watched*>(event.data.ptr));
  }
}

void SyncFiles::handle(int epoll, Watched& watched) noexcept {
  if (!watched.pulse.load(std::memory_order_acquire)) return; // an error of the descriptor, which is reported again
  const std::int32_t fence = statusOf(watched.fd.get());
  if (fence == kActive) {
    control(epoll, EPOLL_CTL_MOD, watched.fd.get(), &watched, true);
    return;
  }
  // By name: others may have duplicates of the descriptor, which would keep it in the list after it is closed.
  control(epoll, EPOLL_CTL_DEL, watched.fd.get(), nullptr, false);
  const std::unique_ptr<Watched> done(&watched);
  done->fd.reset();
  SemaphorePulse& pulse = *done->pulse.load(std::memory_order_relaxed);
  done->semaphore->endSignal(pulse, signalStatus(fence));
  pulse.release();
}

} // namespace clotho
