// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/log.hpp"

#include "base/not_cancelled.hpp"
#include "base/options.hpp"

#include <array>
#include <atomic>
#include <cerrno>
#include <cstdarg>
#include <cstdio>
#include <string_view>
#include <unistd.h>

namespace clotho {

namespace {

constexpr std::size_t kAreas = static_cast<std::size_t>(LogArea::kCount);
constexpr std::array<std::string_view, kAreas> kAreaNames = {"api", "runtime", "compiler", "cache", "device"};
using Levels = std::array<LogLevel, kAreas>;

/// The level where the option says nothing: messages that an application gets in no other way, such as the faults of
/// kernels.
constexpr LogLevel kDefaultLevel = LogLevel::Error;

LogLevel levelNamed(std::string_view name) {
  constexpr std::array<std::string_view, 5> kNames = {"off", "error", "warn", "info", "debug"};
  for (std::size_t i = 0; i < kNames.size(); ++i)
    if (kNames[i] == name) return static_cast<LogLevel>(i);
  return kDefaultLevel;
}

Levels parseLevels(std::string_view text) {
  Levels levels;
  levels.fill(kDefaultLevel);
  while (!text.empty()) {
    std::string_view item = text.substr(0, text.find(','));
    text.remove_prefix(std::min(item.size() + 1, text.size()));
    std::size_t equals = item.find('=');
    if (equals == std::string_view::npos) {
      levels.fill(levelNamed(item));
      continue;
    }
    for (std::size_t i = 0; i < kAreas; ++i)
      if (kAreaNames[i] == item.substr(0, equals)) levels[i] = levelNamed(item.substr(equals + 1));
  }
  return levels;
}

const Levels& levels() {
  static std::atomic<const Levels*> instance{nullptr};
  const Levels* current = instance.load(std::memory_order_acquire);
  if (current) return *current;
  auto* fresh = new Levels(parseLevels(options().log));
  if (instance.compare_exchange_strong(current, fresh, std::memory_order_acq_rel)) return *fresh;
  delete fresh;
  return *current;
}

} // namespace

bool logEnabled(LogArea area, LogLevel level) noexcept {
  try {
    return level <= levels()[static_cast<std::size_t>(area)];
  } catch (...) {
    return false;
  }
}

void logLine(LogArea area, LogLevel, const char* format, ...) noexcept {
  const NotCancelled here;
  int savedErrno = errno;
  char line[1024];
  std::string_view name = kAreaNames[static_cast<std::size_t>(area)];
  int used = std::snprintf(line, sizeof line, "clotho: %.*s: ", static_cast<int>(name.size()), name.data());
  va_list args;
  va_start(args, format);
  int more = std::vsnprintf(line + used, sizeof line - static_cast<std::size_t>(used) - 1, format, args);
  va_end(args);
  std::size_t length = static_cast<std::size_t>(used) + static_cast<std::size_t>(more < 0 ? 0 : more);
  if (length > sizeof line - 2) length = sizeof line - 2; // what vsnprintf has room for
  line[length++] = '\n';
  [[maybe_unused]] ssize_t written = write(STDERR_FILENO, line, length);
  errno = savedErrno;
}

} // namespace clotho
