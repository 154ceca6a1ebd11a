// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "abi/image.h"

#include <CL/cl.h>

#include <cstddef>
#include <vector>

/// The formats of images.
namespace clotho {

/// A legal pair of channel order and channel type (OpenCL 3.0, section 5.3.1.1); null for any other.
const ImageFormat* findImageFormat(const cl_image_format& format) noexcept;

/// Whether images of a type may have a format. Then kernels may read it, write it, and do both at once.
bool isFormatSupported(cl_mem_object_type type, const cl_image_format& format) noexcept;
/// All for which this is so.
std::vector<cl_image_format> supportedFormats(cl_mem_object_type type);

inline std::size_t texelBytes(const ImageFormat& format) { return format.texelSize; }

/// Writes the texel that write_image* stores for a colour (OpenCL C 3.0, section 8.3): four components of type float,
/// int or uint, whatever read_image* of the format gives, or one float where the channel order is CL_DEPTH.
void packColour(const ImageFormat& format, const void* colour, std::byte* texel) noexcept;

} // namespace clotho
