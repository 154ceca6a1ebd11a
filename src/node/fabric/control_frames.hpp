// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "base/fields.hpp"

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

/// Frames that two nodes exchange on their connection after the greeting: what each needs to send messages to the other
/// one, and signs of life.
namespace clotho::node {

/// The first frame of each side.
struct Introduction {
  std::string host{};    ///< name of the machine
  std::string address{}; ///< where other nodes reach this one; empty: it does not listen
  std::string key{};     ///< to be shown with all messages to this node
  std::string worker{};  ///< UCX's address
};

/// The other side's introduction has come, and messages may.
struct Ready {};

/// Sent every quarter of a second.
struct Beat {};

struct KnownNode {
  std::uint64_t node = 0;
  std::string address{};
};

/// Asks a node to join others, and to answer when it has. The node with the smaller number calls.
struct Meet {
  std::vector<KnownNode> nodes{};
};

/// The answer, at the latest when some of them do not join in time.
struct Met {
  bool haveAllJoined = false;
};

/// The node ends, and is not lost: the last frame.
struct Leave {};

using ControlFrame = std::variant<Introduction, Ready, Beat, Meet, Met, Leave>;

template <Of<Introduction> Type, class Visit> void visitFields(Type& introduction, Visit&& visit) {
  auto& [host, address, key, worker] = introduction;
  visitEach(visit, host, address, key, worker);
}

template <Of<Ready> Type, class Visit> void visitFields(Type&, Visit&&) {}

template <Of<Beat> Type, class Visit> void visitFields(Type&, Visit&&) {}

template <Of<Leave> Type, class Visit> void visitFields(Type&, Visit&&) {}

template <Of<KnownNode> Type, class Visit> void visitFields(Type& known, Visit&& visit) {
  auto& [node, address] = known;
  visitEach(visit, node, address);
}

template <Of<Meet> Type, class Visit> void visitFields(Type& meet, Visit&& visit) {
  auto& [nodes] = meet;
  visit(nodes);
}

template <Of<Met> Type, class Visit> void visitFields(Type& met, Visit&& visit) {
  auto& [haveAllJoined] = met;
  visit(haveAllJoined);
}

} // namespace clotho::node
