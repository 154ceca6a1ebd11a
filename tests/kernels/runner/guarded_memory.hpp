// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <CL/cl.h>
#include <cstddef>

/// Memory for a buffer that has an inaccessible page beside it: a kernel that reads or writes past that end of the
/// buffer fails always, and not only where by chance nothing is mapped. It is shared virtual memory, which may begin at
/// any address, and of which the driver knows the size.
class GuardedMemory {
 public:
  enum class Side { Begin, End };
  /// Throws std::runtime_error without memory.
  GuardedMemory(cl_context context, std::size_t bytes, Side guarded);
  /// No buffer uses the memory any more.
  ~GuardedMemory();
  GuardedMemory(const GuardedMemory&) = delete;
  GuardedMemory& operator=(const GuardedMemory&) = delete;

  void* data() const { return data_; }

  /// Whether the device's kernels work in such memory where it is.
  static bool isSupported(cl_device_id device);

 private:
  cl_context context_;
  void* allocated_;
  unsigned char *guard_ = nullptr, *data_ = nullptr;
};
