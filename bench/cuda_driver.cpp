// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cuda_driver.hpp"

#include <dlfcn.h>
#include <stdexcept>

namespace bench {

using clotho::cuda::CUresult;
using clotho::cuda::DeviceAttribute;
using clotho::cuda::Driver;

namespace {

Driver open() {
  void* library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
  if (!library) throw std::runtime_error("there is no libcuda.so.1");
  Driver driver;
  const char* missing = nullptr;
#define CALL(member, symbol, parameters)                                                                               \
  driver.member = reinterpret_cast<decltype(driver.member)>(dlsym(library, #symbol));                                  \
  if (!driver.member) missing = #symbol;
#include "device/cuda/driver_calls.def"
#undef CALL
  if (missing) throw std::runtime_error(std::string("libcuda.so.1 lacks ") + missing);
  if (driver.init(0) != CUresult::Success) throw std::runtime_error("cuInit fails");
  return driver;
}

} // namespace

const Driver& cudaDriver() {
  static const Driver driver = open();
  return driver;
}

void check(CUresult status, const char* call) {
  if (status == CUresult::Success) return;
  const char* name = nullptr;
  cudaDriver().getErrorName(status, &name);
  throw std::runtime_error(std::string(call) + " returned " + (name ? name : std::to_string(static_cast<int>(status))));
}

std::string cudaArchitecture() {
  const Driver& cuda = cudaDriver();
  clotho::cuda::CUdevice device = 0;
  int major = 0, minor = 0;
  check(cuda.deviceGet(&device, 0), "cuDeviceGet");
  check(cuda.deviceGetAttribute(&major, DeviceAttribute::ComputeCapabilityMajor, device), "cuDeviceGetAttribute");
  check(cuda.deviceGetAttribute(&minor, DeviceAttribute::ComputeCapabilityMinor, device), "cuDeviceGetAttribute");
  return "sm_" + std::to_string(10 * major + minor);
}

} // namespace bench
