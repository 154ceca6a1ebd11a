// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

namespace clotho {

/// Plain data to bytes: fixed-width numbers in the host's order, strings behind their length.
class ByteWriter {
 public:
  void u8(std::uint8_t value) { number(value); }
  void u32(std::uint32_t value) { number(value); }
  void u64(std::uint64_t value) { number(value); }
  void boolean(bool value) { u8(value ? 1 : 0); }
  template <class Enum> void enumerator(Enum value) { u8(static_cast<std::uint8_t>(value)); }
  void text(std::string_view value) {
    u64(value.size());
    raw(value);
  }
  void raw(std::string_view value) { bytes_.append(value); }

  const std::string& bytes() const { return bytes_; }
  std::string take() { return std::move(bytes_); }
  /// Begins anew in the same memory.
  void clear() { bytes_.clear(); }

 private:
  template <class Number> void number(Number value) {
    char buffer[sizeof value];
    std::memcpy(buffer, &value, sizeof value);
    bytes_.append(buffer, sizeof value);
  }

  std::string bytes_;
};

/// The way back, for bytes that may be damaged: a read past the end or an impossible value makes the reader fail for
/// good, and every later read gives zero or nothing. So a parser reads all it expects and asks once, at the end.
class ByteReader {
 public:
  explicit ByteReader(std::string_view bytes) : rest_(bytes) {}

  std::uint8_t u8() { return number<std::uint8_t>(); }
  std::uint32_t u32() { return number<std::uint32_t>(); }
  std::uint64_t u64() { return number<std::uint64_t>(); }
  bool boolean() {
    std::uint8_t value = u8();
    if (value > 1) fail();
    return value == 1;
  }
  template <class Enum> Enum enumerator(Enum last) {
    std::uint8_t value = u8();
    if (value > static_cast<std::uint8_t>(last)) {
      fail();
      value = 0;
    }
    return static_cast<Enum>(value);
  }
  /// Index of the alternative that follows, below the number of alternatives.
  std::size_t alternative(std::size_t count) {
    const std::uint8_t value = u8();
    if (value >= count) {
      fail();
      return 0;
    }
    return value;
  }
  std::string_view raw(std::uint64_t size) {
    if (size > rest_.size()) {
      fail();
      return {};
    }
    std::string_view result = rest_.substr(0, static_cast<std::size_t>(size));
    rest_.remove_prefix(result.size());
    return result;
  }
  std::string text() { return std::string(raw(u64())); }

  /// The length of a list whose elements take at least `elementSize` bytes each: what cannot fit is refused before
  /// memory is allocated for it.
  std::size_t count(std::size_t elementSize) {
    std::uint64_t value = u64();
    if (value > rest_.size() / elementSize) {
      fail();
      return 0;
    }
    return static_cast<std::size_t>(value);
  }

  bool ok() const { return ok_; }
  /// Whether all bytes were read and made sense.
  bool finished() const { return ok_ && rest_.empty(); }

 private:
  void fail() {
    ok_ = false;
    rest_ = {};
  }
  template <class Number> Number number() {
    Number value = 0;
    std::string_view bytes = raw(sizeof value);
    bytes.copy(reinterpret_cast<char*>(&value), sizeof value);
    return value;
  }

  std::string_view rest_;
  bool ok_ = true;
};

} // namespace clotho
