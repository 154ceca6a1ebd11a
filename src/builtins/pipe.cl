// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "builtins.h"

#include "abi/pipe.h"

// Pipes (6.13.16 of OpenCL C 2.0, 6.15.16 of 3.0), under the names by which clang calls them. How a pipe works is said in
// abi/pipe.h.

#define INLINE static __attribute__((always_inline))
#define SCOPE memory_scope_all_svm_devices
typedef __global PipeHeader* Pipe;

// Operations that the vectoriser knows (src/compiler/ir/sub_group_operations.hpp).
uint __attribute__((const, convergent)) liveCount(bool all) __asm("clotho.sub_group.live_count.none.i1");
uint __attribute__((const, convergent)) liveRank(bool all) __asm("clotho.sub_group.live_rank.none.i1");

INLINE ulong reservation(uint slot, uint count) { return (ulong)slot << 32 | count; }
INLINE uint slotOf(ulong id) { return id >> 32; }
INLINE uint countOf(ulong id) { return (uint)id; }
INLINE __global atomic_ulong* runAt(Pipe ring, uint slot) { return (__global atomic_ulong*)&ring->runs[slot]; }
INLINE PipeRun runOf(uint stage, uint count) { return (ulong)stage << 32 | count; }
INLINE uint stageOf(PipeRun run) { return run >> 32; }

// Makes a run of `count` slots from `slot` on, which are the rest of a larger one of that stage. Who comes late, when
// the slot has gone on to a later stage, changes nothing.
INLINE void split(Pipe ring, uint slot, uint stage, uint count) {
  PipeRun now = __opencl_atomic_load(runAt(ring, slot), memory_order_relaxed, SCOPE);
  while ((int)(stageOf(now) - stage) < 0)
    if (__opencl_atomic_compare_exchange_strong(runAt(ring, slot), &now, runOf(stage, count), memory_order_release,
                                                memory_order_relaxed, SCOPE))
      return;
}

enum { kLeastTurns = 256, kMostTurns = 4096, kRenewingTurns = 0xffff };

// Passes some time. GPUs have an instruction for it (compiler/backend/nvptx/lower/adapt_builtins.hpp): a loop in each lane
// of a warp would hold up the others.
void __attribute__((noinline)) pass(uint turns) __asm("clotho.pipe.pass");
void pass(uint turns) {
  for (volatile uint i = 0; i < turns; ++i) {} // volatile: otherwise nothing would be left of it
}

// Makes a work-item that finds others at the same end leave it to them for a while, longer each time. The cache line
// with the place then serves several of their reservations before it moves on to another core, which takes longer than
// making one.
INLINE void stepAside(uint* turns) {
  pass(*turns);
  if (*turns < kMostTurns) *turns *= 2;
}

// Takes as many packets as there are of those that are wanted, but none if they are fewer than `least`; then the count of
// the result is 0. `isReading`: 0 or 1.
INLINE ulong take(Pipe ring, __global PipeEnd* end, uint isReading, uint least, uint wanted) {
  const uint capacity = ring->capacity; // which no load that acquires makes the compiler read again
  __global atomic_ulong* place = (__global atomic_ulong*)&end->place;
  ulong begin = __opencl_atomic_load(place, memory_order_acquire, SCOPE);
  uint turns = kLeastTurns;
  for (;;) {
    uint slot = (uint)begin, turn = begin >> 32, count = 0, rest = 0;
    while (count < wanted) {
      const PipeRun run = __opencl_atomic_load(runAt(ring, slot), memory_order_acquire, SCOPE);
      if (stageOf(run) != 2 * turn + isReading) break;
      const uint length = (uint)run != 0 ? (uint)run : capacity - slot, left = wanted - count,
                 step = length < left ? length : left;
      count += step;
      rest = length - step;
      slot += step;
      if (slot == capacity) slot = 0, ++turn;
    }
    if (count == 0 || count < least) {
      // Unless others have moved the place on meanwhile, and it is their slots that were looked at.
      const ulong now = __opencl_atomic_load(place, memory_order_acquire, SCOPE);
      if (now == begin) return 0;
      begin = now;
      continue;
    }
    if (rest != 0) split(ring, slot, 2 * turn + isReading, rest);
    const uint first = (uint)begin;
    if (__opencl_atomic_compare_exchange_strong(place, &begin, (ulong)turn << 32 | slot, memory_order_acq_rel,
                                                memory_order_acquire, SCOPE))
      return reservation(first, count);
    stepAside(&turns);
  }
}

// In some turns of the ring all of a run's slots say what they are the beginning of, so that what stands in any is never so
// old that its stage, of 32 bits, looks like a later one.
INLINE void commitRun(Pipe ring, uint slot, uint stage, uint count) {
  if ((stage >> 1 & kRenewingTurns) == kRenewingTurns)
    for (uint i = 1; i < count; ++i)
      __opencl_atomic_store(runAt(ring, slot + i), runOf(stage, count - i), memory_order_relaxed, SCOPE);
  __opencl_atomic_store(runAt(ring, slot), runOf(stage, count), memory_order_release, SCOPE);
}

INLINE void commit(Pipe ring, ulong id) {
  const uint capacity = ring->capacity, slot = slotOf(id), count = countOf(id);
  if (slot >= capacity || count == 0 || count > capacity) return; // no reservation of this pipe
  const uint done = stageOf(__opencl_atomic_load(runAt(ring, slot), memory_order_relaxed, SCOPE)) + 1;
  const uint untilEnd = count <= capacity - slot ? count : capacity - slot;
  // The second run first: what follows the first one is there when that is.
  if (count != untilEnd) commitRun(ring, 0, done + 2, count - untilEnd);
  commitRun(ring, slot, done, untilEnd);
}

INLINE ulong reserve(Pipe ring, __global PipeEnd* end, uint isReading, uint count, uint size) {
  const bool isPossible = count <= ring->capacity && size == ring->packetSize;
  return isPossible ? take(ring, end, isReading, count, count) : 0;
}

// These stay calls. Of the first three one call is for all lanes that are live, and knows how many these are. A kernel
// whose packets are of another size than the pipe's gets none.
#define CALL(T, NAME, PARAMETERS, SYMBOL)                \
  T __attribute__((noinline)) NAME PARAMETERS __asm(SYMBOL); \
  T NAME PARAMETERS
CALL(ulong, takeToRead, (Pipe ring, uint wanted, uint size), "clotho.pipe.once.take_read") {
  return size == ring->packetSize ? take(ring, &ring->read, 1, 1, wanted) : 0;
}
CALL(ulong, takeToWrite, (Pipe ring, uint wanted, uint size), "clotho.pipe.once.take_write") {
  return size == ring->packetSize ? take(ring, &ring->written, 0, 1, wanted) : 0;
}
CALL(void, commitTaken, (Pipe ring, ulong taken), "clotho.pipe.once.commit") { commit(ring, taken); }
CALL(ulong, reserveToRead, (Pipe ring, uint count, uint size), "clotho.pipe.reserve_read") {
  return reserve(ring, &ring->read, 1, count, size);
}
CALL(ulong, reserveToWrite, (Pipe ring, uint count, uint size), "clotho.pipe.reserve_write") {
  return reserve(ring, &ring->written, 0, count, size);
}
CALL(void, commitReserved, (Pipe ring, ulong id), "clotho.pipe.commit") { commit(ring, id); }

// A packet's size and alignment are constants wherever this is inlined. Moved as one piece, a packet stays in registers.
#define PIECE(TO, FROM, T)                                     \
  if (size == sizeof(T) && align >= sizeof(T)) {               \
    *(TO T*)to = *(const FROM T*)from;                         \
    return;                                                    \
  }
#define COPY(TO, FROM)                                                                                        \
  INLINE void OVERLOAD copy(TO uchar* to, const FROM uchar* from, uint size, uint align) {                    \
    PIECE(TO, FROM, uchar)                                                                                    \
    PIECE(TO, FROM, ushort)                                                                                   \
    PIECE(TO, FROM, uint)                                                                                     \
    PIECE(TO, FROM, ulong)                                                                                    \
    PIECE(TO, FROM, uint4)                                                                                    \
    PIECE(TO, FROM, uint8)                                                                                    \
    PIECE(TO, FROM, uint16)                                                                                   \
    PIECE(TO, FROM, ulong16)                                                                                  \
    __builtin_memcpy(to, from, size);                                                                         \
  }
COPY(__generic, __global)
COPY(__global, __generic)

INLINE __global uchar* packet(Pipe ring, uint slot, uint size) {
  return (__global uchar*)ring + ring->packets + (ulong)slot * size;
}

// The slot of one of the packets that were taken or reserved from `first` on.
INLINE uint wrapped(Pipe ring, uint first, uint number) {
  const uint untilEnd = ring->capacity - first;
  return number < untilEnd ? first + number : number - untilEnd;
}

// One reservation for all lanes, and each copies its own packet. Where the packets do not go around the ring's end, their
// addresses are one behind the other, which is known to the vectoriser.
#define PLAIN(NAME, TAKE, ...)                                                       \
  INLINE int NAME(Pipe ring, __generic uchar* data, uint size, uint align) {         \
    const uint rank = liveRank(true);                                                \
    const ulong taken = TAKE(ring, liveCount(true), size);                           \
    const uint first = slotOf(taken), count = countOf(taken);                        \
    if (count <= ring->capacity - first) {                                           \
      __global uchar* const slot = packet(ring, first, size) + (ulong)rank * size;   \
      if (rank < count) copy(__VA_ARGS__, size, align);                              \
    } else {                                                                         \
      __global uchar* const slot = packet(ring, wrapped(ring, first, rank), size);   \
      if (rank < count) copy(__VA_ARGS__, size, align);                              \
    }                                                                                \
    commitTaken(ring, taken);                                                        \
    return rank < count ? 0 : -1;                                                    \
  }
PLAIN(readPacket, takeToRead, data, slot)
PLAIN(writePacket, takeToWrite, slot, data)

#define BUILTIN(T) T __attribute__((always_inline))
BUILTIN(int) __read_pipe_2(Pipe ring, __generic void* data, uint size, uint align) {
  return readPacket(ring, data, size, align);
}
BUILTIN(int) __write_pipe_2(Pipe ring, __generic void* data, uint size, uint align) {
  return writePacket(ring, data, size, align);
}

// With a reservation. An index that is too large is refused, and so is CLK_NULL_RESERVE_ID.
INLINE bool isReserved(Pipe ring, ulong id, uint index) {
  return slotOf(id) < ring->capacity && index < countOf(id);
}
BUILTIN(int) __read_pipe_4(Pipe ring, ulong id, uint index, __generic void* data, uint size, uint align) {
  if (!isReserved(ring, id, index)) return -1;
  copy((__generic uchar*)data, (const __global uchar*)packet(ring, wrapped(ring, slotOf(id), index), size), size,
       align);
  return 0;
}
BUILTIN(int) __write_pipe_4(Pipe ring, ulong id, uint index, __generic void* data, uint size, uint align) {
  if (!isReserved(ring, id, index)) return -1;
  copy(packet(ring, wrapped(ring, slotOf(id), index), size), (const __generic uchar*)data, size, align);
  return 0;
}

BUILTIN(ulong) __reserve_read_pipe(Pipe ring, uint count, uint size, uint align) {
  return reserveToRead(ring, count, size);
}
BUILTIN(ulong) __reserve_write_pipe(Pipe ring, uint count, uint size, uint align) {
  return reserveToWrite(ring, count, size);
}
BUILTIN(void) __commit_read_pipe(Pipe ring, ulong id, uint size, uint align) { commitReserved(ring, id); }
BUILTIN(void) __commit_write_pipe(Pipe ring, ulong id, uint size, uint align) { commitReserved(ring, id); }

BUILTIN(bool) isValid(ulong id) __asm("_Z19is_valid_reserve_id13ocl_reserveid");
BUILTIN(bool) isValid(ulong id) { return id != 0; }
BUILTIN(ulong) __clotho_null_reserve_id(void) { return 0; }

// For a group, one work-item reserves and commits, when all others have come so far. So both calls are barriers.
size_t OVERLOAD get_local_linear_id(void);
uint OVERLOAD get_sub_group_local_id(void);
void OVERLOAD work_group_barrier(cl_mem_fence_flags flags);
void OVERLOAD sub_group_barrier(cl_mem_fence_flags flags);
ulong OVERLOAD work_group_broadcast(ulong value, size_t x);
ulong OVERLOAD sub_group_broadcast(ulong value, uint lane);

// One work-item has seen that the packets are there, and the others are to see them, too. A shuffle orders no memory.
INLINE ulong work_group_share(ulong id) { return work_group_broadcast(id, 0); }
INLINE ulong sub_group_share(ulong id) {
  sub_group_barrier(CLK_GLOBAL_MEM_FENCE);
  return sub_group_broadcast(id, 0);
}

#define GROUP(GROUP, ITEM, END, RESERVE)                                                              \
  BUILTIN(ulong) __##GROUP##_reserve_##END##_pipe(Pipe ring, uint count, uint size, uint align) {      \
    ulong id = 0;                                                                                      \
    if (ITEM() == 0) id = RESERVE(ring, count, size);                                                  \
    return GROUP##_share(id);                                                                          \
  }                                                                                                    \
  BUILTIN(void) __##GROUP##_commit_##END##_pipe(Pipe ring, ulong id, uint size, uint align) {          \
    GROUP##_barrier(CLK_GLOBAL_MEM_FENCE);                                                             \
    if (ITEM() == 0) commitReserved(ring, id);                                                         \
  }
GROUP(work_group, get_local_linear_id, read, reserveToRead)
GROUP(work_group, get_local_linear_id, write, reserveToWrite)
GROUP(sub_group, get_sub_group_local_id, read, reserveToRead)
GROUP(sub_group, get_sub_group_local_id, write, reserveToWrite)

// Packets that were written and not read, those that are reserved for either among them. What is read first can only have
// grown when the other is read.
INLINE uint packetCount(Pipe ring) {
  const ulong read = __opencl_atomic_load((__global atomic_ulong*)&ring->read.place, memory_order_acquire, SCOPE);
  const ulong written = __opencl_atomic_load((__global atomic_ulong*)&ring->written.place, memory_order_acquire, SCOPE);
  const uint turns = (uint)(written >> 32) - (uint)(read >> 32);
  const long count = (long)turns * ring->capacity + (uint)written - (long)(uint)read;
  return count > ring->capacity ? ring->capacity : (uint)count;
}
BUILTIN(uint) __get_pipe_num_packets_ro(Pipe ring, uint size, uint align) { return packetCount(ring); }
BUILTIN(uint) __get_pipe_num_packets_wo(Pipe ring, uint size, uint align) { return packetCount(ring); }
BUILTIN(uint) __get_pipe_max_packets_ro(Pipe ring, uint size, uint align) { return ring->capacity; }
BUILTIN(uint) __get_pipe_max_packets_wo(Pipe ring, uint size, uint align) { return ring->capacity; }
