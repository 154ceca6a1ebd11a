// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef CLOTHO_ABI_CHECKS_H
#define CLOTHO_ABI_CHECKS_H

#include "abi/types.h"

/* What a checked kernel and the device that runs it share (docs/checking.md). A kernel finds faults by arithmetic on
   these structures and calls the device's functions for the rare ones. */

#ifdef __cplusplus
namespace clotho {
#endif

/// Memory of a kernel's argument. Zeros for arguments that are no addresses.
typedef struct CheckedArgument {
  abi_u64 before; ///< bytes of the memory that lie before the argument's address
  abi_u64 size;   ///< bytes of the memory; 0: there is none, as the argument is null
  abi_u64 cells;  ///< address of the memory's first cell (kCellBytes); 0: races are not looked for
} CheckedArgument;

/// A place in the source at which a check can fail: constant data of the object. Texts follow, each with a zero at its
/// end: the file, the source line, and the name of the object that is accessed.
typedef struct CheckSite {
  abi_u32 number;   ///< from 0 on in each object
  abi_u32 kind;     ///< CheckKind
  abi_u32 line;     ///< 0: not known
  abi_u32 column;   ///< 0: not known
  abi_u32 bytes;    ///< of the access, or 0
  abi_u32 argument; ///< number of the kernel's argument, or kNoCheckedArgument
  abi_byte texts[];
} CheckSite;

enum { kNoCheckedArgument = 0x7fffffff };

enum CheckKind {
  kFaultRead,            ///< a: offset into the object, b: its size
  kFaultWrite,           ///< the same
  kFaultReadPointer,     ///< a: address in memory that is not known
  kFaultWritePointer,    ///< the same
  kFaultMisaligned,      ///< a: address, b: the alignment that the access needs
  kFaultUninitialised,   ///< a: offset into the object, b: its size
  kFaultReadRace,        ///< a: the cell (kCellBytes), b: offset
  kFaultWriteRace,       ///< the same
  kFaultBarrier,         ///< a: address of the site that another work-item has met instead
  kFaultDivision,        ///< a: dividend, b: divisor
  kFaultShift,           ///< a: amount, b: bits of the type
  kFaultConversion,      ///< a: bits of the number as a double, b: bits of the type
  kFaultImageRead,       ///< a: coordinates, 21 bits each, b: sizes, 21 bits each
  kFaultImageWrite,      ///< the same
  kFaultLoop,            ///< a: iterations
  kFaultBlockCoordinate, ///< a: byte coordinate in an image's row, b: the alignment that a block needs
};

/// Cells remember the last accesses of memory: one for each granule of as many bytes as the kernel's smallest access.
/// Bits of a cell: the flags, the work-item's linear local id, and the phase. A phase is a number for what a work-group
/// does between two barriers; no two launches and no two work-groups use the same. A cell of 0 has not been used.
enum {
  kCellBytes = 8,
  kCellFlagBits = 8,
  kCellItemBits = 12,
  kCellPhaseShift = kCellFlagBits + kCellItemBits,
  kCellWrite = 1,        ///< the work-item wrote in the phase
  kCellAtomic = 2,       ///< the work-item updated atomically in the phase
  kCellMany = 4,         ///< further work-items of the group read in the phase
  kCellGroupWrote = 8,   ///< the group wrote in an earlier phase
  kCellGroupAtomic = 16, ///< the group updated atomically in an earlier phase
  kCellOthersRead = 32,  ///< other groups read
  kCellOthersAtomic = 64 ///< other groups updated atomically
};

struct CheckedGroup;

/// One launch of a checked kernel.
typedef struct CheckedLaunch {
#ifdef __OPENCL_C_VERSION__ /* which has no pointers to functions */
  void *report, *hasMemory, *mayGoOn;
#else
  /// A check has failed in the work-item with these global ids.
  void (*report)(struct CheckedLaunch*, const CheckSite*, abi_u64 a, abi_u64 b, abi_u64 x, abi_u64 y, abi_u64 z);
  /// Whether so many bytes from an address on are memory that the kernel may use.
  abi_u64 (*hasMemory)(struct CheckedLaunch*, const struct CheckedGroup*, abi_u64 address, abi_u64 bytes);
  /// Whether a loop may run on, of which so many iterations have been run.
  abi_u64 (*mayGoOn)(struct CheckedLaunch*, abi_u64 iterations);
#endif
  abi_u64 firstPhase; ///< of the work-group with linear id 0; each work-group has CpuKernelFacts::phasesOfGroup
  abi_u64 isLocalZeroed;
  CheckedArgument arguments[];
} CheckedLaunch;

/// Memory of the thread that runs a work-group.
typedef struct CheckedGroup {
  abi_u64 phase;      ///< in which a barrier or a group function was met last
  abi_u64 site;       ///< CheckSite of that call
  abi_u64 passed;     ///< the latest phase that a barrier began
  abi_u64 passedSite; ///< CheckSite of what was met last before
  abi_u64 begins[4];  ///< of local memory, the context array, the stack and the program: memory of the work-items
  abi_u64 ends[4];
  abi_u64 cells;       ///< address of the cells of local memory
  abi_u64 initialised; ///< address of as many words: the first phase of the group that wrote the granule last
} CheckedGroup;

#ifdef __cplusplus
} // namespace clotho
#endif

#endif
