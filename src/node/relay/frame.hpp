// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "base/bytes.hpp"

#include <cstdint>
#include <optional>
#include <string_view>

/// Messages of nodes to each other, by the fabric: a head, and what the kind of message has behind it.
namespace clotho::node {

/// The head of a message. Its number says what it belongs to: a question, or a session.
struct Frame {
  enum class Kind : std::uint8_t {
    Devices,      ///< the sender's own (DeviceList in the payload), once, when the receiver joins
    Ask,          ///< a question (inquiry.hpp), whose bytes are the payload
    Answer,       ///< the payload, none if the question has no answer: then the reason is behind the head
    ToSession,    ///< a program's message to its session, with the bytes of slots that it reads
    ToProgram,    ///< a session's message to its program, with the bytes of slots that were written
    LeaveSession, ///< the program is gone
    SessionOver,  ///< from the session's node: nothing more comes. Also the answer to LeaveSession
    ToPeer,       ///< to a session from another one of the same program (PeerMessage, behind the program's node)
    AskTime,      ///< the asking node's time, behind the head
    TellTime,     ///< the same, and the answering node's time
    Working,      ///< on the answer to a question that takes long: told every kWorking, until there is an answer
  };
  static constexpr Kind kLast = Kind::Working;
  static constexpr std::size_t kHeadBytes = 1 + 8;

  Kind kind = Kind::Devices;
  std::uint64_t number = 0;
  std::string_view body{};

  /// Nothing if the bytes are no frame.
  static std::optional<Frame> parse(std::string_view bytes) noexcept {
    ByteReader in(bytes);
    Frame frame;
    frame.kind = in.enumerator(kLast);
    frame.number = in.u64();
    if (!in.ok()) return std::nullopt;
    frame.body = bytes.substr(kHeadBytes);
    return frame;
  }
  /// Writes the head; the caller writes the body behind it.
  static void begin(ByteWriter& out, Kind kind, std::uint64_t number) {
    out.clear();
    out.enumerator(kind);
    out.u64(number);
  }
};

} // namespace clotho::node
