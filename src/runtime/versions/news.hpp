// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "base/log.hpp"
#include "trace/trace.hpp"

#include <cstdio>

/// A discovery about versions of kernels: a line of the log, and a note in the trace.
#define CLOTHO_NEWS(...)                                                                                               \
  do {                                                                                                                 \
    CLOTHO_LOG(Runtime, Info, __VA_ARGS__);                                                                            \
    if (::clotho::trace::isOn()) ::clotho::noteNews(__VA_ARGS__);                                                      \
  } while (false)

namespace clotho {

template <class... Parts> void noteNews(const char* format, Parts... parts) noexcept {
  char text[256];
  if (std::snprintf(text, sizeof text, format, parts...) > 0) trace::note(text);
}

} // namespace clotho
