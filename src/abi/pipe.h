// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CLOTHO_ABI_PIPE_H
#define CLOTHO_ABI_PIPE_H

#include "abi/types.h"

/* A pipe as kernels see it: one block of global memory, whose address the argument block holds. It is a header, then a
   PipeRun for each slot, then the slots. A block whose bytes are 0 but for the first three members is an empty pipe, so
   that a variable can be one, too.

   The slots are a ring. Each is written and read once in a turn of the ring; its *stage* counts these: 2 * turn of a
   slot that may be written, 2 * turn + 1 of one that holds a packet to be read. Slots do not keep their stages one by
   one: those that were committed together are a *run*, and its first slot's PipeRun says the stage and how many they
   are. What stands in the other slots' PipeRuns is of earlier stages.

   Who wants n packets goes from run to run, beginning at an end's place, until they are enough, or until a run is not
   in the stage that is wanted. If the last run has more than are wanted, its rest becomes a run of its own, whose first
   slot's PipeRun is written now; everybody who wants to do so would write the same, and later stages are left alone.
   Then the place is moved on by one compare-and-exchange: until that succeeds the place is where it was, and nobody
   else can have taken the slots. Packets are then copied, and the slots committed as one run of the next stage, or as
   two where they go around the ring's end: in whatever order, since each run begins in a slot of its own.

   So an end's place is always the beginning of a run, or of one that is still to be committed. Nobody ever waits for
   another: where a slot is not in the wanted stage, the pipe ends there for the moment, also if those behind it are
   done.

   All accesses to places and runs are atomic, as other kernels may use the pipe at once. */

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

/// A run of slots, in the first one's place: its stage in the high half, the number of its slots in the low half. 0 of
/// these are all up to the ring's end, as in an empty pipe.
typedef abi_u64 PipeRun;

typedef struct PipeHeader {
  abi_u32 packetSize; ///< in bytes
  abi_u32 capacity;   ///< slots, at least one
  abi_u64 packets;    ///< bytes from the header to the first slot; a multiple of kPipeAlignment
  abi_u64 unused[14];
  PipeEnd written; ///< the next slot to write
  PipeEnd read;    ///< the next slot to read
  PipeRun runs[];
} PipeHeader;

/* A reservation id is the number of its first slot in the high half and that of its packets, at least one, in the low
   half. CLK_NULL_RESERVE_ID is 0, a reservation of no packets. */

#ifdef __cplusplus
/// The packets of a pipe begin so many bytes behind its header.
constexpr abi_u64 pipePackets(abi_u32 capacity) {
  const abi_u64 end = sizeof(PipeHeader) + abi_u64{capacity} * sizeof(PipeRun);
  return (end + kPipeAlignment - 1) / kPipeAlignment * kPipeAlignment;
}
} // namespace clotho
#endif

#endif
