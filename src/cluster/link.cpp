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

} // namespace

UniqueFd makeEvent() {
  return aboveLowNumbers(makeFd([] { return eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK); }));
}

Link::Link(Side side, Parts parts)
    : parts_(std::move(parts)), reader_(side == Side::Host ? parts_.area.readerAtHost() : parts_.area.readerAtNode()),
      writer_(side == Side::Host ? parts_.area.writerToNode() : parts_.area.writerToHost()) {}

void Link::push() {
  if (isClosed()) return;
  if (waiting_.empty() && writer_.write(scratch_.bytes())) {
    if (writer_.takeSleeper()) wakePeer();
    return;
  }
  if (scratch_.bytes().size() > parts_.mostWaiting - waitingBytes_) {
    waiting_.clear();
    waitingBytes_ = 0;
    close();
    return;
  }
  waiting_.push_back(scratch_.take());
  waitingBytes_ += waiting_.back().size();
  if (waiting_.size() == 1) wake(); // a thread that sleeps for long does not look for room yet
}

// Flags of the descriptor itself belong to the other process, too, which could make this call block. If the socket has
// no room for the byte, the other end has not read earlier ones and is awake.
void Link::wakePeer() noexcept {
  static_cast<void>(retryInterrupted([&] { return ::send(parts_.socket.get(), "", 1, MSG_DONTWAIT | MSG_NOSIGNAL); }));
}

bool Link::flush() {
  MutexLock lock(mutex_);
  bool isWritten = false;
  while (!waiting_.empty() && writer_.write(waiting_.front())) {
    waitingBytes_ -= waiting_.front().size();
    waiting_.pop_front();
    isWritten = true;
  }
  if (isWritten && writer_.takeSleeper()) wakePeer();
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
  if (isClosed() || (fds[1].revents & ~POLLIN) != 0 || fds[2].revents != 0) return Woken::ByEnd;
  if (count <= 0) return Woken::ByTime;
  if (fds[0].revents != 0) {
    std::uint64_t times;
    static_cast<void>(retryInterrupted([&] { return read(parts_.ownEvent.get(), &times, sizeof times); }));
  }
  if (fds[1].revents != 0) {
    char bytes[64];
    const ssize_t got =
        retryInterrupted([&] { return recv(parts_.socket.get(), bytes, sizeof bytes, MSG_DONTWAIT | MSG_NOSIGNAL); });
    if (got == 0) return Woken::ByEnd;
  }
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
  for (UniqueFd* fd : {&parts_.ownEvent, &parts_.socket, &parts_.peerProcess})
    fd->reset();
}

LinkEnds makeLink() {
  LinkEnds ends;
  SharedArea area = SharedArea::create(ends.area);
  UniqueFd own = makeEvent();
  if (!area || !own) return {};
  return {{.area = std::move(area), .ownEvent = std::move(own), .socket = {}, .peerProcess = {}}, std::move(ends.area)};
}

} // namespace clotho::cluster
