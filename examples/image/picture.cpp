// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "picture.hpp"

#include <cstdio>
#include <jpeglib.h>
#include <memory>
#include <png.h>
#include <stdexcept>

namespace {

using File = std::unique_ptr<std::FILE, int (*)(std::FILE*)>;

Picture readPng(const std::string& path) {
  png_image image{};
  image.version = PNG_IMAGE_VERSION;
  if (!png_image_begin_read_from_file(&image, path.c_str())) throw std::runtime_error(path + ": " + image.message);
  image.format = PNG_FORMAT_RGBA;
  Picture picture{int(image.width), int(image.height), {}};
  picture.pixels.resize(std::size_t(image.width) * image.height);
  if (!png_image_finish_read(&image, nullptr, picture.pixels.data(), 0, nullptr))
    throw std::runtime_error(path + ": " + image.message);
  return picture;
}

[[noreturn]] void throwJpegError(j_common_ptr info) {
  char message[JMSG_LENGTH_MAX];
  info->err->format_message(info, message);
  throw std::runtime_error(message);
}

Picture readJpeg(std::FILE* file) {
  jpeg_error_mgr errors;
  jpeg_decompress_struct info;
  info.err = jpeg_std_error(&errors);
  errors.error_exit = throwJpegError;
  jpeg_create_decompress(&info);
  const std::unique_ptr<jpeg_decompress_struct, void (*)(j_decompress_ptr)> guard(&info, jpeg_destroy_decompress);
  jpeg_stdio_src(&info, file);
  jpeg_read_header(&info, TRUE);
  info.out_color_space = JCS_RGB;
  jpeg_start_decompress(&info);
  Picture picture{int(info.output_width), int(info.output_height), {}};
  picture.pixels.reserve(std::size_t(picture.width) * picture.height);
  std::vector<JSAMPLE> row(std::size_t(picture.width) * 3);
  while (info.output_scanline < info.output_height) {
    JSAMPROW start = row.data();
    jpeg_read_scanlines(&info, &start, 1);
    for (int x = 0; x < picture.width; ++x)
      picture.pixels.push_back({row[3 * x], row[3 * x + 1], row[3 * x + 2], 255});
  }
  jpeg_finish_decompress(&info);
  return picture;
}

} // namespace

Picture readPicture(const std::string& path) {
  const File file(std::fopen(path.c_str(), "rb"), std::fclose);
  if (!file) throw std::runtime_error(path + ": cannot be opened");
  const int first = std::getc(file.get());
  std::rewind(file.get());
  return first == 0xff ? readJpeg(file.get()) : readPng(path);
}

void writePng(const Picture& picture, const std::string& path) {
  png_image image{};
  image.version = PNG_IMAGE_VERSION;
  image.width = png_uint_32(picture.width);
  image.height = png_uint_32(picture.height);
  image.format = PNG_FORMAT_RGBA;
  if (!png_image_write_to_file(&image, path.c_str(), 0, picture.pixels.data(), 0, nullptr))
    throw std::runtime_error(path + ": " + image.message);
}
