// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/memory/image.hpp"

#include "runtime/memory/image_formats.hpp"

#include <algorithm>
#include <bit>

namespace clotho {

namespace {

constexpr std::size_t kCacheLine = 64;
/// Alignment of mipmap levels in bytes: as strict as any type needs it.
constexpr std::size_t kLevelAlignment = 128;

constexpr std::size_t alignUp(std::size_t value, std::size_t alignment) {
  return (value + alignment - 1) / alignment * alignment;
}

std::size_t halved(std::size_t size, cl_uint level) { return std::max<std::size_t>(size >> level, 1); }

} // namespace

Image::Image(const ImageShape& shape, Homes& homes)
    : shape_(shape), homes_(homes), descriptors_(new std::atomic<std::byte*>[homes.count()]()) {
  descriptor_.format = *findImageFormat(shape.format);
  descriptor_.levelCount = std::max<cl_uint>(shape.mipLevels, 1);
  descriptor_.width = static_cast<abi_u32>(shape.width);
  descriptor_.height = static_cast<abi_u32>(shape.height);
  descriptor_.depth = static_cast<abi_u32>(shape.depth);
  descriptor_.layers = static_cast<abi_u32>(shape.layers);
}

Image::Image(const ImageShape& shape, TexelPlacement placement, Homes& homes) : Image(shape, homes) {
  layOut(placement);
  descriptor_.rowPitch = descriptor_.levels[0].rowPitch;
  descriptor_.slicePitch = descriptor_.levels[0].slicePitch;
  descriptor_.format.isSmall = size_ <= std::size_t{1} << 31;
}

Image::Image(const ImageShape& shape, const Image& viewed) : Image(shape, *viewed.homes_) {
  const ImageFormat format = descriptor_.format;
  descriptor_ = viewed.descriptor_;
  descriptor_.format = format;
  descriptor_.format.isSmall = viewed.format().isSmall;
  size_ = viewed.size_;
  ownsGaps_ = viewed.ownsGaps_;
}

Image::~Image() {
  for (std::size_t i = 0; i < homes_->count(); ++i)
    if (std::byte* descriptor = descriptors_[i].load(std::memory_order_relaxed))
      homes_->deallocate(static_cast<HomeId>(i), descriptor, sizeof(ImageDescriptor));
}

void Image::layOut(TexelPlacement placement) {
  ownsGaps_ = placement == TexelPlacement::Own;
  std::size_t end = 0;
  for (cl_uint level = 0; level < levelCount(); ++level) {
    const std::size_t rowBytes = halved(shape_.width, level) * texelBytes();
    const std::size_t rows = halved(shape_.height, level), slices = halved(shape_.depth, level) * shape_.layers;
    ImageLevel& layout = descriptor_.levels[level];
    if (ownsGaps_) {
      layout.rowPitch = alignUp(rowBytes, kCacheLine);
      layout.slicePitch = layout.rowPitch * rows;
    } else {
      layout.rowPitch = shape_.rowPitch ? shape_.rowPitch : rowBytes;
      layout.slicePitch = shape_.slicePitch ? shape_.slicePitch : layout.rowPitch * rows;
    }
    layout.offset = alignUp(end, kLevelAlignment);
    end = layout.offset + (slices - 1) * layout.slicePitch + (rows - 1) * layout.rowPitch + rowBytes;
  }
  size_ = end;
}

unsigned Image::dimensions() const {
  switch (type()) {
  case CL_MEM_OBJECT_IMAGE1D:
  case CL_MEM_OBJECT_IMAGE1D_BUFFER: return 1;
  case CL_MEM_OBJECT_IMAGE1D_ARRAY:
  case CL_MEM_OBJECT_IMAGE2D: return 2;
  default: return 3;
  }
}

Image::Triple Image::extent(cl_uint level) const {
  const std::size_t width = halved(shape_.width, level), height = halved(shape_.height, level);
  switch (type()) {
  case CL_MEM_OBJECT_IMAGE1D_ARRAY: return {width, shape_.layers, 1};
  case CL_MEM_OBJECT_IMAGE2D_ARRAY: return {width, height, shape_.layers};
  default: return {width, height, halved(shape_.depth, level)};
  }
}

ByteRegion Image::region(cl_uint level, const Triple& origin, const Triple& region) const {
  const ImageLevel& layout = descriptor_.levels[level];
  const Triple all = extent(level);
  ByteRegion result;
  // The layers of a 1D array are the rows of a region.
  result.rowPitch = type() == CL_MEM_OBJECT_IMAGE1D_ARRAY ? layout.slicePitch : layout.rowPitch;
  result.slicePitch = layout.slicePitch;
  result.first = layout.offset + origin[2] * result.slicePitch + origin[1] * result.rowPitch + origin[0] * texelBytes();
  result.rowBytes = region[0] * texelBytes();
  result.rows = region[1];
  result.slices = region[2];
  result.ownsGaps = ownsGaps_ && region[0] == all[0] && (region[2] == 1 || region[1] == all[1]);
  return result;
}

std::size_t Image::rowPitch() const { return shape_.rowPitch ? shape_.rowPitch : shape_.width * texelBytes(); }

std::size_t Image::slicePitch() const {
  if (!isArray() && type() != CL_MEM_OBJECT_IMAGE3D) return 0;
  return shape_.slicePitch ? shape_.slicePitch : rowPitch() * shape_.height;
}

const std::byte* Image::descriptorFor(HomeId home, const std::byte* base) const {
  std::atomic<std::byte*>& place = descriptors_[home];
  std::byte* known = place.load(std::memory_order_acquire);
  if (known) return known;
  ImageDescriptor descriptor = descriptor_;
  descriptor.base = std::bit_cast<std::uintptr_t>(base);
  auto* made = static_cast<std::byte*>(homes_->allocateCopy(home, &descriptor, sizeof descriptor, kCacheLine));
  check(made, CL_MEM_OBJECT_ALLOCATION_FAILURE, "no memory for the image's descriptor");
  if (place.compare_exchange_strong(known, made, std::memory_order_acq_rel, std::memory_order_acquire)) return made;
  homes_->deallocate(home, made, sizeof descriptor); // another thread was first
  return known;
}

bool isWithin(const ImageLimits& limits, const ImageShape& shape) noexcept {
  if (!limits.areSupported) return false;
  if (shape.type == CL_MEM_OBJECT_IMAGE1D_BUFFER) return shape.width <= limits.bufferTexels;
  if (shape.type == CL_MEM_OBJECT_IMAGE3D)
    return shape.width <= limits.width3D && shape.height <= limits.height3D && shape.depth <= limits.depth3D;
  return shape.width <= limits.width && shape.height <= limits.height && shape.layers <= limits.layers;
}

void checkImageFor(const Device& device, const Image& image) {
  check(isWithin(device.properties().images, image.shape()), CL_INVALID_IMAGE_SIZE,
        "the image is larger than the queue's device has them");
  check(isFormatSupported(image.type(), image.shape().format), CL_IMAGE_FORMAT_NOT_SUPPORTED,
        "the queue's device has no images of this format");
}

} // namespace clotho
