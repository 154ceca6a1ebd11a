// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string_view>
#include <utility>

namespace clotho::trace {

/// A text that grows at its end: room is made once for each event, so that its many parts are appended without a check.
class TextBuffer {
 public:
  /// Makes room for so many bytes. Throws std::bad_alloc.
  void reserve(std::size_t more) {
    if (room_ - size_ >= more) return;
    const std::size_t room = std::max(2 * room_, size_ + more);
    std::unique_ptr<char[]> larger(new char[room]);
    if (size_) std::memcpy(larger.get(), bytes_.get(), size_);
    bytes_ = std::move(larger);
    room_ = room;
  }
  // There must be room.
  void operator+=(std::string_view text) noexcept {
    std::memcpy(bytes_.get() + size_, text.data(), text.size());
    size_ += text.size();
  }
  void operator+=(char byte) noexcept { bytes_[size_++] = byte; }
  void addNumber(std::uint64_t value, int base = 10) noexcept {
    size_ = static_cast<std::size_t>(std::to_chars(end(), bytes_.get() + room_, value, base).ptr - bytes_.get());
  }
  void addNumber(float value, int digits) noexcept {
    const auto written = std::to_chars(end(), bytes_.get() + room_, value, std::chars_format::general, digits);
    size_ = static_cast<std::size_t>(written.ptr - bytes_.get());
  }

  std::string_view text() const noexcept { return {bytes_.get(), size_}; }
  void clear() noexcept { size_ = 0; }

 private:
  char* end() noexcept { return bytes_.get() + size_; }

  std::unique_ptr<char[]> bytes_;
  std::size_t size_ = 0, room_ = 0;
};

} // namespace clotho::trace
