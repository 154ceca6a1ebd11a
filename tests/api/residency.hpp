// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "fixture.hpp"

#include <array>
#include <variant>
#include <vector>

namespace clotho::test {

using Words = std::vector<cl_uint>;
using Events = std::vector<cl_event>;

constexpr size_t kCount = 4096; ///< words of a buffer
/// `count` consecutive numbers from `first` on.
Words numbered(size_t count = kCount, cl_uint first = 1);

/// What the kernels of these tests compute, for the model on the host.
namespace residency {
/// `replace`: of each item, whatever it was.
cl_uint replaced(cl_uint number, cl_uint item);
/// `change`: made of what it was.
cl_uint changed(cl_uint old, cl_uint number, cl_uint item);
/// `change_odd`: only items with odd numbers; the others are left.
void changeOdd(Words& words, size_t begin, size_t end, cl_uint number);
/// `combine`: of two buffers that are only read.
cl_uint combined(cl_uint a, cl_uint b);
} // namespace residency

/// A context of all devices, and two queues for each of three places or more: place `i` is on device `i` modulo the
/// number of devices. So the tests say something of one device, too. Commands at each second place have times.
class Residency : public Api {
 protected:
  using Argument = std::variant<cl_mem, cl_uint>;

  void SetUp() override;
  void TearDown() override;

  size_t places() const { return ordered_.size(); }
  cl_device_id deviceOf(size_t place) const { return devices_[place % devices_.size()]; }
  cl_command_queue ordered(size_t place) const { return ordered_[place % places()]; }
  cl_command_queue loose(size_t place) const { return loose_[place % places()]; } ///< out of order

  Owned<cl_mem> makeWords(const Words& words, cl_mem_flags flags = CL_MEM_READ_WRITE);
  Owned<cl_mem> part(cl_mem buffer, size_t first, size_t count, cl_mem_flags flags = 0);
  /// Enqueues a kernel on `items` work-items. Any thread.
  Owned<cl_event> launch(cl_command_queue queue, const char* kernel, const std::vector<Argument>& arguments,
                         size_t items, const Events& waits = {});
  // A kernel on some words, and the same in the model of the whole buffer.
  Owned<cl_event> replace(cl_command_queue queue, cl_mem buffer, Words& model, cl_uint number, const Events& waits = {},
                          size_t begin = 0, size_t count = kCount);
  Owned<cl_event> change(cl_command_queue queue, cl_mem buffer, Words& model, cl_uint number, const Events& waits = {},
                         size_t begin = 0, size_t count = kCount);
  /// The whole contents, read by a queue.
  Words read(cl_command_queue queue, cl_mem buffer, size_t count, const Events& waits = {});
  void expectEverywhere(cl_mem buffer, const Words& expected);
  static cl_int wait(cl_event event) { return clWaitForEvents(1, &event); }
  static cl_uint countOf(const Events& events) { return static_cast<cl_uint>(events.size()); }
  static const cl_event* listOf(const Events& events) { return events.empty() ? nullptr : events.data(); }

  std::vector<cl_device_id> devices_;
  std::vector<Owned<cl_command_queue>> ordered_, loose_;
  Owned<cl_program> program_;
};

} // namespace clotho::test
