// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cluster/link.hpp"

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>

namespace clotho::cluster {

namespace {

/// How often a thread that sleeps looks for room for messages that wait, in ms.
constexpr int kFlushMs = 1;

void signal(const UniqueFd& event) noexcept {
  const std::uint64_t one = 1;
  static_cast<void>(retryInterrupted([&] { return write(event.get(), &one, sizeof one); }));
}

UniqueFd makeEvent() {
  return aboveLowNumbers(makeFd([] { return eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK); }));
}

UniqueFd duplicate(const UniqueFd& fd) {
  return makeFd([&] { return fcntl(fd.get(), F_DUPFD_CLOEXEC, STDERR_FILENO + 1); });
}

} // namespace

Link::Link(Side side, Parts parts)
    : parts_(std::move(parts)), reader_(side == Side::Host ? parts_.area.readerAtHost() : parts_.area.readerAtNode()),
      writer_(side == Side::Host ? parts_.area.writerToNode() : parts_.area.writerToHost()) {}

void Link::push() {
  if (isClosed()) return;
  if (waiting_.empty() && writer_.write(scratch_.bytes())) {
    if (writer_.takeSleeper()) signal(parts_.peerEvent);
    return;
  }
  waiting_.push_back(scratch_.take());
}

bool Link::flush() {
  MutexLock lock(mutex_);
  bool isWritten = false;
  while (!waiting_.empty() && writer_.write(waiting_.front())) {
    waiting_.pop_front();
    isWritten = true;
  }
  if (isWritten && writer_.takeSleeper()) signal(parts_.peerEvent);
  return !waiting_.empty();
}

Link::Woken Link::sleep(int ms, bool isArmed) noexcept {
  if (isArmed) {
    reader_.beginSleep();
    if (!isEmpty()) {
      reader_.endSleep();
      return Woken::ByMessage;
    }
  }
  pollfd fds[] = {{parts_.ownEvent.get(), POLLIN, 0},
                  {parts_.socket.get(), POLLIN | POLLRDHUP, 0},
                  {parts_.peerProcess.get(), POLLIN, 0}};
  const int count = retryInterrupted([&] { return poll(fds, std::size(fds), flush() ? kFlushMs : ms); });
  if (isClosed() || fds[1].revents != 0 || fds[2].revents != 0) return Woken::ByEnd;
  if (count <= 0 || fds[0].revents == 0) return Woken::ByTime;
  std::uint64_t times;
  static_cast<void>(retryInterrupted([&] { return read(parts_.ownEvent.get(), &times, sizeof times); }));
  return Woken::ByMessage;
}

void Link::arm() noexcept {
  reader_.beginSleep();
  if (!isEmpty()) wake();
}

void Link::wake() noexcept { signal(parts_.ownEvent); }

void Link::close() noexcept {
  if (isClosed_.exchange(true, std::memory_order_acq_rel)) return;
  shutdown(parts_.socket.get(), SHUT_RDWR);
  wake();
}

void Link::closeCopies() noexcept {
  isClosed_.store(true, std::memory_order_release);
  for (UniqueFd* fd : {&parts_.ownEvent, &parts_.peerEvent, &parts_.socket, &parts_.peerProcess})
    fd->reset();
}

LinkEnds makeLink() {
  LinkEnds ends;
  SharedArea area = SharedArea::create(ends.area);
  UniqueFd own = makeEvent(), peer = makeEvent();
  ends.ownEvent = duplicate(peer); // each side's own is the other's peer
  ends.peerEvent = duplicate(own);
  if (!area || !own || !peer || !ends.ownEvent || !ends.peerEvent) return {};
  return {{std::move(area), std::move(own), std::move(peer), {}, {}},
          std::move(ends.area),
          std::move(ends.ownEvent),
          std::move(ends.peerEvent)};
}

} // namespace clotho::cluster
