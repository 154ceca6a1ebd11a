// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "command_replay.hpp"

#include "base/command_buffer_header.hpp"

#include <stdexcept>

namespace bench {

namespace {

namespace khr = clotho::khr; // the signatures, which are Khronos's

template <class Function> Function* extension(const Session& session, const char* name) {
  void* address = clGetExtensionFunctionAddressForPlatform(session.platform, name);
  if (!address) throw std::runtime_error(std::string(name) + " is missing");
  return reinterpret_cast<Function*>(address);
}

} // namespace

ReplayComparison::ReplayComparison(Session& session, int commands)
    : session_(session), commands_(commands), kernel_(session) {
  kernel_.buildAndRun(1);
  cl_int status;
  const cl_command_buffer_khr buffer = extension<khr::clCreateCommandBufferKHR_t>(session, "clCreateCommandBufferKHR")(
      1, &session.queue, nullptr, &status);
  check(status, "clCreateCommandBufferKHR");
  buffer_ = buffer;
  const auto record = extension<khr::clCommandNDRangeKernelKHR_t>(session, "clCommandNDRangeKernelKHR");
  const std::size_t items = SmallKernel::kItems;
  for (int i = 0; i < commands; ++i)
    check(record(buffer, nullptr, nullptr, kernel_.kernel(), 1, nullptr, &items, nullptr, 0, nullptr, nullptr, nullptr),
          "clCommandNDRangeKernelKHR");
  check(extension<khr::clFinalizeCommandBufferKHR_t>(session, "clFinalizeCommandBufferKHR")(buffer),
        "clFinalizeCommandBufferKHR");
}

ReplayComparison::~ReplayComparison() {
  extension<khr::clReleaseCommandBufferKHR_t>(session_,
                                              "clReleaseCommandBufferKHR")(static_cast<cl_command_buffer_khr>(buffer_));
}

template <class Enqueue> double ReplayComparison::time(Enqueue&& enqueue) {
  kernel_.clear();
  const auto begin = Clock::now();
  enqueue();
  check(clFinish(session_.queue), "clFinish");
  const double time = microseconds(Clock::now() - begin) / commands_;
  kernel_.verify();
  return time;
}

double ReplayComparison::enqueued() {
  return time([&] {
    for (int i = 0; i < commands_; ++i)
      kernel_.launch();
  });
}

double ReplayComparison::replayed() {
  const auto enqueue = extension<khr::clEnqueueCommandBufferKHR_t>(session_, "clEnqueueCommandBufferKHR");
  return time([&] {
    check(enqueue(0, nullptr, static_cast<cl_command_buffer_khr>(buffer_), 0, nullptr, nullptr),
          "clEnqueueCommandBufferKHR");
  });
}

std::vector<double> compareReplays(Session& session, int commands, int rounds) {
  ReplayComparison comparison(session, commands);
  comparison.enqueued();
  comparison.replayed();
  std::vector<double> speeds;
  for (int i = 0; i < rounds; ++i) {
    const double enqueued = comparison.enqueued();
    speeds.push_back(100 * enqueued / comparison.replayed());
  }
  return speeds;
}

} // namespace bench
