// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "node/relay/roster.hpp"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

namespace clotho::node {
namespace {

using Names = std::vector<std::pair<NodeId, std::string>>;

TEST(Roster, NodesOfOneMachineAreNumbered) {
  Roster roster("near", 0);
  for (const auto& [node, host] : Names{{1, "near"}, {2, "far"}, {3, "near"}, {4, "far"}})
    roster.joined(node, host);
  EXPECT_EQ(roster.nodes(), (Names{{1, "near"}, {2, "far"}, {3, "near:2"}, {4, "far:2"}}));
}

TEST(Roster, ANodeWithDevicesIsTheFirstOfItsMachine) {
  Roster roster("near", 1);
  roster.joined(1, "near");
  roster.joined(2, "far");
  EXPECT_EQ(roster.nodes(), (Names{{1, "near:2"}, {2, "far"}}));
}

TEST(Roster, NamesStayWithTheirNodes) {
  Roster roster("near", 0);
  for (NodeId node = 1; node <= 3; ++node)
    roster.joined(node, "far");
  roster.lost(1);
  roster.joined(4, "far");
  EXPECT_EQ(roster.nodes(), (Names{{2, "far:2"}, {3, "far:3"}, {4, "far:4"}}));
}

// Nodes join in any order. Devices follow that of the nodes, and keep their numbers.
TEST(Roster, AnOrderThatIsGivenNamesThem) {
  Roster roster("near", 5);
  for (const NodeId node : {3, 1, 9, 2}) {
    roster.joined(node, "far");
    cluster::DeviceDescription device;
    device.host = "its own word";
    EXPECT_TRUE(roster.listed(node, {{device}}));
  }
  roster.arrange({1, 2, 3, 7});
  EXPECT_EQ(roster.nodes(), (Names{{1, "far"}, {2, "far:2"}, {3, "far:3"}, {9, "far:4"}}));
  std::vector<std::pair<std::uint32_t, std::string>> devices;
  for (const cluster::DeviceDescription& device : roster.devices())
    devices.emplace_back(device.number, device.host);
  EXPECT_EQ(devices,
            (std::vector<std::pair<std::uint32_t, std::string>>{{6, "far"}, {8, "far:2"}, {5, "far:3"}, {7, "far:4"}}));
  EXPECT_EQ(roster.find(std::uint32_t{8})->node, 2u);
}

} // namespace
} // namespace clotho::node
