// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "image_transfer.hpp"

#include "mappable_buffer.hpp"
#include "two_threads.hpp"

#include <algorithm>
#include <cstring>
#include <limits>
#include <memory>
#include <new>
#include <stdexcept>

namespace bench {

namespace {

constexpr std::size_t kTexel = 4;
constexpr cl_float kColour[4] = {0.2F, 0.4F, 0.6F, 0.8F};
constexpr unsigned char kColourBytes[kTexel] = {51, 102, 153, 204};

/// An image, or memory of the program's in its place; the program sees rows of both.
class Side {
 public:
  struct Rows {
    char* first;
    std::size_t pitch;
  };

  Side(Session& session, std::size_t width, std::size_t height, bool isImage)
      : session_(session), width_(width), height_(height) {
    if (!isImage) {
      host_.reset(new (kPage) char[width * height * kTexel]);
      return;
    }
    const cl_image_format format{CL_RGBA, CL_UNORM_INT8};
    cl_image_desc desc = {};
    desc.image_type = CL_MEM_OBJECT_IMAGE2D;
    desc.image_width = width;
    desc.image_height = height;
    cl_int status;
    image_ =
        clCreateImage(session.context, CL_MEM_READ_WRITE | CL_MEM_ALLOC_HOST_PTR, &format, &desc, nullptr, &status);
    check(status, "clCreateImage");
  }
  ~Side() {
    if (image_) clReleaseMemObject(image_);
  }
  Side(const Side&) = delete;
  Side& operator=(const Side&) = delete;

  cl_mem image() const { return image_; }
  char* host() const { return host_.get(); }
  const std::size_t* region() const { return region_; }

  Rows map() {
    if (!image_) return {host_.get(), width_ * kTexel};
    cl_int status;
    Rows rows{};
    rows.first =
        static_cast<char*>(clEnqueueMapImage(session_.queue, image_, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, kOrigin,
                                             region_, &rows.pitch, nullptr, 0, nullptr, nullptr, &status));
    check(status, "clEnqueueMapImage");
    return rows;
  }
  void unmap(Rows rows) {
    if (!image_) return;
    check(clEnqueueUnmapMemObject(session_.queue, image_, rows.first, 0, nullptr, nullptr), "clEnqueueUnmapMemObject");
    check(clFinish(session_.queue), "clFinish");
  }

  static constexpr std::size_t kOrigin[3] = {0, 0, 0};

 private:
  static constexpr std::align_val_t kPage{4096};
  struct FreeAligned {
    void operator()(char* memory) const { ::operator delete[](memory, kPage); }
  };
  Session& session_;
  std::size_t width_, height_;
  std::size_t region_[3] = {width_, height_, 1};
  cl_mem image_ = nullptr;
  std::unique_ptr<char[], FreeAligned> host_;
};

void enqueue(Session& session, ImageTransfer how, const Side& source, const Side& target) {
  const std::size_t *origin = Side::kOrigin, *region = target.region();
  switch (how) {
  case ImageTransfer::Write:
    return check(clEnqueueWriteImage(session.queue, target.image(), CL_FALSE, origin, region, 0, 0, source.host(), 0,
                                     nullptr, nullptr),
                 "clEnqueueWriteImage");
  case ImageTransfer::Read:
    return check(clEnqueueReadImage(session.queue, source.image(), CL_FALSE, origin, region, 0, 0, target.host(), 0,
                                    nullptr, nullptr),
                 "clEnqueueReadImage");
  case ImageTransfer::Copy:
    return check(
        clEnqueueCopyImage(session.queue, source.image(), target.image(), origin, origin, region, 0, nullptr, nullptr),
        "clEnqueueCopyImage");
  case ImageTransfer::Fill:
    return check(clEnqueueFillImage(session.queue, target.image(), kColour, origin, region, 0, nullptr, nullptr),
                 "clEnqueueFillImage");
  }
}

/// Throws unless the target has the source's texels, or the colour.
void verify(ImageTransfer how, Side::Rows source, Side::Rows target, const std::size_t* region) {
  for (std::size_t y = 0; y < region[1]; ++y) {
    const char *from = source.first + y * source.pitch, *to = target.first + y * target.pitch;
    bool good = true;
    if (how == ImageTransfer::Fill)
      for (std::size_t x = 0; x < region[0]; ++x)
        good &= std::memcmp(to + x * kTexel, kColourBytes, kTexel) == 0;
    else
      good = std::memcmp(from, to, region[0] * kTexel) == 0;
    if (!good) throw std::runtime_error("row " + std::to_string(y) + " of the image is wrong");
  }
}

} // namespace

std::vector<double> compareImageTransfers(Session& session, ImageTransfer how, std::size_t width, std::size_t height,
                                          int rounds) {
  constexpr int kRepeats = 5;
  const std::size_t bytes = width * height * kTexel;
  Side source(session, width, height, how != ImageTransfer::Write);
  Side target(session, width, height, how != ImageTransfer::Read);
  CopyFunction best = nullptr;
  std::vector<double> samples;
  // One round more: the first touches pages, starts threads, finds out which copy is the best, and is not counted.
  for (int round = 0; round <= rounds; ++round) {
    Side::Rows from = source.map(), to = target.map();
    writePattern(from.first, bytes / 64 * 64, static_cast<std::uint64_t>(round));
    double theirs = std::numeric_limits<double>::max();
    {
      TwoThreads threads;
      if (!best) best = fastestCopy(threads, to.first, from.first, bytes);
      for (int i = 0; i < kRepeats; ++i)
        theirs = std::min(theirs, threads.milliseconds(best, to.first, from.first, bytes));
    }
    if (std::memcmp(from.first, to.first, bytes) != 0) throw std::runtime_error("memcpy did not copy all bytes");
    std::memset(to.first, 0, bytes);
    source.unmap(from);
    target.unmap(to);

    double mine = std::numeric_limits<double>::max();
    for (int i = 0; i < kRepeats; ++i) {
      auto begin = Clock::now();
      enqueue(session, how, source, target);
      check(clFinish(session.queue), "clFinish");
      mine = std::min(mine, milliseconds(Clock::now() - begin));
    }
    from = source.map(), to = target.map();
    verify(how, from, to, target.region());
    source.unmap(from);
    target.unmap(to);
    if (round) samples.push_back(100 * theirs / mine);
  }
  return samples;
}

} // namespace bench
