// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cluster_status.hpp"

#include "base/options.hpp"
#include "cluster/setup.hpp"
#include "device/cluster/node_client.hpp"

#include <llvm/Support/FormatVariadic.h>
#include <llvm/Support/raw_ostream.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <span>
#include <string>
#include <string_view>

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

/// A program's environment has the token of its own node, which services don't know.
// NOLINTBEGIN(concurrency-mt-unsafe): there is no other thread
void leaveProgramsCluster(const std::string& interface) {
  if (std::string_view(options().cluster).starts_with("local:")) unsetenv("CLOTHO_CLUSTER_TOKEN");
  if (!interface.empty()) setenv("CLOTHO_CLUSTER_INTERFACE", interface.c_str(), /*overwrite=*/1);
}
// NOLINTEND(concurrency-mt-unsafe)

} // namespace

int showClusterStatus(const std::string& named, const std::string& interface) {
  const std::string& variable = options().cluster;
  const bool isOfProgram = named.empty() && std::string_view(variable).starts_with("local:");
  const std::string& services = named.empty() && !isOfProgram ? variable : named;
  std::string problem, why = "name services as HOST:PORT, or run this in a program of clotho cluster";
  std::optional<cluster::NodeClient> client;
  if (isOfProgram) {
    client = cluster::NodeClient::fromOptions();
  } else if (!services.empty()) {
    leaveProgramsCluster(interface);
    client = cluster::NodeClient::ofServices(services, problem);
    why.clear();
  }
  const std::optional<cluster::ClusterStatus> status = client ? client->status(why) : std::nullopt;
  for (const std::string& each : {problem, status ? std::string() : why})
    if (!each.empty()) llvm::errs() << "error: " << each << '\n';
  if (!status) return 1;
  llvm::outs() << llvm::formatv(kRow, "node, device", "programs", "commands", "sent", "received");
  // The first node is the one that was asked: the program's, or this command's own, if it names services.
  for (const cluster::NodeStatus& node : std::span(status->nodes).subspan(isOfProgram || status->nodes.empty() ? 0 : 1))
    show(node, &node == &status->nodes.front());
  return problem.empty() ? 0 : 1;
}

} // namespace clotho::tools
