// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "device/cuda/driver.hpp"

#include "base/fork_gate.hpp"
#include "base/log.hpp"

#include <dlfcn.h>
#include <optional>

namespace clotho::cuda {

namespace {

std::optional<Driver> open() noexcept {
  void* library;
  {
    const ForkGate gate;
    library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  }
  if (!library) return std::nullopt;
  Driver result;
  const char* missing = nullptr;
#define CALL(member, symbol, parameters)                                                                               \
  result.member = reinterpret_cast<decltype(result.member)>(dlsym(library, #symbol));                                  \
  if (!result.member) missing = #symbol;
#include "device/cuda/driver_calls.def"
#undef CALL
  if (missing) {
    CLOTHO_LOG(Device, Warn, "NVIDIA's driver is too old: libcuda.so.1 lacks %s, which CUDA has since version 11.7",
               missing);
    return std::nullopt; // the library stays: others may use it
  }
  const CUresult started = result.init(0);
  if (started != CUresult::Success) {
    if (started != CUresult::NoDevice) {
      const char* name = nullptr;
      result.getErrorName(started, &name);
      CLOTHO_LOG(Device, Warn, "NVIDIA's driver does not start: %s (%d)", name ? name : "unknown error",
                 static_cast<int>(started));
    }
    return std::nullopt;
  }
  result.driverGetVersion(&result.version);
  return result;
}

} // namespace

const Driver* driver() noexcept {
  static const std::optional<Driver> opened = open();
  return opened ? &*opened : nullptr;
}

std::string describe(CUresult error) {
  const char *name = nullptr, *text = nullptr;
  if (const Driver* cuda = driver()) {
    cuda->getErrorName(error, &name);
    cuda->getErrorString(error, &text);
  }
  std::string result = name ? name : "CUDA error " + std::to_string(static_cast<int>(error));
  if (text) result += std::string(" (") + text + ")";
  return result;
}

} // namespace clotho::cuda
