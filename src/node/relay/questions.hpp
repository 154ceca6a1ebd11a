// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "base/mutex.hpp"
#include "cluster/messages.hpp"
#include "node/fabric/fabric.hpp"
#include "node/relay/inquiry.hpp"
#include "node/relay/traffic.hpp"

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

namespace clotho::node {

/// This node's questions to others, and their answers. A question whose answer does not come in time is given up, and
/// costs nothing but itself. Time in which large payloads move between the two nodes does not count, since messages
/// wait behind them.
class Questions {
 public:
  /// Time for answers.
  struct Patience {
    std::chrono::milliseconds answer{10'000};   ///< to all but builds
    std::chrono::milliseconds working{20'000};  ///< between signs that a build goes on
    std::chrono::milliseconds longest{120'000}; ///< to all but builds, whatever moves meanwhile
  };
  /// An answer's bytes, or why there is none.
  struct Reply {
    std::optional<std::string> bytes{};
    std::string why{};
    template <class Answer> std::optional<Answer> as() const {
      return bytes ? cluster::decode<Answer>(*bytes) : std::nullopt;
    }
  };

  /// Longest answers, in bytes: the log of a build is the largest part of one.
  static constexpr std::size_t kMostBuilt = std::size_t{64} << 20, kMostAnswer = std::size_t{1} << 20;

  explicit Questions(const Patience& patience) : patience_(patience) {}

  /// Asks a node. The question's number, 0 if the node is not there. Throws bad_alloc.
  std::uint64_t pose(Fabric& fabric, NodeId node, const Inquiry& inquiry) EXCLUDES(mutex_);
  /// Waits for the answer to a question, once.
  Reply await(std::uint64_t number) EXCLUDES(mutex_);

  // By the fabric's thread.
  void joined(NodeId node, std::shared_ptr<const Traffic> traffic) EXCLUDES(mutex_);
  void lost(NodeId node) noexcept EXCLUDES(mutex_);
  /// The place for an answer; null if it is not awaited, or too long.
  std::byte* placeFor(NodeId from, std::uint64_t number, std::size_t size) noexcept EXCLUDES(mutex_);
  /// False if no answer is awaited. `why`: there is none. `opened`: a session that was asked for in vain.
  bool answered(NodeId from, std::uint64_t number, std::string_view why, std::uint64_t& opened) noexcept
      EXCLUDES(mutex_);
  /// The node says that it is at the answer.
  void working(NodeId from, std::uint64_t number) noexcept EXCLUDES(mutex_);

 private:
  using Clock = std::chrono::steady_clock;
  struct Asked {
    NodeId node = 0;
    std::shared_ptr<const Traffic> traffic{};
    bool isBuild = false;
    std::uint64_t session = 0;             ///< that is asked for
    std::uint64_t askedAt = 0, signAt = 0; ///< ns of hostTime()
    bool isAnswered = false, isLost = false, isGivenUp = false;
    std::string answer{}, why{};
  };

  Asked* find(NodeId from, std::uint64_t number) noexcept REQUIRES(mutex_);
  /// When a question is given up, unless there is a sign before.
  std::uint64_t endOf(const Asked& asked) const noexcept;

  const Patience patience_;
  Mutex mutex_;
  CondVar changed_;
  std::uint64_t last_ GUARDED_BY(mutex_) = 0;
  /// Those that are given up stay until their answers come, or the node is lost.
  std::unordered_map<std::uint64_t, Asked> asked_ GUARDED_BY(mutex_);
  std::unordered_map<NodeId, std::shared_ptr<const Traffic>> present_ GUARDED_BY(mutex_);
};

/// Sends a question's or an answer's bytes as the payload of a frame. `owner` is kept until they have been sent. Throws
/// bad_alloc.
void sendBytes(Fabric& fabric, NodeId to, bool isAnswer, std::uint64_t number, std::string bytes,
               std::shared_ptr<const void> owner = nullptr);

} // namespace clotho::node
