// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cstdint>

namespace clotho {

enum class LogLevel : std::uint8_t { Off, Error, Warn, Info, Debug };
enum class LogArea : std::uint8_t { Api, Runtime, Compiler, Cache, Device, kCount };

bool logEnabled(LogArea area, LogLevel level) noexcept;
/// One line on standard error, written with one write(2): `clotho: area: text`. Never changes errno, never throws.
void logLine(LogArea area, LogLevel level, const char* format, ...) noexcept __attribute__((format(printf, 3, 4)));

} // namespace clotho

/// Formats the line only if the area's level lets it through.
#define CLOTHO_LOG(area, level, ...)                                                                                   \
  (::clotho::logEnabled(::clotho::LogArea::area, ::clotho::LogLevel::level)                                            \
       ? ::clotho::logLine(::clotho::LogArea::area, ::clotho::LogLevel::level, __VA_ARGS__)                            \
       : void())
