// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A layer as loaders load it (OPENCL_LAYERS): it puts a function of its own into every slot of a copy of the dispatch
// table, counts the calls and passes them on. At the end they are written to the file that COUNTING_LAYER_FILE names.
#include "counting_layer.hpp"

#include <CL/cl_layer.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string_view>
#include <type_traits>

#define LAYER_EXPORT extern "C" __attribute__((visibility("default")))

namespace {

constexpr std::size_t kSlots = sizeof(cl_icd_dispatch) / sizeof(void*);

const cl_icd_dispatch* target = nullptr;
cl_icd_dispatch table;
std::array<std::atomic<unsigned long>, kSlots> calls;
std::array<const char*, kSlots> names;

template <auto Member> std::size_t slotOf() {
  return static_cast<std::size_t>(reinterpret_cast<std::byte*>(&(table.*Member)) -
                                  reinterpret_cast<std::byte*>(&table)) /
         sizeof(void*);
}

template <auto Member> struct Counted;
template <class Result, class... Args, Result (CL_API_CALL* cl_icd_dispatch::*Member)(Args...)> struct Counted<Member> {
  static Result CL_API_CALL call(Args... args) {
    calls[slotOf<Member>()].fetch_add(1, std::memory_order_relaxed);
    return (target->*Member)(args...);
  }
};

template <auto Member> void replace(const char* name) {
  names[slotOf<Member>()] = name;
  // Slots of another system's extensions have no signature.
  if constexpr (!std::is_same_v<std::remove_reference_t<decltype(table.*Member)>, void*>)
    table.*Member = &Counted<Member>::call;
}

cl_int give(const void* data, size_t length, size_t size, void* value, size_t* sizeReturned) {
  if (value && size < length) return CL_INVALID_VALUE;
  if (value) std::memcpy(value, data, length);
  if (sizeReturned) *sizeReturned = length;
  return CL_SUCCESS;
}

__attribute__((destructor)) void writeCounts() {
  const char* path = std::getenv("COUNTING_LAYER_FILE");
  std::FILE* file = path && target ? std::fopen(path, "w") : nullptr;
  if (!file) return;
  for (std::size_t slot = 0; slot < kSlots; ++slot)
    if (names[slot]) std::fprintf(file, "%s %lu\n", names[slot], calls[slot].load());
  std::fclose(file);
}

} // namespace

LAYER_EXPORT cl_int CL_API_CALL clGetLayerInfo(cl_layer_info name, size_t size, void* value, size_t* sizeReturned) {
  constexpr cl_layer_api_version kVersion = CL_LAYER_API_VERSION_100;
  if (name == CL_LAYER_API_VERSION) return give(&kVersion, sizeof kVersion, size, value, sizeReturned);
  if (name == CL_LAYER_NAME)
    return give(kCountingLayerName, std::strlen(kCountingLayerName) + 1, size, value, sizeReturned);
  return CL_INVALID_VALUE;
}

LAYER_EXPORT cl_int CL_API_CALL clInitLayer(cl_uint entries, const cl_icd_dispatch* below, cl_uint* entriesReturned,
                                            const cl_icd_dispatch** layer) {
  if (!below || !entriesReturned || !layer || entries < kSlots) return CL_INVALID_VALUE;
  target = below;
  table = *below;
#define ENTRY(name) replace<&cl_icd_dispatch::name>(#name);
#include "api/entry_points.def"
  *entriesReturned = kSlots;
  *layer = &table;
  return CL_SUCCESS;
}

// What newer loaders than our headers know call instead; the list of properties is there for later.
LAYER_EXPORT cl_int CL_API_CALL clInitLayerWithProperties(cl_uint entries, const cl_icd_dispatch* below,
                                                          cl_uint* entriesReturned, const cl_icd_dispatch** layer,
                                                          const void*) {
  return clInitLayer(entries, below, entriesReturned, layer);
}

LAYER_EXPORT unsigned long countingLayerCalls(const char* function) {
  for (std::size_t slot = 0; slot < kSlots; ++slot)
    if (names[slot] && std::string_view(names[slot]) == function) return calls[slot].load();
  return ~0ul;
}
