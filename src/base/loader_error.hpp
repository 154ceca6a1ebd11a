// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <dlfcn.h>
#include <locale.h>
#include <string>

namespace clotho {

/// The dynamic loader's last message on this thread, or `otherwise`. It is in English: a translation would be looked
/// for by the environment, which other threads may change meanwhile.
inline std::string loaderError(const std::string& otherwise) {
  const locale_t before = uselocale(newlocale(LC_ALL_MASK, "C", nullptr));
  const char* error = dlerror(); // NOLINT(concurrency-mt-unsafe): glibc keeps it per thread
  uselocale(before);
  return error ? error : otherwise;
}

} // namespace clotho
