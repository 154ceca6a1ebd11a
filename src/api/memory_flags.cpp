// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "api/memory_flags.hpp"

#include "base/error.hpp"

namespace clotho::api {

namespace {

// Immutable is a kind of kernel access: read-only, and commands do not write either.
constexpr cl_mem_flags kAccess = CL_MEM_READ_WRITE | CL_MEM_WRITE_ONLY | CL_MEM_READ_ONLY;
constexpr cl_mem_flags kHostAccess = CL_MEM_HOST_WRITE_ONLY | CL_MEM_HOST_READ_ONLY | CL_MEM_HOST_NO_ACCESS;
constexpr cl_mem_flags kHostMemory = CL_MEM_USE_HOST_PTR | CL_MEM_ALLOC_HOST_PTR | CL_MEM_COPY_HOST_PTR;
constexpr cl_mem_flags kHostPointer = CL_MEM_USE_HOST_PTR | CL_MEM_COPY_HOST_PTR;

bool atMostOne(cl_mem_flags flags) { return (flags & (flags - 1)) == 0; }

/// Refuses flags of a view that its parent does not allow.
void checkWidening(cl_mem_flags parent, cl_mem_flags flags) {
  check(!(flags & kHostMemory), CL_INVALID_VALUE, "the bytes of another object have that object's host memory");
  checkFlags(flags);
  const bool reads = flags & (CL_MEM_READ_ONLY | CL_MEM_READ_WRITE);
  const bool writes = flags & (CL_MEM_WRITE_ONLY | CL_MEM_READ_WRITE);
  check(!((parent & CL_MEM_WRITE_ONLY) && reads), CL_INVALID_VALUE, "the bytes are write-only");
  check(!((parent & CL_MEM_READ_ONLY) && writes), CL_INVALID_VALUE, "the bytes are read-only");
  const bool hostReads = flags & CL_MEM_HOST_READ_ONLY, hostWrites = flags & CL_MEM_HOST_WRITE_ONLY;
  check(!((parent & (CL_MEM_HOST_WRITE_ONLY | CL_MEM_HOST_NO_ACCESS)) && hostReads), CL_INVALID_VALUE,
        "the host may not read the bytes");
  check(!((parent & (CL_MEM_HOST_READ_ONLY | CL_MEM_HOST_NO_ACCESS)) && hostWrites), CL_INVALID_VALUE,
        "the host may not write the bytes");
  check(!(parent & CL_MEM_IMMUTABLE_EXT) || !(writes || hostWrites), CL_INVALID_VALUE, "the bytes are immutable");
}

cl_mem_flags inherited(cl_mem_flags parent, cl_mem_flags flags) {
  if (!(flags & (kAccess | CL_MEM_IMMUTABLE_EXT))) flags |= parent & (kAccess | CL_MEM_IMMUTABLE_EXT);
  if (!(flags & kHostAccess)) flags |= parent & kHostAccess;
  return flags | (parent & (kHostMemory | CL_MEM_IMMUTABLE_EXT));
}

} // namespace

void checkFlags(cl_mem_flags flags) {
  check(!(flags & ~(kAccess | kHostAccess | kHostMemory | CL_MEM_IMMUTABLE_EXT)), CL_INVALID_VALUE,
        "unknown memory flag");
  check(atMostOne(flags & kAccess), CL_INVALID_VALUE, "kernel access flags exclude each other");
  check(atMostOne(flags & kHostAccess), CL_INVALID_VALUE, "host access flags exclude each other");
  check(!(flags & CL_MEM_USE_HOST_PTR) || !(flags & (CL_MEM_ALLOC_HOST_PTR | CL_MEM_COPY_HOST_PTR)), CL_INVALID_VALUE,
        "CL_MEM_USE_HOST_PTR excludes CL_MEM_ALLOC_HOST_PTR and CL_MEM_COPY_HOST_PTR");
  check(!(flags & CL_MEM_IMMUTABLE_EXT) || !(flags & (CL_MEM_READ_WRITE | CL_MEM_WRITE_ONLY | CL_MEM_HOST_WRITE_ONLY)),
        CL_INVALID_VALUE, "CL_MEM_IMMUTABLE_EXT excludes flags that allow to write");
}

cl_mem_flags ownFlags(cl_mem_flags flags, bool hasContents) {
  checkFlags(flags);
  check(!(flags & CL_MEM_IMMUTABLE_EXT) || hasContents || (flags & kHostPointer), CL_INVALID_VALUE,
        "CL_MEM_IMMUTABLE_EXT without contents");
  return flags & (kAccess | CL_MEM_IMMUTABLE_EXT) ? flags : flags | CL_MEM_READ_WRITE;
}

void checkHostPointer(cl_mem_flags flags, const void* hostPointer) {
  check(((flags & kHostPointer) != 0) == (hostPointer != nullptr), CL_INVALID_HOST_PTR,
        "host pointer and flags do not agree");
}

cl_mem_flags subBufferFlags(const MemoryObject& parent, cl_mem_flags flags) {
  checkWidening(parent.flags(), flags);
  check(!(flags & CL_MEM_IMMUTABLE_EXT) || parent.isImmutable(), CL_INVALID_VALUE, "the buffer is not immutable");
  return inherited(parent.flags(), flags);
}

cl_mem_flags viewFlags(const MemoryObject& parent, cl_mem_flags flags) {
  checkWidening(parent.flags(), flags);
  check(!parent.isImmutable() || (flags & CL_MEM_IMMUTABLE_EXT), CL_INVALID_VALUE,
        "an image of immutable bytes is immutable itself");
  return inherited(parent.flags(), flags);
}

void checkHostReads(const MemoryObject& memory) {
  check(!(memory.flags() & (CL_MEM_HOST_WRITE_ONLY | CL_MEM_HOST_NO_ACCESS)), CL_INVALID_OPERATION,
        "the host may not read this object");
}

void checkHostWrites(const MemoryObject& memory) {
  check(!(memory.flags() & (CL_MEM_HOST_READ_ONLY | CL_MEM_HOST_NO_ACCESS)), CL_INVALID_OPERATION,
        "the host may not write this object");
  checkMutable(memory);
}

void checkMutable(const MemoryObject& memory) {
  check(!memory.isImmutable(), CL_INVALID_OPERATION, "the object is immutable");
}

void checkMapFlags(cl_map_flags flags) {
  constexpr cl_map_flags kPlain = CL_MAP_READ | CL_MAP_WRITE;
  check(!(flags & ~(kPlain | CL_MAP_WRITE_INVALIDATE_REGION)), CL_INVALID_VALUE, "unknown map flag");
  check(!(flags & CL_MAP_WRITE_INVALIDATE_REGION) || !(flags & kPlain), CL_INVALID_VALUE,
        "CL_MAP_WRITE_INVALIDATE_REGION excludes the other map flags");
}

void checkMappable(const MemoryObject& memory, cl_map_flags flags) {
  if (flags & CL_MAP_READ) checkHostReads(memory);
  if (flags & (CL_MAP_WRITE | CL_MAP_WRITE_INVALIDATE_REGION)) checkHostWrites(memory);
}

} // namespace clotho::api
