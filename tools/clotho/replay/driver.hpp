// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <CL/cl.h>
#include <CL/cl_icd.h>

#include <stdexcept>
#include <string>

/// An OpenCL driver as a loader sees it: replays work with any.
namespace clotho::replay {

/// A reason to stop a replay: the text is for the user.
struct Failure : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Throws a Failure that names the call unless the status is CL_SUCCESS.
void require(cl_int status, const char* call);

class Driver {
 public:
  /// By the path of a library, of a file for ICD loaders, or the name of one in /etc/OpenCL/vendors without its ending.
  /// Empty: Clotho's own, which lies beside this command. Throws a Failure.
  explicit Driver(const std::string& where);

  const cl_icd_dispatch& calls() const { return *calls_; }
  cl_platform_id platform() const { return platform_; }
  cl_device_id device() const { return device_; }
  const std::string& path() const { return path_; }
  bool isClotho() const { return isClotho_; }
  /// An extension's function, or null.
  void* extension(const char* name) const { return calls_->clGetExtensionFunctionAddressForPlatform(platform_, name); }
  template <class T> T ofDevice(cl_device_info name) const {
    T value{};
    calls_->clGetDeviceInfo(device_, name, sizeof value, &value, nullptr);
    return value;
  }

 private:
  std::string path_;
  const cl_icd_dispatch* calls_ = nullptr;
  cl_platform_id platform_ = nullptr;
  cl_device_id device_ = nullptr;
  bool isClotho_ = false;
};

} // namespace clotho::replay
