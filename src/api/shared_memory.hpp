// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "api/parse.hpp"

/// Parts that the functions for shared virtual memory and those of extensions have in common: commands on addresses.
namespace clotho::api {

/// CL_INVALID_OPERATION for a queue whose device has no shared virtual memory.
void checkShares(const Queue& queue);
/// As memcpy: CL_INVALID_VALUE, CL_MEM_COPY_OVERLAP.
Command copyAddresses(void* target, const void* source, size_t size);
/// CL_INVALID_VALUE for what no pattern can be, or does not fit.
Command fillAddresses(void* target, const void* pattern, size_t patternSize, size_t size);
/// CL_INVALID_VALUE for what is no combination of cl_mem_migration_flags.
void checkMigrationFlags(cl_mem_migration_flags flags);
/// Makes a command move pages of a shared allocation as well, where the queue's device has a driver that does so.
/// `size`: 0 for the whole allocation.
void addShared(Migrate& migrate, const Queue& queue, const void* pointer, size_t size);
/// Whether an allocation can be aligned so: 0 or a power of two up to `most`.
bool isAlignment(size_t alignment, size_t most);
/// CL_OUT_OF_RESOURCES where the memory is a device's, else CL_OUT_OF_HOST_MEMORY.
void* allocateShared(Context& context, size_t size, size_t alignment, SharedTraits traits);
/// Whether each of the context's devices can have an allocation of this size.
bool fitsAllDevices(const Context& context, size_t size);

} // namespace clotho::api
