// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "abi/printf.h"
#include "compiler/compiler.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

/// The text of kernels' printf (OpenCL C 3.0, section 6.15.14), from the records that they leave (abi/printf.h).
namespace clotho {

/// Memory from which string arguments may be read: the program's object. Literals lie there, and nothing else is legal.
struct StringMemory {
  std::uintptr_t begin = 0, end = 0;
};

/// Appends what one call prints. `arguments` as stored in the record; the "C" locale's conventions, whatever the
/// program's locale is, if the caller has made a ClassicLocale.
void formatPrintf(const PrintfFormat& format, std::span<const std::byte> arguments, StringMemory strings,
                  std::string& out);

/// Appends the text of all complete records. Stops at the first damaged one.
void formatRecords(std::span<const std::byte> records, std::span<const PrintfFormat> formats, StringMemory strings,
                   std::string& out);

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
