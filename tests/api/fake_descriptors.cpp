// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "fake_descriptors.hpp"

#include <gtest/gtest.h>

#include <cstdarg>
#include <cstring>
#include <fcntl.h>
#include <linux/dma-buf.h>
#include <linux/magic.h>
#include <linux/sync_file.h>
#include <map>
#include <mutex>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <unistd.h>

namespace clotho::test {

namespace {

std::mutex mutex;
std::map<int, std::int32_t> fences;                // status by descriptor
std::map<int, std::vector<std::uint64_t>> dmaBufs; // announcements by descriptor

} // namespace

// --- What the driver calls ---

bool answerIoctl(int fd, unsigned long request, void* argument) {
  const std::lock_guard lock(mutex);
  if (request == SYNC_IOC_FILE_INFO && fences.contains(fd)) {
    static_cast<sync_file_info*>(argument)->status = fences[fd];
    return true;
  }
  if (request == DMA_BUF_IOCTL_SYNC && dmaBufs.contains(fd)) {
    dmaBufs[fd].push_back(static_cast<dma_buf_sync*>(argument)->flags);
    return true;
  }
  return false;
}

bool isDmaBuf(int fd) {
  const std::lock_guard lock(mutex);
  return dmaBufs.contains(fd);
}

// --- Descriptors ---

Descriptor::~Descriptor() {
  if (fd_ >= 0) close(fd_);
}

bool isOpen(int fd) { return fcntl(fd, F_GETFD) >= 0; }

FakeFence::FakeFence() : file_(eventfd(0, EFD_CLOEXEC)), other_(dup(file_)) {
  EXPECT_GE(file_, 0);
  const std::lock_guard lock(mutex);
  fences[file_] = 0;
}

FakeFence::~FakeFence() {
  const std::lock_guard lock(mutex);
  fences.erase(file_);
}

void FakeFence::end(std::int32_t status) {
  {
    const std::lock_guard lock(mutex);
    fences[file_] = status;
  }
  const std::uint64_t one = 1;
  EXPECT_EQ(write(other_.get(), &one, sizeof one), static_cast<ssize_t>(sizeof one));
}

FakeDmaBuf::FakeDmaBuf(std::size_t size) : file_(memfd_create("a fake dma-buf", MFD_CLOEXEC)), size_(size) {
  EXPECT_EQ(ftruncate(file_, static_cast<off_t>(size)), 0);
  words_ = static_cast<std::uint32_t*>(mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED, file_, 0));
  EXPECT_NE(words_, MAP_FAILED);
  const std::lock_guard lock(mutex);
  dmaBufs[file_] = {};
}

FakeDmaBuf::~FakeDmaBuf() {
  munmap(words_, size_);
  const std::lock_guard lock(mutex);
  dmaBufs.erase(file_);
}

std::vector<std::uint64_t> FakeDmaBuf::announced() const {
  const std::lock_guard lock(mutex);
  return dmaBufs[file_];
}

} // namespace clotho::test

extern "C" {

__attribute__((visibility("default"))) int ioctl(int fd, unsigned long request, ...) noexcept {
  va_list arguments;
  va_start(arguments, request);
  void* argument = va_arg(arguments, void*);
  va_end(arguments);
  if (clotho::test::answerIoctl(fd, request, argument)) return 0;
  return static_cast<int>(syscall(SYS_ioctl, fd, request, argument));
}

__attribute__((visibility("default"))) int fstatfs(int fd, struct statfs* system) noexcept {
  const int result = static_cast<int>(syscall(SYS_fstatfs, fd, system));
  if (result == 0 && clotho::test::isDmaBuf(fd)) system->f_type = DMA_BUF_MAGIC;
  return result;
}
}
