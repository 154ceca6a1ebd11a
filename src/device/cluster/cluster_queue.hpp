// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "device/cluster/host_copies.hpp"
#include "device/cluster/session.hpp"
#include "device/cluster/window.hpp"
#include "device/device.hpp"

#include <cstdint>

namespace clotho::cluster {

/// Services that the queues of a device share.
struct QueueServices {
  Session& session;
  const Window& window;
  HostCopies& copies;
};

/// A queue of a node's device: commands go there as soon as those that they follow have gone, which the node orders.
/// Copies of the application's memory wait for the ends of their predecessors.
class ClusterQueue final : public DeviceQueue {
 public:
  /// Throws CL_OUT_OF_RESOURCES if the device is lost.
  ClusterQueue(const QueueServices& services, const QueueTraits& traits);
  ~ClusterQueue() override;

  void start(Node& node, WorkList& ready) noexcept override;
  bool streams(const Copy& copy) const noexcept override { return sourceOf(copy) != nullptr; }

 private:
  void startSequence(Node& node, const Sequence& sequence, WorkList& ready) noexcept;
  /// The session from whose memory a copy comes here; null for other copies.
  Session* sourceOf(const Copy& copy) const noexcept;
  /// Begins to move bytes from the memory of another session.
  void startTransfer(Node& node, const Copy& copy, Session& from, WorkList& ready) noexcept;
  /// Whether a copy has one end in the application's memory; then whether it writes to the device's.
  bool isWithHost(const Copy& copy, bool& isWrite) const noexcept;

  const QueueServices services_;
  const std::uint32_t number_;
};

} // namespace clotho::cluster
