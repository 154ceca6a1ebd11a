// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "device/cpu/transfer.hpp"

#include "command/command.hpp"
#include "device/cpu/topology.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <functional>

#if defined(__x86_64__)
#include <cpuid.h>
#include <immintrin.h>
#endif

namespace clotho::cpu {

namespace {

constexpr std::size_t kBlock = std::size_t{1} << 20;
/// Bytes of the block that fills repeat: a multiple of each pattern, and a divisor of kBlock.
constexpr std::size_t kFillPeriod = 128;
/// From here on a second thread is worth its wake-up.
constexpr std::size_t kParallelFrom = std::size_t{2} << 20;
/// From here on the data would only drive others out of the caches.
constexpr std::size_t kBypassFrom = std::size_t{16} << 20;

/// Rows that pile up in both places are one long row.
struct Shape {
  std::size_t rowBytes, rows, slices;
  std::size_t totalRows() const { return rows * slices; }
  std::size_t bytes() const { return rowBytes * rows * slices; }
};

/// Addresses of a row on both sides of a copy.
struct Row {
  std::byte* target;
  const std::byte* source;
};

/// Goes from row to row without a division.
class RowCursor {
 public:
  RowCursor(const Copy& copy, const Shape& shape, std::size_t row)
      : targetPitch_(copy.targetRowPitch), sourcePitch_(copy.sourceRowPitch),
        // From behind a slice's last row to the next one's first; either way round, so it wraps.
        targetGap_(copy.targetSlicePitch - shape.rows * targetPitch_),
        sourceGap_(copy.sourceSlicePitch - shape.rows * sourcePitch_), rows_(shape.rows), left_(rows_ - row % rows_),
        target_(copy.target), source_(copy.source),
        targetAt_(row / rows_ * copy.targetSlicePitch + row % rows_ * targetPitch_),
        sourceAt_(row / rows_ * copy.sourceSlicePitch + row % rows_ * sourcePitch_) {}

  Row next() {
    Row now{target_ + targetAt_, source_ + sourceAt_};
    targetAt_ += targetPitch_;
    sourceAt_ += sourcePitch_;
    if (--left_ == 0) {
      left_ = rows_;
      targetAt_ += targetGap_;
      sourceAt_ += sourceGap_;
    }
    return now;
  }

 private:
  std::size_t targetPitch_, sourcePitch_, targetGap_, sourceGap_;
  std::size_t rows_, left_;
  std::byte* target_;
  const std::byte* source_;
  std::size_t targetAt_, sourceAt_; // behind the last row anything
};

#if defined(__x86_64__)

// Whole cache lines are written at once, so memory need not be read for them.

template <std::size_t ahead>
__attribute__((target("avx512f"))) inline void streamLine512(std::byte* target, const std::byte* source) {
  _mm_prefetch(reinterpret_cast<const char*>(source + ahead), _MM_HINT_T0);
  _mm512_stream_si512(reinterpret_cast<__m512i*>(target), _mm512_loadu_si512(source));
}

/// Not by __builtin_cpu_is, which has a constructor.
bool isMadeByAmd() {
  unsigned most = 0, ebx = 0, ecx = 0, edx = 0;
  return __get_cpuid(0, &most, &ebx, &ecx, &edx) != 0 && ebx == signature_AMD_ebx && ecx == signature_AMD_ecx &&
         edx == signature_AMD_edx;
}

// Some pages at a time: each is a stream of its own to the core's prefetcher, which ends at a page's end, and more of
// the memory's banks are at work (measured on Rocket Lake with two threads: 27 GB/s against 18 for one page, and 26
// with prefetches). Zen 4 is quicker with one page after the other, by 7 to 40 % from run to run.
__attribute__((target("avx512f"))) void streamLines512(std::byte* target, const std::byte* source, std::size_t lines) {
  constexpr std::size_t kPages = 4, kPageLines = 64;
  static const bool onePage = isMadeByAmd();
  std::size_t done = 0;
  for (; !onePage && lines - done >= kPages * kPageLines; done += kPages * kPageLines)
    for (std::size_t line = done; line < done + kPageLines; ++line)
      for (std::size_t page = 0; page < kPages; ++page) {
        std::size_t at = (line + page * kPageLines) * 64;
        streamLine512<512>(target + at, source + at);
      }
  for (; done < lines; ++done)
    streamLine512<1024>(target + done * 64, source + done * 64);
}

/// Short rows, whose lines begin and end with lines of the target, one after the other. Without prefetches: they would
/// reach into what lies between the rows. `line` copies one.
template <void (*line)(std::byte*, const std::byte*)>
inline __attribute__((always_inline)) void streamRows(const Copy& copy, const Shape& shape, std::size_t first,
                                                      std::size_t end) {
  const std::size_t lines = shape.rowBytes / 64, rest = shape.rowBytes % 64;
  for (RowCursor cursor(copy, shape, first); first < end; ++first) {
    Row row = cursor.next();
    for (std::size_t at = 0; at < lines * 64; at += 64)
      line(row.target + at, row.source + at);
    if (rest) std::memcpy(row.target + lines * 64, row.source + lines * 64, rest);
  }
}

__attribute__((target("avx512f"))) inline void plainLine512(std::byte* target, const std::byte* source) {
  _mm512_stream_si512(reinterpret_cast<__m512i*>(target), _mm512_loadu_si512(source));
}

/// As above rows of some pages at a time, and each of those a group of rows as long as a page (measured with two
/// threads and rows of 64 bytes, every other line: 180 % of memcpy's speed, one row after the other 130 %, with plain
/// stores 80 %). Only where one store writes a line: of lines in halves four rows in turn take two to three times as
/// long (Zen 3: rows of 64 bytes 55 % of memcpy's speed and 95 %, of 1 KiB 70 and 130, of 16,380 bytes 30 and 100).
__attribute__((target("avx512f"))) void streamRows512(const Copy& copy, const Shape& shape, std::size_t first,
                                                      std::size_t end) {
  constexpr std::size_t kPage = 4096, kGroups = 4;
  const std::size_t group = std::max<std::size_t>(kPage / std::max(copy.targetRowPitch, shape.rowBytes), 1);
  const std::size_t lines = shape.rowBytes / 64, rest = shape.rowBytes % 64;
  for (; end - first >= group * kGroups; first += group * kGroups) {
    RowCursor cursor[kGroups] = {{copy, shape, first},
                                 {copy, shape, first + group},
                                 {copy, shape, first + 2 * group},
                                 {copy, shape, first + 3 * group}};
    for (std::size_t i = 0; i < group; ++i) {
      Row row[kGroups] = {cursor[0].next(), cursor[1].next(), cursor[2].next(), cursor[3].next()};
      for (std::size_t at = 0; at < lines * 64; at += 64)
        for (const Row& now : row)
          plainLine512(now.target + at, now.source + at);
      if (rest)
        for (const Row& now : row)
          std::memcpy(now.target + lines * 64, now.source + lines * 64, rest);
    }
  }
  streamRows<plainLine512>(copy, shape, first, end);
}

__attribute__((target("avx"))) inline void plainLine256(std::byte* target, const std::byte* source) {
  __m256i low = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(source));
  __m256i high = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(source + 32));
  _mm256_stream_si256(reinterpret_cast<__m256i*>(target), low);
  _mm256_stream_si256(reinterpret_cast<__m256i*>(target + 32), high);
}
__attribute__((target("avx"))) void streamRows256(const Copy& copy, const Shape& shape, std::size_t first,
                                                  std::size_t end) {
  streamRows<plainLine256>(copy, shape, first, end);
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

inline void plainLine128(std::byte* target, const std::byte* source) { streamLines128(target, source, 1); }

void streamRows(const Copy& copy, const Shape& shape, std::size_t first, std::size_t end) {
  unsigned bytes = vectorRegisterBytes();
  if (bytes == 64)
    streamRows512(copy, shape, first, end);
  else if (bytes == 32)
    streamRows256(copy, shape, first, end);
  else
    streamRows<plainLine128>(copy, shape, first, end);
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
void streamRows(const Copy&, const Shape&, std::size_t, std::size_t) {}
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
  task.parallelism = static_cast<std::uint16_t>(std::min<std::size_t>({units, workers, UINT16_MAX}));
  task.ranges.init(task.units, std::min(task.units, workers));
}

/// With rows and slices that touch put together.
Shape shapeOf(Shape shape, bool rowsTouch, bool slicesTouch) {
  if (rowsTouch && slicesTouch) return {shape.bytes(), 1, 1};
  if (rowsTouch) return {shape.rowBytes * shape.rows, 1, shape.slices};
  return shape;
}

Shape shapeOf(const Copy& copy) {
  const Shape shape{copy.rowBytes, copy.rows, copy.slices};
  bool rowsTouch = shape.rows == 1 || (copy.sourceRowPitch == shape.rowBytes && copy.targetRowPitch == shape.rowBytes);
  std::size_t sliceBytes = shape.rowBytes * shape.rows;
  bool slicesTouch = shape.slices == 1 || (copy.sourceSlicePitch == sliceBytes && copy.targetSlicePitch == sliceBytes);
  return shapeOf(shape, rowsTouch, slicesTouch);
}

Shape shapeOf(const Fill& fill) {
  const Shape shape{fill.rowBytes, fill.rows, fill.slices};
  return shapeOf(shape, shape.rows == 1 || fill.rowPitch == shape.rowBytes,
                 shape.slices == 1 || fill.slicePitch == shape.rowBytes * shape.rows);
}

/// Long rows are cut into blocks; of short ones a unit holds several.
bool cutsRows(const Shape& shape) { return shape.rowBytes > kBlock; }
std::size_t blocksPerRow(const Shape& shape) { return (shape.rowBytes + kBlock - 1) / kBlock; }

/// Whether each row begins with a cache line of the target.
bool rowsBeginLines(const Copy& copy, const Shape& shape) {
  std::size_t all = reinterpret_cast<std::uintptr_t>(copy.target);
  if (shape.rows > 1) all |= copy.targetRowPitch;
  if (shape.slices > 1) all |= copy.targetSlicePitch;
  return all % 64 == 0;
}

/// Rows of at most a block.
void copyRows(const Copy& copy, const Shape& shape, std::size_t first, std::size_t end, bool bypassCaches) {
  // Longer ones have pages enough of their own.
  constexpr std::size_t kShortRow = std::size_t{16} << 10;
  if (bypassCaches && kCanStream && shape.rowBytes >= 64 && shape.rowBytes < kShortRow && rowsBeginLines(copy, shape))
    return streamRows(copy, shape, first, end);
  for (RowCursor cursor(copy, shape, first); first < end; ++first) {
    Row row = cursor.next();
    copyBytes(row.target, row.source, shape.rowBytes, bypassCaches);
  }
}

/// Units are blocks of rows, or some rows each.
void divide(const Shape& shape, std::uint32_t workers, Task& task) {
  if (cutsRows(shape)) return setUnits(task, shape.totalRows() * blocksPerRow(shape), kBlock, shape.bytes(), workers);
  std::size_t rowsPerUnit = std::max<std::size_t>(kBlock / shape.rowBytes, 1);
  setUnits(task, (shape.totalRows() + rowsPerUnit - 1) / rowsPerUnit, rowsPerUnit, shape.bytes(), workers);
}

/// Calls `part(row, offset, size)` for all bytes of the units [first, end).
template <class Part>
void forEachPart(const Shape& shape, const Task& task, std::uint64_t first, std::uint64_t end, Part&& part) {
  if (!cutsRows(shape)) {
    const std::size_t last = std::min<std::size_t>(end * task.unitSize, shape.totalRows());
    for (std::size_t row = first * task.unitSize; row < last; ++row)
      part(row, std::size_t{0}, shape.rowBytes);
    return;
  }
  const std::size_t perRow = blocksPerRow(shape);
  for (std::uint64_t unit = first; unit < end && unit / perRow < shape.totalRows(); ++unit) {
    const std::size_t offset = unit % perRow * kBlock;
    part(unit / perRow, offset, std::min<std::size_t>(kBlock, shape.rowBytes - offset));
  }
}

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
  // A row of few lines has most of its bytes in those at its ends.
  constexpr std::size_t kLine = 64, kWorthIt = 8 * kLine;
  if (!bypassCaches || !kCanStream || size < kWorthIt) {
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
  constexpr std::size_t kLine = 64, kWorthIt = 8 * kLine;
  std::array<std::byte, kFillPeriod> turned;
  if (bypassCaches && kCanStream && size >= kWorthIt) {
    // From a cache line's beginning on, with the block turned so that it goes on where the bytes before end.
    if (const std::size_t head = toAlignment(target, kLine)) {
      std::memcpy(target, block, head);
      std::memcpy(turned.data(), block + head, kFillPeriod - head);
      std::memcpy(turned.data() + kFillPeriod - head, block, head);
      block = turned.data();
      target += head;
      size -= head;
    }
    std::size_t blocks = size / kFillPeriod;
    streamPattern(target, block, blocks);
    target += blocks * kFillPeriod;
    size -= blocks * kFillPeriod;
  }
  for (; size >= kFillPeriod; size -= kFillPeriod, target += kFillPeriod)
    std::memcpy(target, block, kFillPeriod);
  std::memcpy(target, block, size);
}

void planCopy(const Copy& copy, std::uint32_t workers, Task& task) noexcept {
  Shape shape = shapeOf(copy);
  if (!copy.mayOverlap && shape.bytes() != 0) divide(shape, workers, task);
}

void runCopy(const Copy& copy, const Task& task, std::uint64_t first, std::uint64_t end) noexcept {
  Shape shape = shapeOf(copy);
  if (shape.bytes() == 0) return;
  if (copy.mayOverlap) return copyOverlapping(copy);
  bool bypass = shape.bytes() >= kBypassFrom;
  if (cutsRows(shape))
    forEachPart(shape, task, first, end, [&](std::size_t row, std::size_t offset, std::size_t size) {
      std::size_t slice = row / shape.rows, rowInSlice = row % shape.rows;
      copyBytes(copy.target + slice * copy.targetSlicePitch + rowInSlice * copy.targetRowPitch + offset,
                copy.source + slice * copy.sourceSlicePitch + rowInSlice * copy.sourceRowPitch + offset, size, bypass);
    });
  else
    copyRows(copy, shape, first * task.unitSize, std::min<std::size_t>(end * task.unitSize, shape.totalRows()), bypass);
  if (bypass) finishStores();
}

void planFill(const Fill& fill, std::uint32_t workers, Task& task) noexcept {
  if (const Shape shape = shapeOf(fill); shape.bytes() != 0) divide(shape, workers, task);
}

void runFill(const Fill& fill, const Task& task, std::uint64_t first, std::uint64_t end) noexcept {
  const Shape shape = shapeOf(fill);
  if (shape.bytes() == 0) return;
  std::array<std::byte, kFillPeriod> block;
  for (std::size_t at = 0; at < block.size(); at += fill.patternSize)
    std::memcpy(block.data() + at, fill.pattern.data(), fill.patternSize);
  bool bypass = shape.bytes() >= kBypassFrom;
  forEachPart(shape, task, first, end, [&](std::size_t row, std::size_t offset, std::size_t size) {
    std::byte* begin = fill.target + row / shape.rows * fill.slicePitch + row % shape.rows * fill.rowPitch;
    fillBytes(begin + offset, block.data(), size, bypass);
  });
  if (bypass) finishStores();
}

} // namespace clotho::cpu
