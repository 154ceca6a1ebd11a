// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "capture/capture.hpp"
#include "replay/driver.hpp"

#include <string>
#include <utility>
#include <vector>

namespace clotho::replay {

/// Holds a program of a driver's.
class ProgramHandle {
 public:
  ProgramHandle() = default;
  ProgramHandle(const Driver& driver, cl_program program) : calls_(&driver.calls()), program_(program) {}
  ProgramHandle(ProgramHandle&& other) noexcept
      : calls_(other.calls_), program_(std::exchange(other.program_, nullptr)) {}
  ProgramHandle& operator=(ProgramHandle&& other) noexcept {
    std::swap(calls_, other.calls_);
    std::swap(program_, other.program_);
    return *this;
  }
  ~ProgramHandle() {
    if (program_) calls_->clReleaseProgram(program_);
  }
  cl_program get() const { return program_; }

 private:
  const cl_icd_dispatch* calls_ = nullptr;
  cl_program program_ = nullptr;
};

/// The program of a capture, built for one device.
struct BuiltProgram {
  ProgramHandle program;
  std::vector<bool> settable; ///< the variables for which it has the kernels setterOf() and getterOf()
};

/// `extra`: more build options. Throws a Failure with the build log.
BuiltProgram buildProgram(const capture::Description& description, const Driver& driver, cl_context context,
                          const std::string& extra);

std::string setterOf(std::size_t variable);
std::string getterOf(std::size_t variable);

} // namespace clotho::replay
