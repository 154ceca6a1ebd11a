// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "base/unique_fd.hpp"

#include <optional>
#include <string>
#include <string_view>

/// Messages over sockets. Nothing here raises SIGPIPE, and interrupted calls are repeated.
namespace clotho {

/// A connected pair, close-on-exec, clear of the standard streams; on failure both are empty and errno says why.
FdPair makeSocketPair(int type);

/// One message on a SOCK_SEQPACKET socket, with a descriptor when `fd` is not negative. Blocks while the receiver's
/// queue is full; false with errno when the receiver is gone.
bool sendMessage(int socket, std::string_view text, int fd = -1) noexcept;

struct Message {
  enum class Kind : unsigned char { Text, None, Closed } kind;
  std::string text;
  UniqueFd fd;
};
/// Takes one message; `flags` may be MSG_DONTWAIT, with `None` when there is none.
Message receiveMessage(int socket, int flags);

/// Takes one message for its descriptor alone, which is clear of the standard streams.
UniqueFd receiveDescriptor(int socket, int flags);

/// One frame on a stream (protocol.hpp). `watch` is a socket whose hang-up ends the wait, or -1. The stream's own end
/// of file does not suffice: a copy of its other end may live on in a process that will never answer.
bool sendFrame(int socket, std::string_view payload, int watch = -1) noexcept;
std::optional<std::string> receiveFrame(int socket, int watch = -1);

/// Precedes the answer on its stream: a request that was never taken may be repeated, one that was taken may not.
void sendAccepted(int socket) noexcept;
bool receiveAccepted(int socket, int watch = -1) noexcept;

} // namespace clotho
