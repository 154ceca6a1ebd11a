// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/client/channel.hpp"

#include "compiler/client/protocol.hpp"

#include <algorithm>
#include <cstring>
#include <poll.h>
#include <sys/socket.h>
#include <sys/uio.h>

namespace clotho {

namespace {

constexpr std::size_t kMaxMessage = 16 << 10;

/// Waits until `socket` is ready for `events`; false if the watched socket hangs up first, or after so many ms.
bool waitFor(int socket, short events, int watch, int patienceMs) noexcept {
  pollfd fds[2] = {{socket, events, 0}, {watch, 0, 0}};
  if (retryInterrupted([&] { return poll(fds, 2, patienceMs); }) <= 0) return false;
  // Data that arrived before the hang-up is still valid.
  if (fds[0].revents != 0) return true;
  return false;
}

/// Receives exactly `size` bytes.
bool receiveExactly(int socket, char* data, std::size_t size, int watch, int patienceMs = -1) noexcept {
  while (size > 0) {
    ssize_t got = retryInterrupted([&] { return recv(socket, data, size, MSG_DONTWAIT); });
    if (got > 0) {
      data += got;
      size -= static_cast<std::size_t>(got);
      continue;
    }
    bool more = got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK);
    if (!more || !waitFor(socket, POLLIN, watch, patienceMs)) return false;
  }
  return true;
}

} // namespace

FdPair makeSocketPair(int type) {
  FdPair pair = makeFdPair([&](int* fds) { return socketpair(AF_UNIX, type | SOCK_CLOEXEC, 0, fds); });
  pair.first = aboveLowNumbers(std::move(pair.first));
  pair.second = aboveLowNumbers(std::move(pair.second));
  return pair;
}

bool sendMessage(int socket, std::string_view text, int fd) noexcept {
  iovec part{const_cast<char*>(text.data()), text.size()};
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof fd)] = {};
  if (fd >= 0) {
    message.msg_control = control;
    message.msg_controllen = sizeof control;
    cmsghdr* header = CMSG_FIRSTHDR(&message);
    header->cmsg_level = SOL_SOCKET;
    header->cmsg_type = SCM_RIGHTS;
    header->cmsg_len = CMSG_LEN(sizeof fd);
    std::memcpy(CMSG_DATA(header), &fd, sizeof fd);
  }
  for (;;) {
    if (sendmsg(socket, &message, MSG_NOSIGNAL) >= 0) return true;
    if (errno == EINTR) continue;
    if (errno != ETOOMANYREFS) return false;
    // The limit of descriptors in flight for this user is reached; they will be received soon.
    poll(nullptr, 0, 1);
  }
}

Message receiveMessage(int socket, int flags) {
  char buffer[kMaxMessage];
  iovec part{buffer, sizeof buffer};
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int))] = {};
  message.msg_control = control;
  message.msg_controllen = sizeof control;
  ssize_t got;
  // A reset is reported once, before messages that had arrived earlier, so reading is repeated.
  do
    got = recvmsg(socket, &message, flags | MSG_CMSG_CLOEXEC);
  while (got < 0 && (errno == EINTR || errno == ECONNRESET));
  if (got < 0) {
    bool none = errno == EAGAIN || errno == EWOULDBLOCK;
    return {none ? Message::Kind::None : Message::Kind::Closed, {}, {}};
  }
  UniqueFd fd;
  for (cmsghdr* header = CMSG_FIRSTHDR(&message); header; header = CMSG_NXTHDR(&message, header)) {
    if (header->cmsg_level != SOL_SOCKET || header->cmsg_type != SCM_RIGHTS) continue;
    int received;
    std::memcpy(&received, CMSG_DATA(header), sizeof received);
    fd.reset(received);
  }
  if (got == 0) return {Message::Kind::Closed, {}, {}};
  return {Message::Kind::Text, std::string(buffer, static_cast<std::size_t>(got)), std::move(fd)};
}

UniqueFd receiveDescriptor(int socket, int flags) {
  // Each peek at the message duplicates the descriptor again.
  UniqueFd fd = makeFd([&] { return receiveMessage(socket, flags | MSG_PEEK).fd.release(); });
  char byte;
  if (fd) recv(socket, &byte, sizeof byte, MSG_DONTWAIT); // without room for a descriptor: the system drops it
  return aboveLowNumbers(std::move(fd));
}

bool sendFrame(int socket, std::string_view payload, int watch, int patienceMs) noexcept {
  FrameHeader header = FrameHeader::of(payload);
  iovec parts[2] = {{&header, sizeof header}, {const_cast<char*>(payload.data()), payload.size()}};
  msghdr message{};
  message.msg_iov = parts;
  message.msg_iovlen = 2;
  while (message.msg_iovlen > 0) {
    ssize_t sent = sendmsg(socket, &message, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent < 0) {
      if (errno == EINTR) continue;
      if (errno != EAGAIN && errno != EWOULDBLOCK) return false;
      if (!waitFor(socket, POLLOUT, watch, patienceMs)) return false;
      continue;
    }
    auto left = static_cast<std::size_t>(sent);
    while (message.msg_iovlen > 0 && left >= message.msg_iov->iov_len) {
      left -= message.msg_iov->iov_len;
      ++message.msg_iov;
      --message.msg_iovlen;
    }
    if (message.msg_iovlen > 0) {
      message.msg_iov->iov_base = static_cast<char*>(message.msg_iov->iov_base) + left;
      message.msg_iov->iov_len -= left;
    }
  }
  return true;
}

void sendAccepted(int socket) noexcept {
  // The first byte on the stream, for which there always is room. A client that has gone does not matter.
  send(socket, "!", 1, MSG_NOSIGNAL | MSG_DONTWAIT);
}

bool receiveAccepted(int socket, int watch) noexcept {
  char byte;
  return receiveExactly(socket, &byte, 1, watch) && byte == '!';
}

std::optional<std::string> receiveFrame(int socket, int watch, int patienceMs) {
  FrameHeader header;
  if (!receiveExactly(socket, reinterpret_cast<char*>(&header), sizeof header, watch, patienceMs) ||
      !header.plausible())
    return std::nullopt;
  // Memory grows with the received data, not with the size that a damaged header claims.
  std::string payload;
  constexpr std::uint64_t kStep = 1 << 20;
  while (payload.size() < header.size) {
    std::size_t have = payload.size();
    payload.resize(
        static_cast<std::size_t>(std::min<std::uint64_t>(header.size, have + std::max<std::uint64_t>(kStep, have))));
    if (!receiveExactly(socket, payload.data() + have, payload.size() - have, watch, patienceMs)) return std::nullopt;
  }
  if (!header.matches(payload)) return std::nullopt;
  return payload;
}

} // namespace clotho
