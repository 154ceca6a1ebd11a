// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cluster_status.hpp"

#include "cluster/setup.hpp"
#include "device/cluster/node_client.hpp"

#include <llvm/Support/FormatVariadic.h>
#include <llvm/Support/raw_ostream.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

namespace clotho::tools {

namespace {

/// A number of bytes with at most four digits before the unit.
std::string sizeText(std::uint64_t bytes) {
  constexpr std::array<const char*, 5> kUnits = {"B", "KiB", "MiB", "GiB", "TiB"};
  std::size_t unit = 0;
  for (; bytes >= 10'000 && unit + 1 < kUnits.size(); ++unit)
    bytes /= 1024;
  return std::to_string(bytes) + ' ' + kUnits[unit];
}

constexpr const char* kRow = "{0,-44} {1,8} {2,10} {3,10} {4,10}\n";

void show(const cluster::NodeStatus& node, bool isOwn) {
  llvm::outs() << llvm::formatv(kRow, node.host + (isOwn ? ", the node of this program" : ""), "", "",
                                sizeText(node.sentBytes), sizeText(node.receivedBytes));
  for (const cluster::DeviceStatus& device : node.devices)
    llvm::outs() << llvm::formatv(kRow, "  " + device.name, device.sessions, device.commands, "", "");
}

} // namespace

int showClusterStatus() {
  const std::optional<cluster::NodeClient> client = cluster::NodeClient::fromOptions();
  std::string why = "CLOTHO_CLUSTER names no node: run this in a program of clotho cluster";
  const std::optional<cluster::ClusterStatus> status = client ? client->status(why) : std::nullopt;
  if (!status) {
    llvm::errs() << "error: " << why << '\n';
    return 1;
  }
  llvm::outs() << llvm::formatv(kRow, "node, device", "programs", "commands", "sent", "received");
  for (const cluster::NodeStatus& node : status->nodes)
    show(node, &node == &status->nodes.front());
  return 0;
}

} // namespace clotho::tools
