// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "cluster/setup.hpp"

#include <cstdint>
#include <variant>

/// Questions of a node to another one, by Frame::Kind::Ask. They are those of programs, which the node passes on.
namespace clotho::node {

/// Asks for a session of a program of the asking node, which chooses its number. The answer is a SessionOpened.
struct OpenRemote {
  std::uint64_t session = 0;
  std::uint64_t you = 0;       ///< the answering node, as the asking one knows it
  cluster::OpenSession open{}; ///< the device by its place among those of the answering node
};

/// A BuildProgram is for a session that the asking node has opened. The answer to AskStatus is the NodeStatus of the
/// answering node.
using Inquiry = std::variant<OpenRemote, cluster::BuildProgram, cluster::AskStatus>;

template <Of<OpenRemote> Type, class Visit> void visitFields(Type& remote, Visit&& visit) {
  auto& [session, you, open] = remote;
  visitEach(visit, session, you, open);
}

} // namespace clotho::node
