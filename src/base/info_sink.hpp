// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "base/error.hpp"

#include <cstddef>
#include <cstring>
#include <span>
#include <string_view>
#include <type_traits>

namespace clotho {

/// Answers one clGet*Info call: size check, copy, size report, in that order (OpenCL 3.0, section 4.1: a null value is
/// ignored, a size too small is CL_INVALID_VALUE, the size returned is exact). The type is named at each call because
/// the specification fixes it, so deduction is disabled.
class InfoSink {
 public:
  InfoSink(std::size_t capacity, void* value, std::size_t* sizeReturned)
      : capacity_(capacity), value_(value), sizeReturned_(sizeReturned) {}

  template <class T> void put(std::type_identity_t<T> value) {
    static_assert(std::is_trivially_copyable_v<T>);
    bytes(static_cast<const void*>(&value), sizeof(T));
  }
  template <class T> void list(std::span<const std::type_identity_t<T>> values) {
    bytes(static_cast<const void*>(values.data()), values.size_bytes());
  }
  /// A char[] with its terminating NUL.
  void text(std::string_view string) {
    check(!value_ || capacity_ >= string.size() + 1, CL_INVALID_VALUE, "param_value_size is too small");
    if (value_) {
      std::memcpy(value_, string.data(), string.size());
      static_cast<char*>(value_)[string.size()] = '\0';
    }
    if (sizeReturned_) *sizeReturned_ = string.size() + 1;
  }
  /// The application's array of pointers, for the one query that is answered through such (CL_PROGRAM_BINARIES).
  void* target() const { return value_; }
  std::size_t capacity() const { return capacity_; }
  void reportSize(std::size_t size) {
    if (sizeReturned_) *sizeReturned_ = size;
  }

 private:
  void bytes(const void* data, std::size_t size) {
    check(!value_ || capacity_ >= size, CL_INVALID_VALUE, "param_value_size is too small");
    if (value_ && size) std::memcpy(value_, data, size);
    if (sizeReturned_) *sizeReturned_ = size;
  }

  std::size_t capacity_;
  void* value_;
  std::size_t* sizeReturned_;
};

} // namespace clotho
