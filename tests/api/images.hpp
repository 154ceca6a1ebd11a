// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "base/later_headers.hpp"
#include "fixture.hpp"

#include <array>

namespace clotho::test {

using Triple = std::array<size_t, 3>;
/// An origin with room for the level of a mipmap.
using Origin = std::array<size_t, 4>;

inline constexpr cl_mem_object_type kImageTypes[] = {CL_MEM_OBJECT_IMAGE1D,       CL_MEM_OBJECT_IMAGE1D_BUFFER,
                                                     CL_MEM_OBJECT_IMAGE1D_ARRAY, CL_MEM_OBJECT_IMAGE2D,
                                                     CL_MEM_OBJECT_IMAGE2D_ARRAY, CL_MEM_OBJECT_IMAGE3D};

/// What an image is to be: sizes as regions have them, that is, layers of 1D arrays as the second.
struct ImageSpec {
  cl_mem_object_type type = CL_MEM_OBJECT_IMAGE2D;
  cl_image_format format{CL_RGBA, CL_UNORM_INT8};
  Triple size{16, 8, 1};
  size_t rowPitch = 0, slicePitch = 0;
  cl_uint levels = 0;
  cl_mem memory = nullptr;
};

cl_image_desc describe(const ImageSpec& spec);
/// The sizes of a level.
Triple extentOf(const ImageSpec& spec, cl_uint level = 0);
/// How many elements of an origin the type uses; the next one is the level of a mipmap.
unsigned dimensionsOf(cl_mem_object_type type);
size_t texelSize(const cl_image_format& format);

/// Tests that work with images.
class ImageApi : public Api {
 protected:
  Owned<cl_mem> makeImage(const ImageSpec& spec, cl_mem_flags flags = CL_MEM_READ_WRITE, void* host = nullptr);
  /// The texels of a level one by one.
  std::vector<std::byte> texels(cl_mem image, const ImageSpec& spec, cl_uint level = 0);
  void setTexels(cl_mem image, const ImageSpec& spec, const std::vector<std::byte>& bytes, cl_uint level = 0);
  template <class T> static T info(cl_mem image, cl_image_info name) {
    return valueAnswer<T>(CLOTHO_INFO(clGetImageInfo, image, name));
  }
  template <class T> static T memoryInfo(cl_mem memory, cl_mem_info name) {
    return valueAnswer<T>(CLOTHO_INFO(clGetMemObjectInfo, memory, name));
  }
};

/// Bytes that differ from place to place.
std::vector<std::byte> pattern(size_t size, unsigned seed = 1);
size_t volume(const Triple& size);

} // namespace clotho::test
