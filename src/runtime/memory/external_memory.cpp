// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/memory/external_memory.hpp"

#include "base/error.hpp"

#include <algorithm>
#include <cerrno>
#include <fcntl.h>
#include <linux/dma-buf.h>
#include <linux/magic.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <utility>

namespace clotho {

namespace {

/// Huge pages are mapped as wholes, and st_blksize is their size then.
std::size_t wholePages(int fd, std::size_t size) noexcept {
  struct stat status{};
  const bool isKnown = fstat(fd, &status) == 0 && status.st_blksize > 0;
  const std::size_t page = isKnown ? static_cast<std::size_t>(status.st_blksize) : 1;
  return (size + page - 1) / page * page;
}

bool isDmaBuf(int fd) noexcept {
  struct statfs system{};
  return fstatfs(fd, &system) == 0 && static_cast<std::uint32_t>(system.f_type) == DMA_BUF_MAGIC;
}

} // namespace

std::optional<std::uint64_t> ExternalImport::size() const noexcept {
  if (sort == Sort::DmaBuf) {
    const off_t end = isDmaBuf(fd) ? lseek(fd, 0, SEEK_END) : -1;
    return end < 0 ? std::nullopt : std::optional<std::uint64_t>(end);
  }
  struct stat status{};
  if (fstat(fd, &status) != 0 || !S_ISREG(status.st_mode)) return {};
  return static_cast<std::uint64_t>(status.st_size);
}

ExternalMemory::ExternalMemory(ExternalImport import, std::size_t size, bool isWritten)
    : import_(std::move(import)), isWritten_(isWritten), mapped_(wholePages(import_.fd, size)) {
  bytes_ = mmap(nullptr, mapped_, isWritten ? PROT_READ | PROT_WRITE : PROT_READ, MAP_SHARED, import_.fd, 0);
  if (bytes_ == MAP_FAILED) {
    check(errno != EACCES && errno != EPERM, CL_INVALID_PROPERTY, "the descriptor does not allow what the flags do");
    throw Error{CL_MEM_OBJECT_ALLOCATION_FAILURE, "the memory cannot be mapped"};
  }
  sealSize();
}

ExternalMemory::~ExternalMemory() { munmap(bytes_, mapped_); }

// A page that is cut off the file raises SIGBUS when it is used. Who made the memory with MFD_ALLOW_SEALING lets others
// forbid that.
void ExternalMemory::sealSize() const noexcept {
  if (import_.sort != ExternalImport::Sort::File) return;
  const int seals = fcntl(import_.fd, F_GET_SEALS);
  if (seals >= 0 && !(seals & (F_SEAL_SEAL | F_SEAL_SHRINK))) fcntl(import_.fd, F_ADD_SEALS, F_SEAL_SHRINK);
}

bool ExternalMemory::isFor(const Device& device) const {
  const auto& devices = import_.devices;
  return std::any_of(devices.begin(), devices.end(), [&](const Ref<Device>& each) { return each.get() == &device; });
}

void ExternalMemory::takeDescriptor() noexcept {
  descriptor_.reset(import_.fd);
  if (!isAnnounced()) return descriptor_.reset(); // the mapping keeps the memory
  fcntl(descriptor_.get(), F_SETFD, FD_CLOEXEC);
}

void ExternalMemory::announce(bool begins) const noexcept {
  dma_buf_sync request{};
  request.flags = (begins ? DMA_BUF_SYNC_START : DMA_BUF_SYNC_END) | (isWritten_ ? DMA_BUF_SYNC_RW : DMA_BUF_SYNC_READ);
  // Without the call, or after an error of it, the memory is what it is: there is nothing else to do about it.
  while (ioctl(descriptor_.get(), DMA_BUF_IOCTL_SYNC, &request) < 0 && (errno == EINTR || errno == EAGAIN)) {
  }
}

} // namespace clotho
