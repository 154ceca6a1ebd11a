// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>

namespace clotho::node {

/// Messages of one node by their numbers, from their first bytes until they are handed over, in order. Texts and
/// payloads come in any order, at once or over a longer time.
class OrderedInbox {
 public:
  /// Longest text of a message, in bytes.
  static constexpr std::size_t kMostText = std::size_t{64} << 20;
  /// Bytes of messages that may wait for an earlier one.
  static constexpr std::size_t kMostWaiting = std::size_t{512} << 20;

  enum class State : std::uint8_t {
    Missing,
    Held, ///< it is here, but there is no memory for it before the text is
    Coming,
    Here,
  };
  struct Message {
    std::string text{};
    std::size_t payloadSize = 0;
    State textState = State::Missing, payloadState = State::Missing;
    void* held = nullptr; ///< what a held payload is fetched by; null: it is in `early`
    std::string early{};  ///< a short payload that is held
    std::size_t room = 0; ///< bytes that the message counts for

    bool isWhole() const { return textState == State::Here && (payloadSize == 0 || payloadState == State::Here); }
  };

  /// The message of this number, made if there is none; from now on it takes `size` bytes more. Null if it was handed
  /// over before, or if too much would wait.
  Message* at(std::uint64_t number, std::size_t size);
  /// Whether the message of this number is the next one, and none waits.
  bool isNext(std::uint64_t number) const { return number == next_ && messages_.empty(); }
  /// The next message is handed over without the inbox.
  void skip() { ++next_; }
  /// The next message if it is whole, else null. It lives until pop.
  const Message* front() const;
  void pop();
  /// Visits all that wait.
  template <class Visit> void forEach(Visit&& visit) {
    for (auto& [number, message] : messages_)
      visit(message);
  }

 private:
  std::map<std::uint64_t, Message> messages_;
  std::uint64_t next_ = 0;
  std::size_t waiting_ = 0;
};

} // namespace clotho::node
