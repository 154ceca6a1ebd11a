// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CLOTHO_ABI_PIPE_H
#define CLOTHO_ABI_PIPE_H

#include "abi/types.h"

/* A pipe as kernels see it: one block of global memory, whose address the argument block holds. It is a header, then a
   state for each slot, then the slots. A block whose bytes are 0 but for the first three members is an empty pipe, so
   that a variable can be one, too.

   The slots are a ring, and each has a state that only counts up: 2 * turn of a slot that may be written in that turn
   of the ring, 2 * turn + 1 of one that holds a packet to be read. Who wants n packets looks at the states of n slots
   from an end's place on, and then moves the place on behind them by one compare-and-exchange: until that succeeds the
   place is where it was, and nobody else can have taken the slots. Packets are then copied, and each state is counted
   up, which commits: in whatever order, since each slot has its own. Nobody ever waits: where a slot is not in the
   state that is wanted, the pipe ends there for the moment, also if those behind it are done.

   All accesses to places and states are atomic, as other kernels may use the pipe at once. */

#ifdef __cplusplus
namespace clotho {
#endif

enum { kPipeAlignment = 128 };

/// The place of one end of the pipe: slot number in the low half, turn of the ring in the high half. Each end has a
/// cache line of its own, as the two belong to different threads.
typedef struct PipeEnd {
  abi_u64 place;
  abi_u64 unused[15];
} PipeEnd;

typedef struct PipeHeader {
  abi_u32 packetSize; ///< in bytes
  abi_u32 capacity;   ///< slots, at least one
  abi_u64 packets;    ///< bytes from the header to the first slot; a multiple of kPipeAlignment
  abi_u64 unused[14];
  PipeEnd written; ///< the next slot to write
  PipeEnd read;    ///< the next slot to read
  abi_u32 states[];
} PipeHeader;

/* A reservation id is the number of its first slot in the high half and that of its packets, at least one, in the low
   half. CLK_NULL_RESERVE_ID is 0, a reservation of no packets. */

#ifdef __cplusplus
/// The packets of a pipe begin so many bytes behind its header.
constexpr abi_u64 pipePackets(abi_u32 capacity) {
  const abi_u64 end = sizeof(PipeHeader) + abi_u64{capacity} * sizeof(abi_u32);
  return (end + kPipeAlignment - 1) / kPipeAlignment * kPipeAlignment;
}
} // namespace clotho
#endif

#endif
