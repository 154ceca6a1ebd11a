// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The local size of launches for which the application leaves the choice to the device.
#include "command/nd_range.hpp"
#include "device/cpu/program_loader.hpp"

#include <algorithm>
#include <limits>

namespace clotho::cpu {

namespace {

/// The largest divisor of `size` that is at most `limit`.
std::uint64_t divisorUpTo(std::uint64_t size, std::uint64_t limit) {
  if (size % limit == 0) return limit;
  if (size <= limit) return size;
  if (size <= UINT32_MAX) {
    // Divisions of 32 bits take a fraction of the time.
    auto small = static_cast<std::uint32_t>(size);
    for (auto d = static_cast<std::uint32_t>(limit - 1); d > 1; --d)
      if (small % d == 0) return d;
    return 1;
  }
  for (std::uint64_t d = limit - 1; d > 1; --d)
    if (size % d == 0) return d;
  return 1;
}

/// A divisor of `size` that is at most `limit`: the largest one that is a multiple of `multiple` (whole sub-groups), or
/// the largest of all if that is more than twice as large.
std::uint64_t rowUpTo(std::uint64_t size, std::uint64_t limit, std::uint64_t multiple) {
  const std::uint64_t largest = divisorUpTo(size, limit);
  if (largest % multiple == 0 || size % multiple != 0 || limit < multiple) return largest;
  const std::uint64_t whole = multiple * divisorUpTo(size / multiple, limit / multiple);
  return 2 * whole >= largest ? whole : largest;
}

/// As few pieces of at most `limit` as there can be, of equal length but for rounding up to a multiple, and the last.
std::uint64_t pieceUpTo(std::uint64_t size, std::uint64_t limit, std::uint64_t multiple) {
  std::uint64_t pieces = size / limit + (size % limit != 0);
  std::uint64_t piece = size / pieces + (size % pieces != 0);
  return std::min((piece + multiple - 1) / multiple * multiple, limit);
}

/// Work-groups of at most `largest` work-items: large enough to hide what each costs, wide in dimension 0 of the code,
/// where neighbours in memory usually are, and several for each compute unit while there are enough work-items.
void chooseLocalSizeUpTo(std::uint64_t largest, NDRange& range, const CpuKernel& kernel,
                         const DeviceProperties& device) {
  range.local = {1, 1, 1};
  std::uint64_t items = range.global[0];
  for (int i = 1; i < 3; ++i)
    if (__builtin_mul_overflow(items, range.global[i], &items)) items = UINT64_MAX;
  std::uint64_t limit =
      std::clamp<std::uint64_t>(items / (4 * device.computeUnits), std::min<std::uint64_t>(64, largest), largest);
  // If only small numbers divide the global size, the last work-group is shorter rather than all of them. Kernels whose
  // work-groups are run together do not mind short ones.
  const CpuKernelFacts& facts = kernel.facts();
  bool mayLeaveRest = kernel.info().allowsNonUniform && (facts.mergedRow == 0 || facts.directSize[0] != 0);
  // Rows that go together are in one work-group.
  std::uint64_t rows = limit >= facts.rowsAtOnce && range.global[1] % facts.rowsAtOnce == 0 ? facts.rowsAtOnce : 1;
  limit /= rows;
  range.global[1] /= rows;
  for (int i = 0; i < 3 && limit > 1; ++i) {
    const std::uint64_t multiple = i == 0 ? device.preferredGroupMultiple : 1;
    range.local[i] = rowUpTo(range.global[i], limit, multiple);
    if (mayLeaveRest && range.global[i] > limit && 2 * range.local[i] <= limit)
      range.local[i] = pieceUpTo(range.global[i], limit, multiple);
    limit /= range.local[i];
  }
  range.global[1] *= rows;
  range.local[1] *= rows;
}

/// Lengths in work-items of the work-groups in launches that are counted by rows. No kernel can tell how such launches
/// are divided. Neighbouring work-groups are run as one, so that it matters little how long they are.
constexpr std::uint64_t kPiece = 256, kLeastPiece = 16, kWholeRow = 4096;

std::uint64_t pieceOfRow(std::uint64_t length) {
  const std::uint64_t piece = divisorUpTo(length, kPiece);
  return piece < kLeastPiece && length <= kWholeRow ? length : piece;
}

} // namespace

bool CpuKernel::takes(const NDRange& range, const std::byte* args) const noexcept {
  if (facts_.countsRows) {
    const std::uint64_t length = rowLength(range.global, range.offset, args);
    if (length == 0 || (facts_.areRowsWhole && range.global[0] % length != 0)) return false;
    return pieceOfRow(length) >= kLeastPiece;
  }
  if (facts_.shape[0] == 0) return true;
  for (std::size_t i = 0; i < 3; ++i)
    if (range.global[i] % range.local[i] != 0 || range.global[i] > std::numeric_limits<std::int32_t>::max())
      return false;
  return true;
}

void CpuKernel::toCode(NDRange& range, const std::byte* args) const noexcept {
  if (facts_.countsRows) {
    const std::uint64_t length = rowLength(range.global, range.offset, args);
    range.rowItems = range.global[0];
    range.global = {length, (range.global[0] + length - 1) / length, 1};
    range.local = {pieceOfRow(length), 1, 1};
    const std::uint64_t rows = std::max<std::uint64_t>(kPiece / range.local[0], facts_.rowsAtOnce);
    range.local[1] = divisorUpTo(range.global[1], rows);
  }
  exchangeDimensions(range);
  if (facts_.shape[0] == 0) return;
  for (int i = 0; i < 3; ++i) {
    range.global[i] = range.groups(i) * facts_.shape[i];
    range.local[i] = facts_.shape[i];
  }
}

void CpuKernel::exchangeDimensions(NDRange& range) const noexcept {
  cpu::exchangeDimensions(facts_, range.offset);
  cpu::exchangeDimensions(facts_, range.global);
  cpu::exchangeDimensions(facts_, range.local);
}

// A barrier keeps the whole work-group's state, so those are smaller, and every compute unit should find memory for
// one.
void CpuKernel::chooseLocalSize(NDRange& range, const DeviceProperties& device) const noexcept {
  std::uint64_t largest =
      mostOfGroup(*this, std::min<std::uint64_t>(facts_.usesBarrier ? 64 : 256, device.maxWorkGroupSize));
  exchangeDimensions(range);
  chooseLocalSizeUpTo(largest, range, *this, device);
  const std::uint64_t share = device.privateMemorySize / device.computeUnits;
  while (largest > 1 && privateBytesOfRows(range.local) > share)
    chooseLocalSizeUpTo(largest /= 2, range, *this, device);
  exchangeDimensions(range);
}

} // namespace clotho::cpu
