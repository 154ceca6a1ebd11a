// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "cluster/messages.hpp"
#include "compiler/client/channel.hpp"

#include <optional>

/// Questions and answers on a connection (setup.hpp).
namespace clotho::cluster {

/// False if the other side is gone, or does not take it for so many ms; negative: waits for ever.
template <class Message> bool sendFields(int socket, const Message& message, int patienceMs) {
  ByteWriter out;
  FieldWriter{out}(message);
  return sendFrame(socket, out.bytes(), /*watch=*/-1, patienceMs);
}

/// Nothing if the other side is gone, says something else, or nothing for so many ms; negative: waits for ever.
template <class Message> std::optional<Message> receiveFields(int socket, int patienceMs) {
  const std::optional<std::string> frame = receiveFrame(socket, /*watch=*/-1, patienceMs);
  return frame ? decode<Message>(*frame) : std::nullopt;
}

} // namespace clotho::cluster
