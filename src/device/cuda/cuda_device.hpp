// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "base/clock.hpp"
#include "device/cuda/context.hpp"
#include "device/cuda/host_pages.hpp"
#include "device/cuda/stream.hpp"
#include "device/device.hpp"
#include "device/device_memory.hpp"

#include <atomic>
#include <memory>
#include <vector>

namespace clotho::cuda {

/// One NVIDIA GPU. Lives as long as the process. Its CUDA context is made when it is first used.
class CudaDevice final : public Device, public DeviceEnqueue, private Helping {
 public:
  CudaDevice(const Driver& api, CUdevice device);

  const DeviceProperties& properties() const noexcept override { return properties_; }
  const Claims& claims() const noexcept override { return claims_; }
  const Target& target() const noexcept override { return target_; }
  std::unique_ptr<DeviceProgram> load(std::shared_ptr<const BuildResult> built, std::string& log) override;
  std::unique_ptr<DeviceQueue> makeQueue(const QueueTraits& traits) override;
  void checkCode(const BuildResult& built) const override;
  std::uint64_t now() const noexcept override { return hostTime(); }
  bool isAvailable() const noexcept override {
    const Running* running = running_.load(std::memory_order_acquire);
    return !isOfParent_.load(std::memory_order_relaxed) && !(running && running->context.isLost());
  }
  UnitList units() const override;
  void afterFork() override;
  void startThreads() override {}
  DeviceMemory* memory() noexcept override { return &memory_; }
  Helping* helping() noexcept override { return this; }
  DeviceEnqueue* deviceEnqueue() noexcept override {
    return claims_.has(claims::rowOf("__opencl_c_device_enqueue")) ? this : nullptr;
  }
  Ref<OnDeviceQueue> makeOnDeviceQueue(const OnDeviceQueueTraits& traits) override;

 private:
  /// State that exists once the device is used.
  struct Running {
    Running(const Driver& api, CUdevice device, const DeviceProperties& properties, bool kernelsReachHost)
        : context(api, device), pinned(context), managed(context, device, properties.globalMemorySize),
          services(context, properties, kernelsReachHost) {}
    Context context;
    PinnedPages pinned;
    ManagedMemory managed;
    QueueServices services;
    std::unique_ptr<CudaQueue> transfers; ///< between the device's memory and others
  };
  /// The device's memory, which contexts know before anything is in it.
  class Memory final : public DeviceMemory {
   public:
    explicit Memory(CudaDevice& device) : device_(device) {}
    void* allocate(std::size_t size, std::size_t alignment) noexcept override;
    void deallocate(void* memory, std::size_t size) noexcept override;
    bool canPlace() const noexcept override { return device_.canPlaceMemory_; }
    bool allocateAt(void* memory, std::size_t size) noexcept override;
    void deallocateAt(void* memory, std::size_t size) noexcept override;
    bool write(void* to, const void* from, std::size_t size) noexcept override;
    DeviceQueue& transfers() noexcept override {
      if (Running* running = device_.running_.load(std::memory_order_acquire)) return *running->transfers;
      return noTransfers_;
    }
    bool pin(void* memory, std::size_t size) noexcept override;
    bool unpin(void* memory) noexcept override;
    bool canShare() const noexcept override { return device_.properties_.svmCapabilities != 0; }
    void* allocateShared(std::size_t size, std::size_t alignment, bool isOwned) noexcept override;
    void deallocateShared(void* memory) noexcept override;
    /// From other GPUs: addresses tell CUDA whose they are.
    bool canCopyFrom(const DeviceMemory& other) const noexcept override {
      const auto* peer = dynamic_cast<const Memory*>(&other);
      if (peer) device_.reach(peer->device_);
      return peer != nullptr;
    }

   private:
    /// Transfers in a forked child, which has no GPU.
    class NoTransfers final : public DeviceQueue {
     public:
      void start(Node& node, WorkList& ready) noexcept override { node.complete(CL_OUT_OF_RESOURCES, ready); }
    };

    CudaDevice& device_;
    NoTransfers noTransfers_;
  };

  ~CudaDevice() override = default;
  void destroy() noexcept override {}
  void help(Filter wanted, Condition over, const void* context) noexcept override;
  /// Once for each other GPU: lets this one copy from it.
  void reach(const CudaDevice& peer) noexcept EXCLUDES(mutex_);
  /// Throws CL_OUT_OF_RESOURCES, or CL_DEVICE_NOT_AVAILABLE in a forked child.
  Running& running() EXCLUDES(mutex_);

  const Driver& api_;
  const CUdevice device_;
  const DeviceProperties properties_;
  const bool canPlaceMemory_;
  const Claims claims_;
  const Target target_;
  const int sharedBytes_;
  Memory memory_{*this};
  Mutex mutex_;
  std::vector<const CudaDevice*> reached_ GUARDED_BY(mutex_);
  std::atomic<bool> isOfParent_{false}; ///< this process is a forked child, in which CUDA does not work
  std::atomic<Running*> running_{nullptr};
  Running* made_ GUARDED_BY(mutex_) = nullptr; ///< that, once all of it works
};

} // namespace clotho::cuda

namespace clotho {

/// The NVIDIA GPUs that CUDA shows to this process; none where there is no driver, or one that is too old.
std::vector<Ref<Device>> makeCudaDevices();

} // namespace clotho
