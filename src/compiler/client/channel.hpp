// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "base/unique_fd.hpp"

#include <optional>
#include <string>
#include <string_view>

/// Messages over sockets. No function raises SIGPIPE, and interrupted calls are repeated.
namespace clotho {

/// A connected pair, close-on-exec, with numbers above the standard streams; on failure both are empty and errno is
/// set.
FdPair makeSocketPair(int type);

/// Sends one message on a SOCK_SEQPACKET socket, with a descriptor unless `fd` is negative. Blocks while the receiver's
/// queue is full; false with errno set if the receiver is gone.
bool sendMessage(int socket, std::string_view text, int fd = -1) noexcept;

struct Message {
  enum class Kind : unsigned char { Text, None, Closed } kind;
  std::string text;
  UniqueFd fd;
};
/// Receives one message; `flags` may be MSG_DONTWAIT, and the result `None` if there is no message.
Message receiveMessage(int socket, int flags);

/// Receives one message for its descriptor, whose number is above the standard streams.
UniqueFd receiveDescriptor(int socket, int flags);

/// Sends or receives one frame on a stream (protocol.hpp). `watch` is a socket whose hang-up ends the wait, or -1. End
/// of file on the stream does not suffice: a copy of its other end may live on in a process that will never answer.
/// `patienceMs`: how long the other side may do nothing; negative: for ever.
bool sendFrame(int socket, std::string_view payload, int watch = -1, int patienceMs = -1) noexcept;
std::optional<std::string> receiveFrame(int socket, int watch = -1, int patienceMs = -1);

/// Sends or receives the byte that precedes the answer on its stream. A request that was not accepted may be repeated,
/// an accepted one may not.
void sendAccepted(int socket) noexcept;
bool receiveAccepted(int socket, int watch = -1) noexcept;

} // namespace clotho
