// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "capture/file.hpp"
#include "replay/driver.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace clotho::replay {

/// Places of memory when the launch was captured, and now: words that look like addresses in it follow.
class Relocation {
 public:
  void add(std::uint64_t from, std::uint64_t size, std::uint64_t to) {
    if (from != to) ranges_.push_back({from, size, to});
  }
  bool isNeeded() const { return !ranges_.empty(); }
  std::uint64_t apply(std::uint64_t word) const { return moved(word, false); }
  /// Each aligned word of the bytes.
  void apply(std::string& bytes) const { moveAll(bytes, false); }
  void undo(std::string& bytes) const { moveAll(bytes, true); }

 private:
  struct Range {
    std::uint64_t from, size, to;
  };
  std::uint64_t moved(std::uint64_t word, bool isBack) const;
  void moveAll(std::string& bytes, bool isBack) const;

  std::vector<Range> ranges_;
};

/// The shared memory of a capture: at its old addresses where the device reaches all of the host's memory and they are
/// free, else in allocations of the driver's.
class SharedMemory {
 public:
  SharedMemory(const std::vector<capture::Shared>& shared, const Driver& driver, cl_context context);
  ~SharedMemory();
  SharedMemory(const SharedMemory&) = delete;
  SharedMemory& operator=(const SharedMemory&) = delete;

  void* at(std::size_t index) const { return places_[index]; }
  void addTo(Relocation& relocation) const;
  void write(cl_command_queue queue, std::size_t index, const std::string& bytes) const;
  std::string read(cl_command_queue queue, std::size_t index) const;

 private:
  bool map();

  const std::vector<capture::Shared>& shared_;
  const cl_icd_dispatch& calls_;
  cl_context context_;
  bool isMapped_ = false;
  std::vector<void*> places_;
  std::vector<std::pair<void*, std::size_t>> mappings_;
};

/// Memory of the host's for a buffer with CL_MEM_USE_HOST_PTR.
class HostBlock {
 public:
  /// `address`: where the application had it, whose place in a page is kept. `isGuarded`: it ends where a page begins
  /// that traps, but for what alignment takes.
  HostBlock(std::size_t size, std::uint64_t address, bool isGuarded);
  HostBlock(HostBlock&& other) noexcept;
  HostBlock& operator=(HostBlock&&) = delete;
  ~HostBlock();
  void* bytes() const { return bytes_; }

 private:
  void* mapping_ = nullptr;
  std::size_t mapped_ = 0;
  void* bytes_ = nullptr;
};

} // namespace clotho::replay
