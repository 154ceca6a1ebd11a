// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <CL/cl.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

/// Texels as the specification describes them: OpenCL 5.3.1.1 for where their channels lie, OpenCL C 8.3 for what they
/// mean. Written for clarity, not for speed, and without a look at the driver.
namespace clotho::test {

/// Red, green, blue and alpha, exact: a double holds every channel of every format.
using Color = std::array<double, 4>;

/// Which of read_imagef, read_imagei and read_imageui an image is for.
enum class Kind { Float, Int, Uint };

std::string nameOf(const cl_image_format& format);
bool same(const cl_image_format& a, const cl_image_format& b);
bool contains(const std::vector<cl_image_format>& list, const cl_image_format& format);

/// Whether the tables of channel orders and types allow the pair.
bool isLegal(const cl_image_format& format);
/// All of them.
std::vector<cl_image_format> legalFormats();

Kind kindOf(const cl_image_format& format);
bool isSrgb(const cl_image_format& format);
bool isNormalised(const cl_image_format& format);
std::size_t texelSize(const cl_image_format& format);

/// What a texel holds, before any rounding to float.
Color decode(const cl_image_format& format, const std::byte* texel);
/// By how much component `component` of `exact` may be off when read as float (OpenCL C 8.3.1.1).
double readTolerance(const cl_image_format& format, int component, double exact);
/// The colour that reads outside of an image get with CL_ADDRESS_CLAMP.
Color borderColor(const cl_image_format& format);

/// What is wrong with `texel` as what a write of `color` has left, if anything (OpenCL C 8.3).
std::optional<std::string> wrongWrite(const cl_image_format& format, const Color& color, const std::byte* texel);

double halfToDouble(std::uint16_t bits);
double srgbToLinear(double value);
double linearToSrgb(double value);

} // namespace clotho::test
