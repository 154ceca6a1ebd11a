// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "pipes.hpp"

#include <stdexcept>

namespace bench {

namespace {

constexpr const char* kSource = R"(
kernel void produce(write_only pipe uint4 out, global uint* failures) {
  const uint i = get_global_id(0);
  const uint4 packet = (uint4)(i, i + 1, i + 2, i + 3);
  if (write_pipe(out, &packet) != 0) atomic_inc(failures);
}
kernel void consume(read_only pipe uint4 in, global uint* failures, global uint4* packets) {
  uint4 packet;
  if (read_pipe(in, &packet) != 0) atomic_inc(failures);
  else packets[get_global_id(0)] = packet;
}
)";

class Ends {
 public:
  Ends(Session& session, cl_uint capacity) : session_(session), capacity_(capacity) {
    cl_int status;
    const char* source = kSource;
    program_ = clCreateProgramWithSource(session.context, 1, &source, nullptr, &status);
    check(status, "clCreateProgramWithSource");
    check(clBuildProgram(program_, 1, &session.device, "-cl-std=CL3.0", nullptr, nullptr), "clBuildProgram");
    pipe_ = clCreatePipe(session.context, 0, sizeof(cl_uint4), capacity, nullptr, &status);
    check(status, "clCreatePipe");
    failures_ = clCreateBuffer(session.context, CL_MEM_READ_WRITE, sizeof(cl_uint), nullptr, &status);
    check(status, "clCreateBuffer");
    packets_ = clCreateBuffer(session.context, CL_MEM_READ_WRITE, capacity * sizeof(cl_uint4), nullptr, &status);
    check(status, "clCreateBuffer");
    for (int end = 0; end < 2; ++end) {
      kernels_[end] = clCreateKernel(program_, end == 0 ? "produce" : "consume", &status);
      check(status, "clCreateKernel");
      check(clSetKernelArg(kernels_[end], 0, sizeof pipe_, &pipe_), "clSetKernelArg");
      check(clSetKernelArg(kernels_[end], 1, sizeof failures_, &failures_), "clSetKernelArg");
    }
    check(clSetKernelArg(kernels_[1], 2, sizeof packets_, &packets_), "clSetKernelArg");
  }
  ~Ends() {
    for (cl_kernel kernel : kernels_)
      if (kernel) clReleaseKernel(kernel);
    for (cl_mem memory : {pipe_, failures_, packets_})
      if (memory) clReleaseMemObject(memory);
    if (program_) clReleaseProgram(program_);
  }
  Ends(const Ends&) = delete;
  Ends& operator=(const Ends&) = delete;

  double packetsPerMicrosecond(int launches) {
    const cl_uint zero = 0;
    check(clEnqueueFillBuffer(session_.queue, failures_, &zero, sizeof zero, 0, sizeof zero, 0, nullptr, nullptr),
          "clEnqueueFillBuffer");
    check(clFinish(session_.queue), "clFinish");
    const auto begin = Clock::now();
    const std::size_t items = capacity_;
    for (int i = 0; i < launches; ++i)
      for (cl_kernel kernel : kernels_)
        check(clEnqueueNDRangeKernel(session_.queue, kernel, 1, nullptr, &items, nullptr, 0, nullptr, nullptr),
              "clEnqueueNDRangeKernel");
    check(clFinish(session_.queue), "clFinish");
    return launches * static_cast<double>(capacity_) / microseconds(Clock::now() - begin);
  }

  /// Each packet of the last launch came once, and whole.
  void verify() {
    cl_uint failures = 1;
    check(clEnqueueReadBuffer(session_.queue, failures_, CL_TRUE, 0, sizeof failures, &failures, 0, nullptr, nullptr),
          "clEnqueueReadBuffer");
    std::vector<cl_uint4> packets(capacity_);
    check(clEnqueueReadBuffer(session_.queue, packets_, CL_TRUE, 0, capacity_ * sizeof(cl_uint4), packets.data(), 0,
                              nullptr, nullptr),
          "clEnqueueReadBuffer");
    std::vector<bool> seen(capacity_);
    bool good = failures == 0;
    for (const cl_uint4& packet : packets) {
      const cl_uint i = packet.s[0];
      good = good && i < capacity_ && !seen[i] && packet.s[1] == i + 1 && packet.s[2] == i + 2 && packet.s[3] == i + 3;
      if (good) seen[i] = true;
    }
    if (!good) throw std::runtime_error("packets were lost or changed");
  }

 private:
  Session& session_;
  const cl_uint capacity_;
  cl_program program_ = nullptr;
  cl_mem pipe_ = nullptr, failures_ = nullptr, packets_ = nullptr;
  cl_kernel kernels_[2] = {};
};

} // namespace

std::vector<double> timePipe(Session& session, cl_uint capacity, int launches, int rounds) {
  Ends ends(session, capacity);
  std::vector<double> samples;
  for (int round = -1; round < rounds; ++round) { // the first touches all pages
    const double sample = ends.packetsPerMicrosecond(launches);
    if (round >= 0) samples.push_back(sample);
  }
  ends.verify();
  return samples;
}

} // namespace bench
