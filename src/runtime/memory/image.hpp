// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "abi/image.h"
#include "command/storage.hpp"
#include "device/device.hpp"
#include "runtime/memory/byte_region.hpp"

#include <CL/cl.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <memory>

namespace clotho {

/// An image as an application describes it, after all of it has been checked.
struct ImageShape {
  cl_mem_object_type type = CL_MEM_OBJECT_IMAGE2D;
  cl_image_format format{};
  // In texels; 1 where the type has no such dimension.
  std::size_t width = 1, height = 1, depth = 1, layers = 1;
  // Between rows, and between slices or layers, in the application's memory; 0: as close as can be.
  std::size_t rowPitch = 0, slicePitch = 0;
  cl_uint mipLevels = 0; ///< as the application said: 0 and 1 are both one level
};

/// The place of the texels in a memory object.
enum class TexelPlacement : std::uint8_t {
  Own,        ///< in memory of the image's own: rows begin on cache lines, levels one behind the other
  OfTheShape, ///< where the shape's pitches say: in a host pointer or the bytes of another memory object
};

/// The part of an image beside its bytes: format, layout, and what kernels get. Its parts are
/// fixed from the beginning, but for the descriptors, which are made as they are asked for.
class Image {
 public:
  using Triple = std::array<std::size_t, 3>;

  /// `homes`: the context's. The shape's last byte can be counted by a size_t.
  Image(const ImageShape& shape, TexelPlacement placement, Homes& homes);
  /// Another view of the same texels, which `viewed` has laid out; the shapes differ in the channel order alone.
  Image(const ImageShape& shape, const Image& viewed);
  ~Image();
  Image(const Image&) = delete;
  Image& operator=(const Image&) = delete;

  const ImageShape& shape() const { return shape_; }
  cl_mem_object_type type() const { return shape_.type; }
  const ImageFormat& format() const { return descriptor_.format; }
  std::size_t texelBytes() const { return format().texelSize; }
  cl_uint levelCount() const { return descriptor_.levelCount; }
  bool isMipmap() const { return levelCount() > 1; }
  bool isArray() const { return type() == CL_MEM_OBJECT_IMAGE1D_ARRAY || type() == CL_MEM_OBJECT_IMAGE2D_ARRAY; }
  /// How many elements of origins and regions the type uses, the layer among them: the rest is 0 and 1.
  unsigned dimensions() const;
  /// The extent of a level, in which its regions lie; 1 for dimensions that the type does not have.
  Triple extent(cl_uint level) const;

  /// Bytes from the first texel to behind the last.
  std::size_t size() const { return size_; }
  /// The bytes of a region that lies in the level's extent, counted from the first texel.
  ByteRegion region(cl_uint level, const Triple& origin, const Triple& region) const;
  // As queries give them (section 5.3.7): the application's, not those of the memory.
  std::size_t rowPitch() const;
  std::size_t slicePitch() const; ///< 0 where the type has neither slices nor layers
  // Pitches of the memory, which maps report.
  std::size_t storedRowPitch(cl_uint level) const { return descriptor_.levels[level].rowPitch; }
  std::size_t storedSlicePitch(cl_uint level) const { return descriptor_.levels[level].slicePitch; }

  /// A kernel's handle of an image with texels from `base` on in a home: an ImageDescriptor's address. It lies in that
  /// home, too, and lives as long as the image. The first call for a home makes it. Throws
  /// CL_MEM_OBJECT_ALLOCATION_FAILURE.
  const std::byte* descriptorFor(HomeId home, const std::byte* base) const;

 private:
  explicit Image(const ImageShape& shape, Homes& homes);
  void layOut(TexelPlacement placement);

  const ImageShape shape_;
  ImageDescriptor descriptor_{}; // with no base
  std::size_t size_ = 0;
  bool ownsGaps_ = false;
  const Ref<Homes> homes_;
  std::unique_ptr<std::atomic<std::byte*>[]> descriptors_; // of each home; null before the first use
};

/// Whether a device has images of these dimensions.
bool isWithin(const ImageLimits& limits, const ImageShape& shape) noexcept;

/// Checks an image of a command whose device is another than those that the image was made for. Throws
/// CL_INVALID_IMAGE_SIZE, CL_IMAGE_FORMAT_NOT_SUPPORTED.
void checkImageFor(const Device& device, const Image& image);

} // namespace clotho
