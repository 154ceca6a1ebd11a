// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "cluster/token.hpp"
#include "node/fabric/fabric.hpp"

#include <memory>
#include <netinet/in.h>
#include <optional>
#include <string>
#include <vector>

namespace clotho::node {

/// A fabric, and how nodes come into it: each is connected to each other one.
class Mesh : public Fabric {
 public:
  struct Options {
    cluster::Token token;    ///< of the cluster
    std::string interface{}; ///< of the network, for everything but shared memory
    std::optional<sockaddr_in>
        listen{}; ///< own address at which other nodes may call, port 0 for any; none: they may not
  };
  struct Failure {
    std::string address, why;
  };

  /// Begins to hear other nodes, until the mesh is destroyed. Once. The receiver outlives the mesh.
  virtual void start(Receiver& receiver) = 0;
  /// Leaves all other nodes. From then on the receiver hears nothing, and messages go nowhere.
  virtual void stop() = 0;
  /// This node's number.
  virtual NodeId self() const noexcept = 0;
  /// HOST:PORT, in numbers, at which this node listens; empty if it does not.
  virtual const std::string& address() const noexcept = 0;
  /// Calls the nodes at these addresses, HOST:PORT in numbers. Returns when each has joined or failed, in a few
  /// seconds. A node that has joined already does so again.
  virtual std::vector<Failure> join(const std::vector<std::string>& addresses) = 0;
  /// Has all nodes that have joined join each other, and waits for it, a few seconds at most. Whether they all have.
  virtual bool meetEachOther() = 0;
  /// The nodes that have joined and listen at these addresses, in their order.
  virtual std::vector<NodeId> nodesAt(const std::vector<std::string>& addresses) = 0;
};

/// A mesh by TCP, and by UCX where that is asked for. Null, and the reason in `why`, if there can be none.
std::unique_ptr<Mesh> openMesh(const Mesh::Options& options, std::string& why);

} // namespace clotho::node
