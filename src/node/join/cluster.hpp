// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "node/fabric/addresses.hpp"
#include "node/fabric/mesh.hpp"
#include "node/join/launcher.hpp"
#include "node/join/membership.hpp"

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace clotho::node {

/// The cluster that a node is in, and the ways into it.
class Cluster {
 public:
  /// Takes the fabric, once, and returns who is to hear what it says, from the beginning; null: messages are forgotten.
  /// The receiver outlives the cluster.
  using Attach = std::function<Fabric::Receiver*(Fabric&)>;

  /// The copies of this process that a launcher has started: rank 0 makes the token. Returns when all have joined each
  /// other. Null, and the reason in `why`, if they do not. `interface`: empty for that on the way to the others.
  static std::unique_ptr<Cluster> ofLauncher(Launcher& launcher, const std::string& interface, const Attach& attach,
                                             std::string& why);
  /// Services, and the devices of this node for them. Nodes that do not join are told in `why`; null if none does.
  static std::unique_ptr<Cluster> ofServices(const std::vector<HostPort>& services, const cluster::Token& token,
                                             const std::string& interface, const Attach& attach, std::string& why);
  /// A service, which other nodes may join. `host`: an own address, or that of the interface if empty. Null, and the
  /// reason in `why`, if it cannot listen there.
  static std::unique_ptr<Cluster> asService(const HostPort& listen, const cluster::Token& token,
                                            const std::string& interface, const Attach& attach, std::string& why);

  /// At the process's end: leaves the other nodes, and stays as it is, since threads may still send.
  static void leave(std::unique_ptr<Cluster> cluster);

  Mesh& mesh() { return *mesh_; }
  std::uint32_t rank() const { return rank_; }
  /// The nodes, perhaps with this one, in an order that is the same each time: of ranks, or of services by address.
  const std::vector<NodeId>& nodes() const { return nodes_; }
  /// A descriptor that can be read once rank 0 is gone.
  const UniqueFd& endOfFirst() { return membership_.watch(first_); }

 private:
  Cluster() = default;
  /// Opens the mesh, and begins to hear other nodes.
  bool open(const Mesh::Options& options, const Attach& attach, std::string& why);
  bool joinRanks(Launcher& launcher, std::string& why);

  Membership membership_;
  std::unique_ptr<Mesh> mesh_; ///< ends before the membership, which it tells of nodes
  std::uint32_t rank_ = 0;
  NodeId first_ = 0;
  std::vector<NodeId> nodes_;
};

} // namespace clotho::node
