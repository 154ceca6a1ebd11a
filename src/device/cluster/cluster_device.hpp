// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "base/clock.hpp"
#include "base/mutex.hpp"
#include "cluster/setup.hpp"
#include "device/cluster/cluster_memory.hpp"
#include "device/cluster/node_client.hpp"
#include "device/device.hpp"

#include <atomic>
#include <memory>
#include <vector>

namespace clotho::cluster {

/// A device of another process, the node, which has a compiler and caches of its own. Lives as long as the process.
/// Nothing but its description is here until the device is used.
class ClusterDevice final : public Device, private Helping {
 public:
  /// `peers`: of devices of the same nodes; it lives as long as the process.
  ClusterDevice(NodeClient client, const DeviceDescription& description, PeerGroup& peers);

  const DeviceProperties& properties() const noexcept override { return properties_; }
  const Claims& claims() const noexcept override { return claims_; }
  const Target& target() const noexcept override { return target_; }
  std::unique_ptr<DeviceProgram> load(std::shared_ptr<const BuildResult> built, std::string& log) override;
  std::unique_ptr<DeviceQueue> makeQueue(const QueueTraits& traits) override;
  void checkCode(const BuildResult& built) const override;
  bool isAvailable() const noexcept override;
  std::uint64_t now() const noexcept override { return hostTime(); }
  void afterFork() override;
  void startThreads() override { static_cast<void>(running()); }
  UnitList units() const override;
  DeviceMemory* memory() noexcept override { return &memory_; }
  Helping* helping() noexcept override { return this; }

 private:
  /// The state that exists once the device is used.
  struct Running {
    Running(NodeClient client, NodeClient::Opened opened, std::unique_ptr<Window> addresses, PeerGroup* group,
            const DeviceProperties& properties)
        : window(std::move(addresses)),
          session(std::move(client), std::move(opened), group, window.get(), properties.name), copies(session),
          services{session, *window, copies}, memory(services, *window, properties.globalMemorySize) {}

    const std::unique_ptr<Window> window;
    Session session;
    HostCopies copies;
    const QueueServices services;
    ClusterMemory memory;
  };

  /// Memory that is asked for before the device runs.
  class Memory final : public DeviceMemory {
   public:
    explicit Memory(ClusterDevice& device) : device_(device) {}
    void* allocate(std::size_t size, std::size_t alignment) noexcept override;
    void deallocate(void* memory, std::size_t size) noexcept override;
    bool write(void* to, const void* from, std::size_t size) noexcept override;
    DeviceQueue& transfers() noexcept override;
    bool canCopyFrom(const DeviceMemory& other) const noexcept override;

   private:
    ClusterDevice& device_;
  };

  ~ClusterDevice() override = default;
  void destroy() noexcept override {}
  void help(Filter wanted, Condition over, const void* context) noexcept override;
  /// Opens the session with the first call. Throws CL_DEVICE_NOT_AVAILABLE if the node refuses, or in a forked child.
  Running& running() EXCLUDES(mutex_);
  Running* runningIfAny() const noexcept { return running_.load(std::memory_order_acquire); }

  const NodeClient client_;
  const std::uint32_t number_; ///< at the node
  const bool hasOwnMemory_;    ///< at the node, which chooses its addresses
  PeerGroup* const peers_;     ///< null: bytes of its memory take the way by the host
  const DeviceProperties properties_;
  const Claims claims_;
  const Target target_;
  Memory memory_;
  Mutex mutex_;
  std::atomic<Running*> running_{nullptr}; ///< never destroyed, since its thread uses it
  std::atomic<bool> isGone_{false};        ///< it cannot be used in this process
};

} // namespace clotho::cluster

namespace clotho {

/// The devices of the local node and of those that it knows, if there is one (CLOTHO_CLUSTER).
std::vector<Ref<Device>> makeClusterDevices();

} // namespace clotho
