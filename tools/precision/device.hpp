// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "precision/functions.hpp"

#include <CL/cl.h>
#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace precision {

/// The first OpenCL device, with one queue.
class Device {
 public:
  Device();
  ~Device();
  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;
  std::string name() const;
  cl_context context() const { return context_; }
  cl_device_id id() const { return id_; }
  cl_command_queue queue() const { return queue_; }

 private:
  cl_device_id id_ = nullptr;
  cl_context context_ = nullptr;
  cl_command_queue queue_ = nullptr;
};

/// A function's kernel, which applies it to arrays of arguments. Throws std::runtime_error when a call fails.
class Kernel {
 public:
  /// With vectors of that many components, or scalars.
  Kernel(const Device& device, const Function& function, const char* type, unsigned components,
         const std::string& options);
  ~Kernel();
  Kernel(const Kernel&) = delete;
  Kernel& operator=(const Kernel&) = delete;
  /// Reads `count` elements of the first four arrays and fills the fifth. The arrays have room for one
  /// vector more.
  void run(std::size_t count, std::span<void* const, 5> arrays, std::span<const std::size_t, 5> elementBytes) const;

 private:
  const Device& device_;
  std::size_t components_;
  cl_program program_ = nullptr;
  cl_kernel kernel_ = nullptr;
};

} // namespace precision
