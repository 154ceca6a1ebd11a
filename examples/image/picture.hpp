// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

/// An RGBA picture in memory, row by row.
struct Picture {
  int width = 0;
  int height = 0;
  std::vector<std::array<std::uint8_t, 4>> pixels;
};

/// Reads a PNG or JPEG file; throws std::runtime_error with a sentence.
Picture readPicture(const std::string& path);
void writePng(const Picture& picture, const std::string& path);
