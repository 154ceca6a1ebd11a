// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "abi/printf.h"
#include "compiler/compiler.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

/// The text of kernels' printf (OpenCL C 3.0, section 6.15.14), from the records that they leave (abi/printf.h).
namespace clotho {

/// Source of string arguments: literals of the program, since nothing else is legal.
class StringSource {
 public:
  virtual ~StringSource() = default;
  /// At most so many bytes of the string at an address, without its terminator; nothing where no literal can be.
  virtual std::optional<std::string> read(std::uintptr_t address, std::size_t most) const = 0;
};

/// Memory of this process with the literals: the program's object.
struct StringMemory final : StringSource {
  StringMemory() = default;
  StringMemory(std::uintptr_t begin, std::uintptr_t end) : begin(begin), end(end) {}
  std::optional<std::string> read(std::uintptr_t address, std::size_t most) const override;

  std::uintptr_t begin = 0, end = 0;
};

/// Appends what one call prints. `arguments` as stored in the record; the "C" locale's conventions, whatever the
/// program's locale is, if the caller has made a ClassicLocale.
void formatPrintf(const PrintfFormat& format, std::span<const std::byte> arguments, const StringSource& strings,
                  std::string& out);

/// Appends the text of all complete records. Stops at the first damaged one.
void formatRecords(std::span<const std::byte> records, std::span<const PrintfFormat> formats,
                   const StringSource& strings, std::string& out);

/// The "C" locale on this thread while it lives.
class ClassicLocale {
 public:
  ClassicLocale() noexcept;
  ~ClassicLocale();
  ClassicLocale(const ClassicLocale&) = delete;
  ClassicLocale& operator=(const ClassicLocale&) = delete;

 private:
  void* classic_;
  void* previous_;
};

} // namespace clotho
