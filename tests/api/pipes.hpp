// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "fixture.hpp"

#include <initializer_list>
#include <string>
#include <vector>

namespace clotho::test {

/// What tests of pipes have in common: kernels with arguments by type, and buffers of numbers.
class Pipes : public Api {
 protected:
  Owned<cl_mem> makePipe(cl_uint packetSize, cl_uint maxPackets, cl_mem_flags flags = 0);
  Owned<cl_mem> makeNumbers(const std::vector<cl_uint>& numbers);
  std::vector<cl_uint> numbersOf(cl_mem buffer);
  /// A kernel whose arguments are memory objects.
  Owned<cl_kernel> makeKernel(cl_program program, const char* name, std::initializer_list<cl_mem> arguments);
  /// Enqueues it on so many work-items; `local` 0: as the driver likes.
  void launch(cl_command_queue queue, cl_kernel kernel, size_t items, size_t local = 0);
  /// The number of packets in a pipe, as a kernel is told.
  cl_uint packetsIn(cl_mem pipe, cl_program program);
};

} // namespace clotho::test
