// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace clotho::node {

/// Messages of one node by their numbers, from their first bytes until they are handed over, in order. Parts of texts
/// and payloads may come in any order.
class OrderedInbox {
 public:
  /// Longest text of a message, in bytes.
  static constexpr std::size_t kMostText = std::size_t{64} << 20;
  /// Bytes of messages that may wait for an earlier one.
  static constexpr std::size_t kMostWaiting = std::size_t{512} << 20;

  struct Message {
    std::string text{};
    std::size_t payloadSize = 0;
    std::size_t textLeft = 0, payloadLeft = 0;                ///< bytes that have not come
    bool hasBegun = false;                                    ///< its sizes are known
    std::byte* place = nullptr;                               ///< of the payload, once the text is here
    std::vector<std::pair<std::size_t, std::string>> early{}; ///< parts of the payload before that, by their offsets
    std::size_t room = 0;                                     ///< bytes that the message counts for

    bool isWhole() const { return hasBegun && textLeft == 0 && payloadLeft == 0; }
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

 private:
  std::map<std::uint64_t, Message> messages_;
  std::uint64_t next_ = 0;
  std::size_t waiting_ = 0;
};

} // namespace clotho::node
