// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <CL/cl.h>

#include <chrono>
#include <cstddef>
#include <string>

namespace bench {

using Clock = std::chrono::steady_clock;

inline double microseconds(Clock::duration time) { return std::chrono::duration<double, std::micro>(time).count(); }
inline double milliseconds(Clock::duration time) { return std::chrono::duration<double, std::milli>(time).count(); }

/// Throws with the name of the call when `status` is an error.
void check(cl_int status, const char* call);

/// The first platform's first device with a context and an in-order queue: what every program makes first.
class Session {
 public:
  Session();
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  cl_platform_id platform = nullptr;
  cl_device_id device = nullptr;
  cl_context context = nullptr;
  cl_command_queue queue = nullptr;
};

/// A small kernel (`target[i] = a * source[i] + b[i] + <number>`) and the buffers that it works on.
class SmallKernel {
 public:
  static constexpr std::size_t kItems = 64;

  explicit SmallKernel(Session& session);
  ~SmallKernel();
  SmallKernel(const SmallKernel&) = delete;
  SmallKernel& operator=(const SmallKernel&) = delete;

  /// From source to a verified result on the host; equal numbers give equal sources.
  void buildAndRun(int number);
  /// Builds, sets the arguments, and leaves the kernel for launches.
  void build(int number);
  void launch();
  /// Reads the result back and compares.
  void verify();
  /// Makes the next result differ from what the buffer holds.
  void clear();
  cl_kernel kernel() const { return kernel_; }

 private:
  void dispose();

  Session& session_;
  cl_mem source_ = nullptr, addend_ = nullptr, target_ = nullptr;
  cl_program program_ = nullptr;
  cl_kernel kernel_ = nullptr;
  int number_ = 0;
};

std::string sourceOf(int number);

} // namespace bench
