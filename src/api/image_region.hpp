// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "api/transfer.hpp"

namespace clotho::api {

/// A region of an image as its commands name it (OpenCL 3.0, sections 5.3.3 to 5.3.8).
struct ImageRegion {
  cl_uint level = 0;
  Image::Triple origin{}, size{};
};

/// Checks origin and size for the kind of image: CL_INVALID_VALUE, CL_INVALID_MIP_LEVEL. The origin of a mipmap has an
/// element more, the level.
ImageRegion parseImageRegion(const Image& image, const size_t* origin, const size_t* size);

/// The bytes of a region in the image.
inline ByteRegion bytesOf(const Image& image, const ImageRegion& region) {
  return image.region(region.level, region.origin, region.size);
}

/// The bytes of the region's texels in a buffer, tightly packed from `offset` on. CL_INVALID_VALUE if the buffer has no
/// room for them.
ByteRegion tightIn(const MemoryObject& buffer, size_t offset, const Image& image, const ImageRegion& region);

/// The last checks that each command makes of its device and its images: CL_INVALID_IMAGE_SIZE,
/// CL_IMAGE_FORMAT_NOT_SUPPORTED, CL_INVALID_OPERATION where the device has no images.
void checkImagesFor(const Queue& queue, std::initializer_list<const MemoryObject*> images);

} // namespace clotho::api
