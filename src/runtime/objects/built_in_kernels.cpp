// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/objects/built_in_kernels.hpp"

#include "base/error.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <string_view>

namespace clotho {

namespace {

struct BuiltInKernel {
  std::string_view name;
  cl_version version;
  std::string_view source;
};

/// Every kernel is right for any global size: each work-item takes what is left by as many items as there are.
constexpr std::array<BuiltInKernel, 2> kKernels{{
    {"clotho_random_philox_4x32", CL_MAKE_VERSION(1, 0, 0), R"cl(
// Philox 4x32-10 (Salmon, Moraes, Dror and Shaw: Parallel Random Numbers: As Easy as 1, 2, 3. SC 2011).
uint4 clotho_philox(uint4 counter, uint2 key) {
  for (int round = 0; round < 10; ++round) {
    const uint high0 = mul_hi(0xD2511F53u, counter.x), low0 = 0xD2511F53u * counter.x;
    const uint high1 = mul_hi(0xCD9E8D57u, counter.z), low1 = 0xCD9E8D57u * counter.z;
    counter = (uint4)(high1 ^ counter.y ^ key.x, low1, high0 ^ counter.w ^ key.y, low0);
    key += (uint2)(0x9E3779B9u, 0xBB67AE85u);
  }
  return counter;
}

kernel void clotho_random_philox_4x32(global uint *numbers, ulong count, ulong seed, ulong first) {
  const ulong end = first + count;
  const ulong blocks = count ? (end - 1) / 4 - first / 4 + 1 : 0;
  for (ulong i = get_global_linear_id(); i < blocks;
       i += get_global_size(0) * get_global_size(1) * get_global_size(2)) {
    const ulong block = first / 4 + i;
    const uint4 drawn = clotho_philox((uint4)((uint)block, (uint)(block >> 32), 0, 0), as_uint2(seed));
    if (block * 4 >= first && block * 4 + 4 <= end) {
      vstore4(drawn, 0, numbers + (block * 4 - first));
    } else {
      if (block * 4 + 0 >= first && block * 4 + 0 < end) numbers[block * 4 + 0 - first] = drawn.x;
      if (block * 4 + 1 >= first && block * 4 + 1 < end) numbers[block * 4 + 1 - first] = drawn.y;
      if (block * 4 + 2 >= first && block * 4 + 2 < end) numbers[block * 4 + 2 - first] = drawn.z;
      if (block * 4 + 3 >= first && block * 4 + 3 < end) numbers[block * 4 + 3 - first] = drawn.w;
    }
  }
}
)cl"},
    {"clotho_transpose_32", CL_MAKE_VERSION(1, 0, 0), R"cl(
kernel void clotho_transpose_32(global uint *target, ulong target_pitch, global const uint *source,
                                ulong source_pitch, ulong rows, ulong columns) {
  const ulong tile = 16; // of rows: a cache line of the target
  const ulong first_row = get_global_id(1) - get_global_offset(1), first_column = get_global_id(0) - get_global_offset(0);
  for (ulong top = first_row * tile; top < rows; top += get_global_size(1) * tile)
    for (ulong column = first_column; column < columns; column += get_global_size(0)) {
      const ulong end = min(top + tile, rows);
      for (ulong row = top; row < end; ++row)
        target[column * target_pitch + row] = source[row * source_pitch + column];
    }
}
)cl"},
}};

const BuiltInKernel* find(std::string_view name) {
  const auto* found =
      std::find_if(kKernels.begin(), kKernels.end(), [&](const BuiltInKernel& kernel) { return kernel.name == name; });
  return found == kKernels.end() ? nullptr : found;
}

} // namespace

std::string builtInKernelNames() {
  std::string names;
  for (const BuiltInKernel& kernel : kKernels)
    names += (names.empty() ? "" : ";") + std::string(kernel.name);
  return names;
}

std::vector<cl_name_version> builtInKernelVersions() {
  std::vector<cl_name_version> list;
  for (const BuiltInKernel& kernel : kKernels) {
    cl_name_version& entry = list.emplace_back();
    entry.version = kernel.version;
    kernel.name.copy(entry.name, sizeof entry.name - 1);
  }
  return list;
}

std::string builtInKernelSource(std::string_view names) {
  std::array<bool, kKernels.size()> wanted{};
  for (;;) {
    const std::size_t end = names.find(';');
    const BuiltInKernel* kernel = find(names.substr(0, end));
    check(kernel, CL_INVALID_VALUE, "no device has a built-in kernel of this name");
    wanted[static_cast<std::size_t>(kernel - kKernels.data())] = true;
    if (end == std::string_view::npos) break;
    names.remove_prefix(end + 1);
  }
  std::string source;
  for (std::size_t i = 0; i < kKernels.size(); ++i)
    if (wanted[i]) source += kKernels[i].source;
  return source;
}

} // namespace clotho
