// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "device/cuda/context.hpp"

#include "base/clock.hpp"
#include "base/error.hpp"
#include "base/log.hpp"
#include "device/cuda/addresses.hpp"

#include <cstdlib>
#include <new>
#include <unistd.h>

namespace clotho::cuda {

namespace {

/// Memory that has no addresses yet comes in multiples of so many bytes, on all GPUs.
constexpr std::size_t kGranule = std::size_t{2} << 20;

std::size_t toGranules(std::size_t bytes) { return (bytes + kGranule - 1) / kGranule * kGranule; }

/// Whether an error ends the context: faults of kernels and of the hardware, and contexts that are gone. Other errors
/// are those of the one call.
bool isFatal(CUresult result) {
  switch (static_cast<int>(result)) {
  case 4:   // CUDA_ERROR_DEINITIALIZED
  case 46:  // CUDA_ERROR_DEVICE_UNAVAILABLE
  case 201: // CUDA_ERROR_INVALID_CONTEXT
  case 214: // CUDA_ERROR_ECC_UNCORRECTABLE
  case 220: // CUDA_ERROR_NVLINK_UNCORRECTABLE
  case 226: // CUDA_ERROR_CONTAINED
  case 700: // CUDA_ERROR_ILLEGAL_ADDRESS
  case 702: // CUDA_ERROR_LAUNCH_TIMEOUT
  case 709: // CUDA_ERROR_CONTEXT_IS_DESTROYED
  case 710: // CUDA_ERROR_ASSERT
  case 714: // CUDA_ERROR_HARDWARE_STACK_ERROR
  case 715: // CUDA_ERROR_ILLEGAL_INSTRUCTION
  case 716: // CUDA_ERROR_MISALIGNED_ADDRESS
  case 717: // CUDA_ERROR_INVALID_ADDRESS_SPACE
  case 718: // CUDA_ERROR_INVALID_PC
  case 719: // CUDA_ERROR_LAUNCH_FAILED
  case 721: // CUDA_ERROR_TENSOR_MEMORY_LEAK
  case 999: // CUDA_ERROR_UNKNOWN
    return true;
  default: return false;
  }
}

} // namespace

Context::Context(const Driver& api, CUdevice device) : api_(api), device_(device) {
  const CUresult created = api_.ctxCreate(&context_, kScheduleBlocking, device);
  if (created != CUresult::Success) {
    CLOTHO_LOG(Device, Error, "no CUDA context can be made: %s", describe(created).c_str());
    throw Error{CL_OUT_OF_RESOURCES, "no CUDA context can be made"};
  }
  pool_.emplace(api_, device);
  CUcontext popped;
  api_.ctxPopCurrent(&popped);
  leaveBeforeDriver();
}

// Handlers run in the reverse order, so one that is registered when there is a context comes before the driver's own.
void Context::leaveBeforeDriver() noexcept {
  static constinit std::atomic<Context*> newest{nullptr};
  static constinit pid_t process = 0;
  const auto leaveAll = [](int, void*) {
    if (getpid() != process) return; // a forked child has none of the threads
    for (Context* each = newest.load(std::memory_order_acquire); each; each = each->older_)
      each->leaveAtExit();
  };
  process = getpid();
  older_ = newest.load(std::memory_order_relaxed);
  while (!newest.compare_exchange_weak(older_, this, std::memory_order_acq_rel)) {
  }
  // Unlike atexit(), this is of the process, not of the library.
  if (!older_ && on_exit(leaveAll, nullptr) != 0)
    CLOTHO_LOG(Device, Warn, "%s",
               "commands that run when the process ends may make it fail: no handler can be registered");
}

void Context::leaveAtExit() noexcept {
  constexpr std::uint64_t kPatience = 300'000'000; // ns; copies of the application's memory may take so long
  constexpr timespec kPause{0, 100'000};
  CUresult none = CUresult::Success;
  lost_.compare_exchange_strong(none, CUresult::Deinitialised, std::memory_order_seq_cst);
  isLeft_.store(true, std::memory_order_seq_cst);
  for (const std::uint64_t end = hostTime() + kPatience;
       inside_.load(std::memory_order_seq_cst) != 0 && hostTime() < end;)
    nanosleep(&kPause, nullptr);
}

void Context::noteFailure(CUresult result) noexcept {
  if (isLost()) return;
  CUresult none = CUresult::Success;
  if (!isFatal(result) && result != CUresult::NotReady && logEnabled(LogArea::Device, LogLevel::Warn)) {
    try {
      CLOTHO_LOG(Device, Warn, "a call of CUDA's failed: %s", describe(result).c_str());
    } catch (const std::bad_alloc&) {
      // The call's own status tells it all the same.
    }
  }
  if (!isFatal(result) || !lost_.compare_exchange_strong(none, result, std::memory_order_acq_rel)) return;
  if (result == CUresult::Deinitialised) return;
  try {
    CLOTHO_LOG(Device, Error, "the GPU is lost to this process: %s", describe(result).c_str());
  } catch (const std::bad_alloc&) {
    // The commands' status tells it all the same.
  }
}

void Context::reach(Context& peer, CUdevice device) noexcept {
  {
    const Current current(*this);
    if (isLost()) return;
    const CUresult enabled = api_.ctxEnablePeerAccess(peer.context_, 0);
    if (enabled != CUresult::PeerAccessAlreadyEnabled && !succeeded(enabled)) return;
  }
  const Current current(peer);
  if (!peer.isLost()) peer.succeeded(peer.pool_->allowAccess(device));
}

CUdeviceptr Context::allocate(std::size_t bytes) noexcept {
  const Current current(*this);
  if (isLost()) return 0;
  CUdeviceptr address = 0;
  if (!succeeded(pool_->allocate(address, bytes))) return 0;
  try {
    Addresses::get().add(address, bytes, Addresses::Kind::Device);
  } catch (const std::bad_alloc&) {
    pool_->deallocate(address);
    return 0;
  }
  return address;
}

void Context::deallocate(CUdeviceptr address) noexcept {
  Addresses::get().remove(address);
  const Current current(*this);
  if (!isLost()) succeeded(pool_->deallocate(address));
}

// The driver takes an address as a wish.
bool Context::allocateAt(CUdeviceptr wanted, std::size_t bytes) noexcept {
  const Current current(*this);
  bytes = toGranules(bytes);
  CUdeviceptr address = 0;
  if (isLost() || !succeeded(api_.memAddressReserve(&address, bytes, 0, wanted, 0))) return false;
  try {
    if (address == wanted && map(address, bytes)) {
      Addresses::get().add(address, bytes, Addresses::Kind::Device);
      return true;
    }
  } catch (const std::bad_alloc&) {
    api_.memUnmap(address, bytes);
  }
  api_.memAddressFree(address, bytes);
  return false;
}

bool Context::map(CUdeviceptr address, std::size_t bytes) noexcept {
  const AllocationProperties properties{.locationId = device_};
  const PoolAccess access{.locationId = device_};
  CUmemHandle memory = 0;
  if (!succeeded(api_.memCreate(&memory, bytes, &properties, 0))) return false;
  const bool isMapped = succeeded(api_.memMap(address, bytes, 0, memory, 0));
  api_.memRelease(memory); // it lives as long as it is mapped
  if (!isMapped) return false;
  if (succeeded(api_.memSetAccess(address, bytes, &access, 1))) return true;
  api_.memUnmap(address, bytes);
  return false;
}

void Context::deallocateAt(CUdeviceptr address, std::size_t bytes) noexcept {
  Addresses::get().remove(address);
  const Current current(*this);
  bytes = toGranules(bytes);
  if (!isLost() && succeeded(api_.memUnmap(address, bytes))) succeeded(api_.memAddressFree(address, bytes));
}

CUdeviceptr Context::allocateIn(CUstream stream, std::size_t bytes) noexcept {
  CUdeviceptr address = 0;
  if (!succeeded(pool_->allocate(address, bytes, stream))) return 0;
  try {
    Addresses::get().add(address, bytes, Addresses::Kind::Device);
  } catch (const std::bad_alloc&) {
    pool_->deallocate(address, stream);
    return 0;
  }
  return address;
}

void Context::deallocateIn(CUstream stream, CUdeviceptr address) noexcept {
  Addresses::get().remove(address);
  succeeded(pool_->deallocate(address, stream));
}

} // namespace clotho::cuda
