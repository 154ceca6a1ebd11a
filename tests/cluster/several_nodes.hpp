// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "cluster/token.hpp"
#include "local_fabric.hpp"
#include "node/server.hpp"

#include <memory>
#include <vector>

namespace clotho::node::test {

/// Nodes of one process that have all joined each other. The first one is the gateway of programs. Lives as long as the
/// process.
class SeveralNodes {
 public:
  /// `count`: of nodes. Each has the devices, the first one only if `isGatewayWithDevices`.
  SeveralNodes(const cluster::Token& token, const std::vector<Ref<Device>>& devices, std::size_t count,
               bool isGatewayWithDevices = false) {
    for (std::size_t i = 0; i < count; ++i) {
      const bool hasDevices = i > 0 || isGatewayWithDevices;
      servers_.push_back(std::make_unique<Server>(token, hasDevices ? devices : std::vector<Ref<Device>>()));
      servers_.back()->use(fabric_.add(idOf(i), "host" + std::to_string(i), servers_.back()->receiver()));
    }
    fabric_.joinAll();
  }

  static NodeId idOf(std::size_t node) { return 1000 + node; }
  Server& gateway() { return *servers_.front(); }
  LocalFabric& fabric() { return fabric_; }

 private:
  LocalFabric fabric_;
  std::vector<std::unique_ptr<Server>> servers_;
};

} // namespace clotho::node::test
