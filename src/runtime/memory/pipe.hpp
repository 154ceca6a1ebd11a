// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "abi/pipe.h"

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace clotho {

/// The pipe's part of a memory object. Its bytes are one block (abi/pipe.h), which moves between homes like a buffer's.
struct Pipe {
  std::uint32_t packetSize; ///< bytes
  std::uint32_t maxPackets;

  std::uint64_t bytes() const { return pipePackets(maxPackets) + std::uint64_t{packetSize} * maxPackets; }
  /// Bytes of the block to write so that it is an empty pipe: the header, and the state of each slot.
  std::uint64_t initialBytes() const { return pipePackets(maxPackets); }
  void initialise(std::byte* block) const {
    std::memset(block, 0, initialBytes());
    auto* header = reinterpret_cast<PipeHeader*>(block);
    header->packetSize = packetSize;
    header->capacity = maxPackets;
    header->packets = initialBytes();
  }
};

} // namespace clotho
