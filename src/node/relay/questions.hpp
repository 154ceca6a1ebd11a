// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "base/mutex.hpp"
#include "cluster/messages.hpp"
#include "node/fabric/fabric.hpp"
#include "node/relay/inquiry.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

namespace clotho::node {

/// This node's questions to others, and their answers.
class Questions {
 public:
  /// Asks a node, and waits for the answer. Nothing if the node is lost or has no answer, or if the answer makes no
  /// sense. Throws bad_alloc.
  template <class Answer> std::optional<Answer> ask(Fabric& fabric, NodeId node, const Inquiry& inquiry) {
    const std::optional<std::string> bytes = askBytes(fabric, node, inquiry);
    return bytes ? cluster::decode<Answer>(*bytes) : std::nullopt;
  }
  /// Overload for an answer that is handed on as it is.
  std::optional<std::string> askBytes(Fabric& fabric, NodeId node, const Inquiry& inquiry) EXCLUDES(mutex_);

  // By the fabric's thread.
  void joined(NodeId node) EXCLUDES(mutex_);
  void lost(NodeId node) noexcept EXCLUDES(mutex_);
  /// The place for an answer; null if it is not awaited, or if there is no memory.
  std::byte* placeFor(NodeId from, std::uint64_t number, std::size_t size) noexcept EXCLUDES(mutex_);
  /// False if no answer is awaited.
  bool answered(NodeId from, std::uint64_t number) noexcept EXCLUDES(mutex_);

 private:
  struct Asked {
    NodeId node = 0;
    bool isAnswered = false, isLost = false;
    std::string answer{};
  };

  Asked* find(NodeId from, std::uint64_t number) noexcept REQUIRES(mutex_);

  Mutex mutex_;
  CondVar changed_;
  std::uint64_t last_ GUARDED_BY(mutex_) = 0;
  std::unordered_map<std::uint64_t, Asked> asked_ GUARDED_BY(mutex_);
  std::unordered_set<NodeId> present_ GUARDED_BY(mutex_);
};

/// Longest question or answer, in bytes: a program's module is the largest part of one.
inline constexpr std::size_t kMostQuestion = std::size_t{256} << 20;

/// Sends a question's or an answer's bytes as the payload of a frame. Throws bad_alloc.
void sendBytes(Fabric& fabric, NodeId to, bool isAnswer, std::uint64_t number, std::string bytes);

} // namespace clotho::node
