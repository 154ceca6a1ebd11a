// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>
#include <vector>

/// Descriptors that the driver takes for sync files and DMA buffers, for machines whose kernel makes none: this program
/// has ioctl and fstatfs of its own, which answer for them and pass on all other calls.
namespace clotho::test {

/// A descriptor of ours.
class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  Descriptor(Descriptor&& other) noexcept : fd_(other.give()) {}
  ~Descriptor();
  int get() const { return fd_; }
  /// Passes ownership of the descriptor to the caller.
  int give() {
    const int fd = fd_;
    fd_ = -1;
    return fd;
  }

 private:
  int fd_;
};
bool isOpen(int fd);

/// A fence that has a sync file.
class FakeFence {
 public:
  FakeFence();
  ~FakeFence();
  /// For who takes it.
  int syncFile() const { return file_; }
  void signal() { end(1); }
  void fail() { end(-5); }

 private:
  void end(std::int32_t status);
  int file_;
  Descriptor other_; // the same eventfd
};

/// Memory that others have mapped, too.
class FakeDmaBuf {
 public:
  explicit FakeDmaBuf(std::size_t size);
  ~FakeDmaBuf();
  int file() const { return file_; }
  std::uint32_t* words() const { return words_; }
  /// The flags of DMA_BUF_IOCTL_SYNC so far.
  std::vector<std::uint64_t> announced() const;

 private:
  int file_;
  std::size_t size_;
  std::uint32_t* words_;
};

} // namespace clotho::test
