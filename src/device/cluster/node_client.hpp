// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "base/unique_fd.hpp"
#include "cluster/handshake.hpp"
#include "cluster/link.hpp"
#include "cluster/setup.hpp"

#include <optional>
#include <string>

namespace clotho::cluster {

/// The local node, as the environment names it. Each question has a connection of its own, so that none waits for
/// another.
class NodeClient {
 public:
  /// The node of CLOTHO_CLUSTER, which is started if services are named there, and waited for until it has joined them.
  /// Nothing where none is named, or where the name or the token make no sense, which a line in the log says.
  static std::optional<NodeClient> fromOptions();
  /// A node of this process that has joined services, "HOST:PORT,...". `problem`: what is amiss, if anything is;
  /// nothing if none of them could be joined.
  static std::optional<NodeClient> ofServices(const std::string& services, std::string& problem);
  NodeClient(std::string name, const Token& token) : name_(std::move(name)), token_(token) {}

  enum class Failure : std::uint8_t {
    Gone,      ///< there is no such node any more, or it is not this one's
    Transient, ///< it does not answer, or there are no resources
    Addresses, ///< it wants to be asked for other addresses
  };
  /// A connection on which a question may be asked; empty, and the reason in `why`, if there is none.
  UniqueFd connect(std::string& why) const;
  UniqueFd connect(std::string& why, Failure& failure) const;
  /// The devices of the node; nothing, and the reason in `why`, if it does not answer.
  std::optional<DeviceList> devices(std::string& why) const;
  /// The counts of the node and of those that have joined it; nothing, and the reason in `why`, if it does not answer.
  std::optional<ClusterStatus> status(std::string& why) const;
  /// A link for commands, and the number of its session; nothing, and the reason in `why`, if the node refuses.
  struct Opened {
    Link::Parts parts;
    std::uint64_t session;
    std::uint64_t window; ///< address of the device's memory
    std::uint64_t node = 0;
  };
  std::optional<Opened> open(const OpenSession& question, std::string& why, Failure& failure) const;

 private:
  template <class Answer> std::optional<Answer> ask(const Question& question, int patienceMs, std::string& why) const;

  std::string name_;
  Token token_;
};

} // namespace clotho::cluster
