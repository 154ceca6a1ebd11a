// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cluster/handshake.hpp"

#include "cluster/messages.hpp"

#include <cerrno>
#include <chrono>
#include <cstddef>
#include <cstring>
#include <poll.h>
#include <string>
#include <sys/socket.h>
#include <sys/un.h>

namespace clotho::cluster {

namespace {

/// "ClothoNd". These two structures never change, so that all versions understand each other so far.
constexpr std::uint64_t kMagic = 0x644e6f68746f6c43;

struct Introduction {
  std::uint64_t magic = kMagic;
  std::uint32_t version = kVersion;
  std::uint32_t reserved = 0;
  std::array<std::uint8_t, Token::kBytes> token{};
};
static_assert(sizeof(Introduction) == 48);

struct Answer {
  std::uint64_t magic = kMagic;
  std::uint32_t version = kVersion;
  std::uint32_t verdict = 0;
};

/// A name without a file: it is gone when the node is, however that ends.
struct Address {
  explicit Address(std::string_view name) {
    const std::string text = "clotho-node-" + std::string(name);
    where.sun_family = AF_UNIX;
    isTooLong = text.size() + 1 > sizeof where.sun_path;
    if (!isTooLong) text.copy(where.sun_path + 1, text.size());
    size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + text.size());
  }
  sockaddr_un where{};
  socklen_t size = 0;
  bool isTooLong = false;
};

UniqueFd streamSocket() {
  return aboveLowNumbers(makeFd([] { return socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0); }));
}

void setPatience(int socket) noexcept {
  const timeval patience{kPatienceMs / 1000, kPatienceMs % 1000 * 1000};
  setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
  setsockopt(socket, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
}

template <class Structure> bool sendWhole(int socket, const Structure& structure) noexcept {
  return retryInterrupted([&] { return send(socket, &structure, sizeof structure, MSG_NOSIGNAL); }) ==
         static_cast<ssize_t>(sizeof structure);
}

/// All of it within kPatienceMs, in however many parts it comes.
template <class Structure> bool receiveWhole(int socket, Structure& structure) noexcept {
  using std::chrono::steady_clock;
  const auto end = steady_clock::now() + std::chrono::milliseconds(kPatienceMs);
  auto* at = reinterpret_cast<char*>(&structure);
  for (std::size_t left = sizeof structure; left > 0;) {
    const auto patience = std::chrono::duration_cast<std::chrono::milliseconds>(end - steady_clock::now()).count();
    pollfd fd{socket, POLLIN, 0};
    if (patience <= 0 || poll(&fd, 1, static_cast<int>(patience)) == 0) return false;
    const ssize_t got = recv(socket, at, left, MSG_DONTWAIT);
    if (got < 0 && (errno == EINTR || errno == EAGAIN)) continue;
    if (got <= 0) return false;
    at += got;
    left -= static_cast<std::size_t>(got);
  }
  return true;
}

} // namespace

UniqueFd listenAs(std::string_view name) {
  constexpr int kBacklog = 64;
  const Address address(name);
  UniqueFd fd = address.isTooLong ? UniqueFd() : streamSocket();
  if (!fd || bind(fd.get(), reinterpret_cast<const sockaddr*>(&address.where), address.size) != 0 ||
      listen(fd.get(), kBacklog) != 0)
    return {};
  return fd;
}

UniqueFd connectTo(std::string_view name) {
  const Address address(name);
  UniqueFd fd = address.isTooLong ? UniqueFd() : streamSocket();
  if (!fd) return {};
  setPatience(fd.get()); // a node that is stopped lets connections pile up
  if (retryInterrupted(
          [&] { return connect(fd.get(), reinterpret_cast<const sockaddr*>(&address.where), address.size); }) != 0)
    return {};
  return fd;
}

Peer peerOf(int socket) noexcept {
  ucred credentials{};
  socklen_t size = sizeof credentials;
  if (getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &credentials, &size) != 0) return {};
  return {credentials.pid, credentials.uid == geteuid()};
}

Verdict introduce(int socket, const Token& token) noexcept {
  setPatience(socket);
  Introduction introduction;
  introduction.token = token.bytes();
  Answer answer;
  if (!sendWhole(socket, introduction) || !receiveWhole(socket, answer) || answer.magic != kMagic ||
      answer.verdict > static_cast<std::uint32_t>(Verdict::Welcome))
    return Verdict::Silent;
  const auto verdict = static_cast<Verdict>(answer.verdict);
  return verdict == Verdict::Welcome && answer.version != kVersion ? Verdict::OtherVersion : verdict;
}

Verdict admit(int socket, const Token& token) noexcept {
  setPatience(socket);
  Introduction introduction;
  if (!receiveWhole(socket, introduction)) return Verdict::Silent;
  const bool isKnown = Token::of(introduction.token).equals(token) && introduction.magic == kMagic;
  const Verdict verdict = !isKnown                           ? Verdict::Refused
                          : introduction.version != kVersion ? Verdict::OtherVersion
                                                             : Verdict::Welcome;
  Answer answer;
  answer.verdict = static_cast<std::uint32_t>(verdict);
  return sendWhole(socket, answer) ? verdict : Verdict::Silent;
}

} // namespace clotho::cluster
