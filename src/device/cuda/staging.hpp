// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "base/mutex.hpp"
#include "command/command.hpp"
#include "device/cuda/context.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

namespace clotho::cuda {

/// Pinned memory by way of which small copies between the device and pageable memory of the host's go: such a copy is a
/// command in a stream then, which no thread waits for. What is written to the device is put there before the command
/// is issued, and what is read from it is taken from there when the command ends.
///
/// A write must not be given bytes that an earlier read is still to bring: its stream may be past that read only.
class Staging {
 public:
  /// Bytes of the largest copies; it is faster to wait for larger ones than to copy them twice.
  static constexpr std::size_t kMost = std::size_t{64} << 10;
  /// No stream's number (Streams::kMost).
  static constexpr std::uint16_t kNoStream = UINT16_MAX;

 private:
  struct Read {
    std::uintptr_t end;
    std::uint16_t stream;
  };
  using Reads = std::multimap<std::uintptr_t, Read>; // by the address of the first byte that they will write

 public:
  /// Memory that a copy has here.
  struct Slot {
    std::byte* bytes = nullptr; ///< null: the copy does not go by way of this
    std::uint32_t block = 0;
    bool isRead = false;
    Reads::iterator read{};
  };

  explicit Staging(Context& context) : context_(context) {}

  /// Makes the pinned memory. Throws CL_OUT_OF_RESOURCES.
  void makeReady() EXCLUDES(mutex_);
  /// Takes a slot for a copy of the device's to or from pageable memory, and reads what is to be written. The slot is
  /// without bytes if the copy is large, or there is no room now, or `mayGo` would say no.
  Slot begin(const Copy& copy, std::uint16_t stream) noexcept EXCLUDES(mutex_);
  /// The command is over. `isDone`: the bytes have arrived.
  void end(const Slot& slot, const Copy& copy, bool isDone) noexcept EXCLUDES(mutex_);
  /// The copy between the device and the slot.
  static Copy viaSlot(const Copy& copy, const Slot& slot) noexcept;
  /// Whether nothing that is to be read yet goes to the memory of the host's with which a command of this stream works.
  bool mayGo(const Copy& copy, std::uint16_t stream) const noexcept EXCLUDES(mutex_);

 private:
  static constexpr std::size_t kBlockSize = std::size_t{256} << 10;
  static constexpr std::size_t kBlocks = 16;
  struct Block {
    std::size_t used = 0; ///< bytes from its begin on
    std::uint32_t slots = 0;
  };

  bool mayGoLocked(const Copy& copy, bool isRead, std::uint16_t stream) const noexcept REQUIRES(mutex_);
  /// Room in the block that is in use, or in another one. Without bytes if there is none.
  Slot takeRoom(std::size_t bytes) noexcept REQUIRES(mutex_);
  void giveBack(const Slot& slot) noexcept REQUIRES(mutex_);

  Context& context_;
  mutable Mutex mutex_;
  std::byte* memory_ GUARDED_BY(mutex_) = nullptr;
  std::array<Block, kBlocks> blocks_ GUARDED_BY(mutex_){};
  std::uint32_t current_ GUARDED_BY(mutex_) = 0; // the block from which slots are taken
  Reads reads_ GUARDED_BY(mutex_);               // that have not ended
  std::size_t longestRead_ GUARDED_BY(mutex_) = 0;
};

} // namespace clotho::cuda
