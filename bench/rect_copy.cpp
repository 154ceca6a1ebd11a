// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "rect_copy.hpp"

#include "mappable_buffer.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <limits>
#include <memory>
#include <new>
#include <stdexcept>

namespace bench {

namespace {

/// A region that is half as wide as what it is part of, and two thirds as high if it has slices.
struct Region {
  std::array<std::size_t, 3> size; ///< bytes of a row, rows, slices
  std::size_t rowPitch, slicePitch;

  static Region of(std::size_t rowBytes, std::size_t bytes, bool isDeep) {
    constexpr std::size_t kRowsOfSlice = 64;
    std::size_t rows = bytes / rowBytes;
    if (!isDeep) return {{rowBytes, rows, 1}, 2 * rowBytes, 2 * rowBytes * rows};
    return {{rowBytes, kRowsOfSlice, rows / kRowsOfSlice}, 2 * rowBytes, 2 * rowBytes * (kRowsOfSlice * 3 / 2)};
  }
  std::size_t extent() const { return slicePitch * size[2]; }
  std::size_t bytes() const { return size[0] * size[1] * size[2]; }
  template <class Body> void eachRow(Body&& body) const {
    for (std::size_t z = 0; z < size[2]; ++z)
      for (std::size_t y = 0; y < size[1]; ++y)
        body(z * slicePitch + y * rowPitch);
  }
};

constexpr char kUntouched = 0x5a;

void verify(const char* source, const char* target, const Region& region) {
  std::size_t next = 0; // what lies before is right
  auto untouchedUpTo = [&](std::size_t end) {
    return std::all_of(target + next, target + end, [](char byte) { return byte == kUntouched; });
  };
  region.eachRow([&](std::size_t at) {
    if (!untouchedUpTo(at)) throw std::runtime_error("bytes between the rows have changed");
    if (std::memcmp(source + at, target + at, region.size[0]) != 0)
      throw std::runtime_error("a row did not arrive as it was");
    next = at + region.size[0];
  });
  if (!untouchedUpTo(region.extent())) throw std::runtime_error("bytes behind the rows have changed");
}

template <class Body> double shortest(int repeats, Body&& body) {
  double least = std::numeric_limits<double>::max();
  for (int i = 0; i < repeats; ++i) {
    auto begin = Clock::now();
    body();
    least = std::min(least, milliseconds(Clock::now() - begin));
  }
  return least;
}

/// Source and target of one comparison: buffers or the program's memory, and the latter's addresses of both.
class Sides {
 public:
  Sides(Session& session, RectCopy how, std::size_t size) : session_(session), how_(how) {
    if (how != RectCopy::Write) source_ = std::make_unique<MappableBuffer>(session, size);
    if (how != RectCopy::Read) target_ = std::make_unique<MappableBuffer>(session, size);
    if (!source_ || !target_) {
      host_.reset(new (kPage) char[size]);
    }
  }

  /// `body(source, target)` while the program may use both.
  template <class Body> void onHost(Body&& body) {
    char* source = source_ ? source_->map() : host_.get();
    char* target = target_ ? target_->map() : host_.get();
    body(source, target);
    if (source_) source_->unmap(source);
    if (target_) target_->unmap(target);
  }

  void enqueue(const Region& region) {
    constexpr std::array<std::size_t, 3> kOrigin{0, 0, 0};
    const std::size_t *at = kOrigin.data(), *size = region.size.data(), row = region.rowPitch,
                      slice = region.slicePitch;
    cl_command_queue queue = session_.queue;
    switch (how_) {
    case RectCopy::Write:
      return check(clEnqueueWriteBufferRect(queue, target_->get(), CL_FALSE, at, at, size, row, slice, row, slice,
                                            host_.get(), 0, nullptr, nullptr),
                   "clEnqueueWriteBufferRect");
    case RectCopy::Read:
      return check(clEnqueueReadBufferRect(queue, source_->get(), CL_FALSE, at, at, size, row, slice, row, slice,
                                           host_.get(), 0, nullptr, nullptr),
                   "clEnqueueReadBufferRect");
    case RectCopy::Copy:
      return check(clEnqueueCopyBufferRect(queue, source_->get(), target_->get(), at, at, size, row, slice, row, slice,
                                           0, nullptr, nullptr),
                   "clEnqueueCopyBufferRect");
    case RectCopy::Loop: return;
    }
  }

 private:
  static constexpr std::align_val_t kPage{4096};
  struct FreeAligned {
    void operator()(char* memory) const { ::operator delete[](memory, kPage); }
  };
  Session& session_;
  RectCopy how_;
  std::unique_ptr<MappableBuffer> source_, target_;
  std::unique_ptr<char[], FreeAligned> host_;
};

/// The speed in per cent of memcpy's.
double compareOnce(Session& session, Sides& sides, RectCopy how, const Region& region, std::uint64_t seed) {
  constexpr int kRepeats = 5;
  double theirs = 0, mine = 0;
  sides.onHost([&](char* source, char* target) {
    writePattern(source, region.extent(), seed);
    std::memset(target, 0, region.extent());
    theirs = shortest(kRepeats, [&] { std::memcpy(target, source, region.bytes()); });
    if (std::memcmp(source, target, region.bytes()) != 0) throw std::runtime_error("memcpy did not copy all bytes");
    std::memset(target, kUntouched, region.extent());
    if (how == RectCopy::Loop)
      mine = shortest(kRepeats, [&] {
        region.eachRow([&](std::size_t at) { std::memcpy(target + at, source + at, region.size[0]); });
      });
  });
  if (how != RectCopy::Loop)
    mine = shortest(kRepeats, [&] {
      sides.enqueue(region);
      check(clFinish(session.queue), "clFinish");
    });
  sides.onHost([&](const char* source, const char* target) { verify(source, target, region); });
  return 100 * theirs / mine;
}

} // namespace

std::vector<double> compareRects(Session& session, RectCopy how, std::size_t rowBytes, std::size_t size, int rounds) {
  const std::array regions = {Region::of(rowBytes, size, false), Region::of(rowBytes, size, true)};
  Sides sides(session, how, std::max(regions[0].extent(), regions[1].extent()));
  std::vector<double> samples;
  // One round more: the first touches pages and starts threads, and is not counted.
  for (int round = 0; round <= rounds; ++round) {
    double slower = std::numeric_limits<double>::max();
    for (const Region& region : regions)
      slower = std::min(slower, compareOnce(session, sides, how, region, static_cast<std::uint64_t>(round)));
    if (round) samples.push_back(slower);
  }
  return samples;
}

} // namespace bench
