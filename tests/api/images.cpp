// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "images.hpp"

#include <algorithm>

namespace clotho::test {

cl_image_desc describe(const ImageSpec& spec) {
  cl_image_desc desc{};
  desc.image_type = spec.type;
  desc.image_width = spec.size[0];
  desc.image_height = spec.type == CL_MEM_OBJECT_IMAGE1D_ARRAY ? 0 : spec.size[1];
  desc.image_depth = spec.type == CL_MEM_OBJECT_IMAGE3D ? spec.size[2] : 0;
  if (spec.type == CL_MEM_OBJECT_IMAGE1D_ARRAY) desc.image_array_size = spec.size[1];
  if (spec.type == CL_MEM_OBJECT_IMAGE2D_ARRAY) desc.image_array_size = spec.size[2];
  desc.image_row_pitch = spec.rowPitch;
  desc.image_slice_pitch = spec.slicePitch;
  desc.num_mip_levels = spec.levels;
  desc.mem_object = spec.memory;
  return desc;
}

unsigned dimensionsOf(cl_mem_object_type type) {
  if (type == CL_MEM_OBJECT_IMAGE1D || type == CL_MEM_OBJECT_IMAGE1D_BUFFER) return 1;
  return type == CL_MEM_OBJECT_IMAGE1D_ARRAY || type == CL_MEM_OBJECT_IMAGE2D ? 2 : 3;
}

Triple extentOf(const ImageSpec& spec, cl_uint level) {
  const auto halved = [level](size_t size) { return std::max<size_t>(size >> level, 1); };
  const unsigned dimensions = dimensionsOf(spec.type);
  Triple size = {halved(spec.size[0]), 1, 1};
  if (dimensions > 1) size[1] = spec.type == CL_MEM_OBJECT_IMAGE1D_ARRAY ? spec.size[1] : halved(spec.size[1]);
  if (dimensions > 2) size[2] = spec.type == CL_MEM_OBJECT_IMAGE2D_ARRAY ? spec.size[2] : halved(spec.size[2]);
  return size;
}

size_t texelSize(const cl_image_format& format) {
  size_t channels = 0, bytes = 0;
  switch (format.image_channel_order) {
  case CL_R:
  case CL_A:
  case CL_Rx:
  case CL_INTENSITY:
  case CL_LUMINANCE:
  case CL_DEPTH: channels = 1; break;
  case CL_RG:
  case CL_RA:
  case CL_RGx: channels = 2; break;
  default: channels = 4; break;
  }
  switch (format.image_channel_data_type) {
  case CL_UNORM_INT8:
  case CL_SNORM_INT8:
  case CL_SIGNED_INT8:
  case CL_UNSIGNED_INT8: bytes = 1; break;
  case CL_UNORM_INT16:
  case CL_SNORM_INT16:
  case CL_SIGNED_INT16:
  case CL_UNSIGNED_INT16:
  case CL_HALF_FLOAT: bytes = 2; break;
  case CL_UNORM_SHORT_565:
  case CL_UNORM_SHORT_555: return 2;
  case CL_UNORM_INT_101010:
  case CL_UNORM_INT_101010_2: return 4;
  default: bytes = 4; break;
  }
  return channels * bytes;
}

Owned<cl_mem> ImageApi::makeImage(const ImageSpec& spec, cl_mem_flags flags, void* host) {
  const cl_image_desc desc = describe(spec);
  cl_int status = 1;
  Owned<cl_mem> image = clCreateImage(context_, flags, &spec.format, &desc, host, &status);
  EXPECT_EQ(status, CL_SUCCESS);
  EXPECT_NE(image.get(), nullptr);
  return image;
}

std::vector<std::byte> ImageApi::texels(cl_mem image, const ImageSpec& spec, cl_uint level) {
  const Triple size = extentOf(spec, level);
  std::vector<std::byte> bytes(volume(size) * texelSize(spec.format));
  Origin origin{};
  if (spec.levels > 1) origin[dimensionsOf(spec.type)] = level;
  EXPECT_EQ(
      clEnqueueReadImage(queue_, image, CL_TRUE, origin.data(), size.data(), 0, 0, bytes.data(), 0, nullptr, nullptr),
      CL_SUCCESS);
  return bytes;
}

void ImageApi::setTexels(cl_mem image, const ImageSpec& spec, const std::vector<std::byte>& bytes, cl_uint level) {
  const Triple size = extentOf(spec, level);
  ASSERT_EQ(bytes.size(), volume(size) * texelSize(spec.format));
  Origin origin{};
  if (spec.levels > 1) origin[dimensionsOf(spec.type)] = level;
  ASSERT_EQ(
      clEnqueueWriteImage(queue_, image, CL_TRUE, origin.data(), size.data(), 0, 0, bytes.data(), 0, nullptr, nullptr),
      CL_SUCCESS);
}

std::vector<std::byte> pattern(size_t size, unsigned seed) {
  std::vector<std::byte> bytes(size);
  std::uint64_t state = seed * 0x9e3779b97f4a7c15U + 1;
  for (std::byte& byte : bytes) {
    state = state * 6364136223846793005U + 1442695040888963407U;
    byte = static_cast<std::byte>(state >> 56);
  }
  return bytes;
}

size_t volume(const Triple& size) { return size[0] * size[1] * size[2]; }

} // namespace clotho::test
