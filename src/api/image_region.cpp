// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "api/image_region.hpp"

namespace clotho::api {

ImageRegion parseImageRegion(const Image& image, const size_t* origin, const size_t* size) {
  check(origin && size, CL_INVALID_VALUE, "no origin or no region");
  ImageRegion region;
  const unsigned dimensions = image.dimensions();
  if (image.isMipmap()) {
    check(origin[dimensions] < image.levelCount(), CL_INVALID_MIP_LEVEL, "the image has no such level");
    region.level = static_cast<cl_uint>(origin[dimensions]);
  }
  const Image::Triple extent = image.extent(region.level);
  for (unsigned i = 0; i < extent.size(); ++i) {
    const bool isLevel = image.isMipmap() && i == dimensions;
    region.origin[i] = isLevel ? 0 : origin[i];
    region.size[i] = size[i];
    // Dimensions that the image does not have are one texel long, which makes their origin 0 and their size 1.
    check(region.size[i] > 0, CL_INVALID_VALUE, "the region is empty");
    check(region.origin[i] < extent[i] && region.size[i] <= extent[i] - region.origin[i], CL_INVALID_VALUE,
          "the region does not lie in the image");
  }
  return region;
}

ByteRegion tightIn(const MemoryObject& buffer, size_t offset, const Image& image, const ImageRegion& region) {
  const size_t row = region.size[0] * image.texelBytes();
  const ByteRegion bytes{offset, row, region.size[1], region.size[2], row, row * region.size[1]};
  check(offset <= buffer.size() && row * region.size[1] * region.size[2] <= buffer.size() - offset, CL_INVALID_VALUE,
        "the buffer has no room for the region");
  return bytes;
}

void checkImagesFor(const Queue& queue, std::initializer_list<const MemoryObject*> images) {
  check(queue.device().properties().images.areSupported, CL_INVALID_OPERATION,
        "the queue's device does not support images");
  for (const MemoryObject* memory : images)
    checkImageFor(queue.device(), *memory->image());
}

} // namespace clotho::api
