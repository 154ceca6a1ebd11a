// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "device/cluster/cluster_device.hpp"

#include "base/log.hpp"
#include "base/options.hpp"
#include "base/uuid.hpp"
#include "device/cluster/cluster_program.hpp"
#include "device/cluster/device_check.hpp"
#include "trace/transfer_queues.hpp"

#include <algorithm>
#include <new>
#include <numeric>
#include <string>
#include <utility>

namespace clotho::cluster {

namespace {

/// The properties of a device as this process sees them.
DeviceProperties propertiesOf(const DeviceDescription& description) {
  DeviceProperties result = description.properties;
  result.uuid = uuidOf("Clotho node device " + std::to_string(description.number) + ' ' + result.name + " on " +
                       description.host);
  result.name += " on " + description.host;
  result.driverVersion = CLOTHO_VERSION;
  result.queueProperties |= CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE;
  // Atomic operations reach no other device's memory.
  result.atomics &= ~cl_device_atomic_capabilities{CL_DEVICE_ATOMIC_SCOPE_ALL_DEVICES};
  result.fences &= ~cl_device_atomic_capabilities{CL_DEVICE_ATOMIC_SCOPE_ALL_DEVICES};
  return result;
}

Claims claimsOf(const DeviceDescription& description) {
  Claims result = Claims::of(claims::kCluster);
  result &= description.claims;
  return result;
}

/// Opens a session with a window of addresses that both processes can have: where neither has anything else. Only
/// addresses that the node refuses are worth another attempt. A device with memory of its own that cannot place it
/// answers with other addresses, which this process has or not: there is no memory for a second attempt.
std::optional<NodeClient::Opened> openWithWindow(const NodeClient& client, OpenSession question, bool hasOwnMemory,
                                                 std::unique_ptr<Window>& window, std::string& why, bool& isGone) {
  constexpr int kTries = 16;
  constexpr const char* kNoAddresses = "this process has no addresses for its memory";
  std::vector<std::unique_ptr<Window>> refused; // kept meanwhile, so that the next ones are elsewhere
  for (int i = 0; i < kTries; ++i) {
    window = hasOwnMemory ? std::make_unique<Window>(question.windowSize, DeviceMemory::kPlaceAlignment)
                          : std::make_unique<Window>(question.windowSize);
    question.window = window->base();
    if (window->size() == 0) {
      if (i == 0) why = kNoAddresses;
      break;
    }
    NodeClient::Failure failure{};
    std::optional<NodeClient::Opened> opened = client.open(question, why, failure);
    if (opened && hasOwnMemory && opened->window != question.window) {
      window = nullptr;
      window = std::make_unique<Window>(question.windowSize, Window::At{opened->window});
      why = kNoAddresses;
      if (window->size() == 0) break;
    }
    if (opened) return opened;
    isGone = failure == NodeClient::Failure::Gone;
    if (failure != NodeClient::Failure::Addresses) break;
    refused.push_back(std::move(window));
  }
  return std::nullopt;
}

} // namespace

ClusterDevice::ClusterDevice(NodeClient client, const DeviceDescription& description, PeerGroup& peers)
    : client_(std::move(client)), number_(description.number), hasOwnMemory_(description.hasOwnMemory),
      peers_(hasOwnMemory_ ? nullptr : &peers), properties_(propertiesOf(description)), claims_(claimsOf(description)),
      target_{TargetKind::Portable, "", "", 0, kDefaultSubGroupSize, options().skippedPasses}, memory_(*this) {}

ClusterDevice::Running& ClusterDevice::running() {
  if (Running* running = runningIfAny()) [[likely]]
    return *running;
  MutexLock lock(mutex_);
  if (Running* running = running_.load(std::memory_order_relaxed)) return *running;
  check(!isGone_.load(std::memory_order_relaxed), CL_DEVICE_NOT_AVAILABLE, "the node's device is not of this process");
  std::string why;
  std::unique_ptr<Window> window;
  bool isGone = false;
  std::optional<NodeClient::Opened> opened =
      openWithWindow(client_, {.device = number_, .windowSize = Window::roomFor(properties_.globalMemorySize)},
                     hasOwnMemory_, window, why, isGone);
  if (!opened) {
    CLOTHO_LOG(Device, Error, "the device '%s' cannot be used: %s", properties_.name.c_str(), why.c_str());
    if (isGone) isGone_.store(true, std::memory_order_release);
  }
  check(opened.has_value(), CL_DEVICE_NOT_AVAILABLE, "the node does not open a session");
  auto fresh = std::make_unique<Running>(client_, std::move(*opened), std::move(window), peers_, properties_);
  fresh->session.start();
  trace::addTransferQueue(&fresh->memory.transfers(), static_cast<const Device*>(this), properties_.name);
  running_.store(fresh.get(), std::memory_order_release);
  return *fresh.release();
}

std::unique_ptr<DeviceProgram> ClusterDevice::load(std::shared_ptr<const BuildResult> built, std::string& log) {
  return std::make_unique<ClusterProgram>(running().session, std::move(built), claims_, log);
}

std::unique_ptr<DeviceQueue> ClusterDevice::makeQueue(const QueueTraits& traits) {
  return std::make_unique<ClusterQueue>(running().services, traits);
}

void ClusterDevice::checkCode(const BuildResult&) const {
  check(false, CL_INVALID_BINARY, "a program for a node's device has no machine code");
}

bool ClusterDevice::isAvailable() const noexcept {
  if (isGone_.load(std::memory_order_acquire)) return false;
  const Running* running = runningIfAny();
  return !running || !running->session.isLost();
}

// The session is the parent's: what it has in flight, its memory and its programs.
void ClusterDevice::afterFork() {
  new (&mutex_) Mutex; // a thread of the parent's may have held it
  isGone_.store(true, std::memory_order_release);
  if (Running* running = runningIfAny()) running->session.leaveInChild();
}

UnitList ClusterDevice::units() const {
  UnitList all(properties_.computeUnits);
  std::iota(all.begin(), all.end(), 0U);
  return all;
}

void ClusterDevice::help(Filter, Condition over, const void* context) noexcept {
  if (Running* running = runningIfAny()) running->session.help(over, context);
}

// --- Memory ---

void* ClusterDevice::Memory::allocate(std::size_t size, std::size_t alignment) noexcept {
  try {
    return device_.running().memory.allocate(size, alignment);
  } catch (...) {
    return nullptr;
  }
}

void ClusterDevice::Memory::deallocate(void* memory, std::size_t size) noexcept {
  if (Running* running = device_.runningIfAny(); running && memory) running->memory.deallocate(memory, size);
}

bool ClusterDevice::Memory::write(void* to, const void* from, std::size_t size) noexcept {
  Running* running = device_.runningIfAny();
  return running && running->memory.write(to, from, size);
}

bool ClusterDevice::Memory::canCopyFrom(const DeviceMemory& other) const noexcept {
  const auto canMove = [](const ClusterDevice& device) {
    const Running* running = device.runningIfAny();
    return running && running->session.hasPeers() && !running->session.isLost();
  };
  const auto* memory = dynamic_cast<const Memory*>(&other);
  return memory && memory->device_.peers_ == device_.peers_ && canMove(device_) && canMove(memory->device_);
}

// Only of memory that there is.
DeviceQueue& ClusterDevice::Memory::transfers() noexcept { return device_.runningIfAny()->memory.transfers(); }

} // namespace clotho::cluster

namespace clotho {

std::vector<Ref<Device>> makeClusterDevices() {
  constexpr std::size_t kMost = 63; // homes of a context beside the host's
  std::vector<Ref<Device>> devices;
  std::optional<cluster::NodeClient> client = cluster::NodeClient::fromOptions();
  if (!client) return devices;
  std::string why;
  const std::optional<cluster::DeviceList> list = client->devices(why);
  if (!list) {
    CLOTHO_LOG(Device, Error, "CLOTHO_CLUSTER: the node cannot be used: %s", why.c_str());
    return devices;
  }
  static auto* const peers = new cluster::PeerGroup; // never destroyed, as the devices
  if (list->devices.size() > kMost)
    CLOTHO_LOG(Device, Error, "CLOTHO_CLUSTER: the nodes have %zu devices, of which %zu can be used",
               list->devices.size(), kMost);
  for (std::uint32_t i = 0; i < std::min(list->devices.size(), kMost); ++i) {
    if (const char* impossible = cluster::whyImpossible(list->devices[i])) {
      CLOTHO_LOG(Device, Error, "CLOTHO_CLUSTER: a device of the node cannot be used: %s", impossible);
      continue;
    }
    devices.push_back(
        Ref<cluster::ClusterDevice>::adopt(new cluster::ClusterDevice(*client, list->devices[i], *peers)));
  }
  return devices;
}

} // namespace clotho
