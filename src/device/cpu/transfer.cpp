// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "device/cpu/transfer.hpp"

#include "device/cpu/topology.hpp"
#include "runtime/command.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <functional>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace clotho::cpu {

namespace {

constexpr std::size_t kBlock = std::size_t{1} << 20;
/// From here on a second thread is worth its wake-up.
constexpr std::size_t kParallelFrom = std::size_t{2} << 20;
/// From here on the data would only drive others out of the caches.
constexpr std::size_t kBypassFrom = std::size_t{16} << 20;

#if defined(__x86_64__)

// Whole cache lines are written at once, so memory need not be read for them.

__attribute__((target("avx512f"))) inline void streamLine512(std::byte* target, const std::byte* source) {
  _mm_prefetch(reinterpret_cast<const char*>(source + 512), _MM_HINT_T0);
  _mm512_stream_si512(reinterpret_cast<__m512i*>(target), _mm512_loadu_si512(source));
}

// Some pages at a time: each is a stream of its own to the core's prefetcher, which ends at a page's end, and more of
// the memory's banks are at work (measured with two threads: 27 GB/s against 18 for one page, and 26 with prefetches).
__attribute__((target("avx512f"))) void streamLines512(std::byte* target, const std::byte* source, std::size_t lines) {
  constexpr std::size_t kPages = 4, kPageLines = 64;
  std::size_t done = 0;
  for (; lines - done >= kPages * kPageLines; done += kPages * kPageLines)
    for (std::size_t line = done; line < done + kPageLines; ++line)
      for (std::size_t page = 0; page < kPages; ++page) {
        std::size_t at = (line + page * kPageLines) * 64;
        streamLine512(target + at, source + at);
      }
  for (; done < lines; ++done)
    streamLine512(target + done * 64, source + done * 64);
}

__attribute__((target("avx"))) void streamLines256(std::byte* target, const std::byte* source, std::size_t lines) {
  for (std::size_t i = 0; i < lines; ++i) {
    _mm_prefetch(reinterpret_cast<const char*>(source + i * 64 + 1024), _MM_HINT_T0);
    __m256i low = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(source + i * 64));
    __m256i high = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(source + i * 64 + 32));
    _mm256_stream_si256(reinterpret_cast<__m256i*>(target + i * 64), low);
    _mm256_stream_si256(reinterpret_cast<__m256i*>(target + i * 64 + 32), high);
  }
}

void streamLines128(std::byte* target, const std::byte* source, std::size_t lines) {
  for (std::size_t i = 0; i < lines * 4; ++i)
    _mm_stream_si128(reinterpret_cast<__m128i*>(target + i * 16),
                     _mm_loadu_si128(reinterpret_cast<const __m128i*>(source + i * 16)));
}

void streamLines(std::byte* target, const std::byte* source, std::size_t lines) {
  unsigned bytes = vectorRegisterBytes();
  if (bytes == 64)
    streamLines512(target, source, lines);
  else if (bytes == 32)
    streamLines256(target, source, lines);
  else
    streamLines128(target, source, lines);
}

void streamPattern(std::byte* target, const std::byte* block, std::size_t blocks) {
  __m128i part[8];
  std::memcpy(part, block, sizeof part);
  for (std::size_t i = 0; i < blocks; ++i)
    for (std::size_t k = 0; k < 8; ++k)
      _mm_stream_si128(reinterpret_cast<__m128i*>(target + i * 128 + k * 16), part[k]);
}

constexpr bool kCanStream = true;

#else

void streamLines(std::byte* target, const std::byte* source, std::size_t lines) {
  std::memcpy(target, source, lines * 64);
}
void streamPattern(std::byte*, const std::byte*, std::size_t) {}
constexpr bool kCanStream = false;

#endif

std::size_t toAlignment(const std::byte* pointer, std::size_t alignment) {
  return (alignment - reinterpret_cast<std::uintptr_t>(pointer) % alignment) % alignment;
}

/// Sets what all transfers have in common.
void setUnits(Task& task, std::size_t units, std::size_t unitSize, std::size_t bytes, std::uint32_t workers) {
  // Units hold half a block at least, so a range can count those of any memory.
  task.units = static_cast<std::uint32_t>(units);
  task.unitSize = unitSize;
  task.whole = units < 2 || bytes < kParallelFrom || workers < 2;
  if (task.whole) return;
  task.parallelism = static_cast<std::uint32_t>(std::min<std::size_t>(units, workers));
  task.ranges.init(task.units, std::min(task.units, workers + 1));
}

/// Rows that pile up in both places are one long row.
struct Shape {
  std::size_t rowBytes, rows, slices;
  std::size_t totalRows() const { return rows * slices; }
  std::size_t bytes() const { return rowBytes * rows * slices; }
};

Shape shapeOf(const Copy& copy) {
  Shape shape{copy.rowBytes, copy.rows, copy.slices};
  bool rowsTouch = shape.rows == 1 || (copy.sourceRowPitch == shape.rowBytes && copy.targetRowPitch == shape.rowBytes);
  std::size_t sliceBytes = shape.rowBytes * shape.rows;
  bool slicesTouch = shape.slices == 1 || (copy.sourceSlicePitch == sliceBytes && copy.targetSlicePitch == sliceBytes);
  if (rowsTouch && slicesTouch) return {shape.bytes(), 1, 1};
  if (rowsTouch) return {sliceBytes, 1, shape.slices};
  return shape;
}

/// Long rows are cut into blocks; of short ones a unit holds several.
bool cutsRows(const Shape& shape) { return shape.rowBytes > kBlock; }
std::size_t blocksPerRow(const Shape& shape) { return (shape.rowBytes + kBlock - 1) / kBlock; }

void copyOverlapping(const Copy& copy) {
  // As memmove, row by row: from the end when the bytes move up.
  bool up = std::less<const std::byte*>()(copy.source, copy.target);
  for (std::size_t i = 0; i < copy.rows * copy.slices; ++i) {
    std::size_t index = up ? copy.rows * copy.slices - 1 - i : i;
    std::size_t slice = index / copy.rows, row = index % copy.rows;
    std::memmove(copy.target + slice * copy.targetSlicePitch + row * copy.targetRowPitch,
                 copy.source + slice * copy.sourceSlicePitch + row * copy.sourceRowPitch, copy.rowBytes);
  }
}

} // namespace

void copyBytes(std::byte* target, const std::byte* source, std::size_t size, bool bypassCaches) noexcept {
  constexpr std::size_t kLine = 64;
  if (!bypassCaches || !kCanStream || size < 16 * kLine) {
    std::memcpy(target, source, size);
    return;
  }
  std::size_t head = toAlignment(target, kLine);
  std::memcpy(target, source, head);
  std::size_t lines = (size - head) / kLine;
  streamLines(target + head, source + head, lines);
  std::size_t done = head + lines * kLine;
  std::memcpy(target + done, source + done, size - done);
}

void finishStores() noexcept {
#if defined(__x86_64__)
  _mm_sfence();
#endif
}

void fillBytes(std::byte* target, const std::byte* block, std::size_t size, bool bypassCaches) noexcept {
  constexpr std::size_t kPeriod = 128;
  if (bypassCaches && kCanStream && toAlignment(target, 16) == 0) {
    std::size_t blocks = size / kPeriod;
    streamPattern(target, block, blocks);
    target += blocks * kPeriod;
    size -= blocks * kPeriod;
  }
  for (; size >= kPeriod; size -= kPeriod, target += kPeriod)
    std::memcpy(target, block, kPeriod);
  std::memcpy(target, block, size);
}

void planCopy(const Copy& copy, std::uint32_t workers, Task& task) noexcept {
  Shape shape = shapeOf(copy);
  if (copy.mayOverlap || shape.bytes() == 0) return; // one unit
  if (cutsRows(shape)) return setUnits(task, shape.totalRows() * blocksPerRow(shape), kBlock, shape.bytes(), workers);
  std::size_t rowsPerUnit = std::max<std::size_t>(kBlock / shape.rowBytes, 1);
  setUnits(task, (shape.totalRows() + rowsPerUnit - 1) / rowsPerUnit, rowsPerUnit, shape.bytes(), workers);
}

void runCopy(const Copy& copy, const Task& task, std::uint64_t first, std::uint64_t end) noexcept {
  Shape shape = shapeOf(copy);
  if (shape.bytes() == 0) return;
  if (copy.mayOverlap) return copyOverlapping(copy);
  bool bypass = shape.bytes() >= kBypassFrom;
  auto copyPart = [&](std::size_t row, std::size_t offset, std::size_t size) {
    std::size_t slice = row / shape.rows, rowInSlice = row % shape.rows;
    copyBytes(copy.target + slice * copy.targetSlicePitch + rowInSlice * copy.targetRowPitch + offset,
              copy.source + slice * copy.sourceSlicePitch + rowInSlice * copy.sourceRowPitch + offset, size, bypass);
  };
  if (cutsRows(shape)) {
    std::size_t perRow = (shape.rowBytes + task.unitSize - 1) / task.unitSize;
    for (std::uint64_t unit = first; unit < end; ++unit) {
      std::size_t offset = unit % perRow * task.unitSize;
      if (unit / perRow < shape.totalRows())
        copyPart(unit / perRow, offset, std::min<std::size_t>(task.unitSize, shape.rowBytes - offset));
    }
  } else {
    std::size_t lastRow = std::min<std::size_t>(end * task.unitSize, shape.totalRows());
    for (std::size_t row = first * task.unitSize; row < lastRow; ++row)
      copyPart(row, 0, shape.rowBytes);
  }
  if (bypass) finishStores();
}

void planFill(const Fill& fill, std::uint32_t workers, Task& task) noexcept {
  if (fill.size) setUnits(task, (fill.size + kBlock - 1) / kBlock, kBlock, fill.size, workers);
}

void runFill(const Fill& fill, const Task& task, std::uint64_t first, std::uint64_t end) noexcept {
  std::array<std::byte, 128> block;
  for (std::size_t at = 0; at < block.size(); at += fill.patternSize)
    std::memcpy(block.data() + at, fill.pattern.data(), fill.patternSize);
  std::size_t begin = std::min<std::size_t>(first * task.unitSize, fill.size);
  std::size_t stop = std::min<std::size_t>(end * task.unitSize, fill.size);
  bool bypass = fill.size >= kBypassFrom;
  fillBytes(fill.target + begin, block.data(), stop - begin, bypass);
  if (bypass) finishStores();
}

} // namespace clotho::cpu
