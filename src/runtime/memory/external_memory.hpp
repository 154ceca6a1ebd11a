// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "base/object.hpp"
#include "base/unique_fd.hpp"
#include "device/device.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace clotho {

/// Memory that an application wants to import (cl_khr_external_memory).
struct ExternalImport {
  enum class Sort : std::uint8_t {
    File,   ///< that can be mapped: of memory (memfd_create, shm_open) or of a disk
    DmaBuf, ///< Linux's buffers, which drivers share
  };
  Sort sort;
  int fd;
  std::vector<Ref<Device>> devices; ///< for which it is

  /// How many bytes there are; nothing when the descriptor is not of that sort.
  std::optional<std::uint64_t> size() const noexcept;
};

/// Memory of another program's or driver's. It lies among the addresses of this process as long as this object lives,
/// and who else has it mapped sees each store.
class ExternalMemory {
 public:
  /// `size` bytes from the first on. The descriptor stays the caller's until `takeDescriptor`. Throws
  /// CL_INVALID_PROPERTY where it does not allow to write, CL_MEM_OBJECT_ALLOCATION_FAILURE.
  ExternalMemory(ExternalImport import, std::size_t size, bool isWritten);
  ~ExternalMemory();
  ExternalMemory(const ExternalMemory&) = delete;
  ExternalMemory& operator=(const ExternalMemory&) = delete;

  void* bytes() const { return bytes_; }
  bool isFor(const Device& device) const;
  /// Nothing can fail any more: the descriptor goes over to the driver, which keeps it if it needs it.
  void takeDescriptor() noexcept;

  /// Whether the kernel wants to be told when the processor begins to use the bytes, and when it has done so; which
  /// may take until other devices are done with them.
  bool isAnnounced() const { return import_.sort == ExternalImport::Sort::DmaBuf; }
  void announce(bool begins) const noexcept;

 private:
  void sealSize() const noexcept;

  const ExternalImport import_;
  const bool isWritten_;
  std::size_t mapped_ = 0;
  void* bytes_ = nullptr;
  UniqueFd descriptor_;
};

} // namespace clotho
