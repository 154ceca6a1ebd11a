// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "node_cost.hpp"

#include "measured_child.hpp"
#include "session.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <functional>
#include <stdexcept>
#include <string>
#include <unistd.h>
#include <vector>

namespace bench {

namespace {

/// Starts a node that ends when this process does. `devices`: its own. `used`: by this process, as CLOTHO_DEVICES.
void useNode(const char* devices, const char* used) {
  const std::string name = "bench-" + std::to_string(getpid()), token(64, '7');
  char self[4096] = {};
  if (readlink("/proc/self/exe", self, sizeof self - 1) < 0) throw std::runtime_error("readlink");
  const std::string program = std::string(self).substr(0, std::string(self).rfind('/')) + "/clotho-node";
  int input[2], output[2];
  if (pipe(input) != 0 || pipe(output) != 0) throw std::runtime_error("pipe");
  setenv("CLOTHO_CLUSTER_TOKEN", token.c_str(), 1);
  if (fork() == 0) {
    close(input[1]);
    dup2(input[0], STDIN_FILENO);
    dup2(output[1], STDOUT_FILENO);
    execl(program.c_str(), program.c_str(), "--devices", devices, "serve", name.c_str(), nullptr);
    _exit(127);
  }
  close(output[1]);
  char ready = 0;
  if (read(output[0], &ready, 1) != 1) throw std::runtime_error("clotho-node does not start");
  setenv("CLOTHO_CLUSTER", ("local:" + name).c_str(), 1);
  setenv("CLOTHO_DEVICES", used, 1);
}

double timeOfLaunch(int launches) {
  Session session;
  SmallKernel kernel(session);
  kernel.buildAndRun(1);
  std::vector<double> times;
  for (int i = 0; i < launches; ++i) {
    const auto begin = Clock::now();
    kernel.launch();
    check(clFinish(session.queue), "clFinish");
    times.push_back(microseconds(Clock::now() - begin));
  }
  std::nth_element(times.begin(), times.begin() + launches / 2, times.end());
  return times[static_cast<std::size_t>(launches) / 2];
}

double timeOfChain(int chains) {
  constexpr int kLength = 100;
  Session session;
  SmallKernel kernel(session);
  kernel.buildAndRun(1);
  double best = 1e30;
  for (int i = 0; i < chains; ++i) {
    const auto begin = Clock::now();
    for (int k = 0; k < kLength; ++k)
      kernel.launch();
    check(clFinish(session.queue), "clFinish");
    best = std::min(best, microseconds(Clock::now() - begin) / kLength);
  }
  return best;
}

double timeOfWrite(int writes) {
  const std::vector<char> bytes(std::size_t{64} << 20, 'x');
  Session session;
  cl_int status;
  cl_mem buffer = clCreateBuffer(session.context, 0, bytes.size(), nullptr, &status);
  check(status, "clCreateBuffer");
  double best = 1e30;
  for (int i = 0; i < writes + 1; ++i) { // the first gives the buffer its pages
    const auto begin = Clock::now();
    check(clEnqueueWriteBuffer(session.queue, buffer, CL_TRUE, 0, bytes.size(), bytes.data(), 0, nullptr, nullptr),
          "clEnqueueWriteBuffer");
    if (i > 0) best = std::min(best, milliseconds(Clock::now() - begin));
  }
  clReleaseMemObject(buffer);
  return best;
}

/// Rows of a plate in turn from one buffer to the other: two rows go from each part to the next one in each step.
double timeOfStep(int chains) {
  constexpr int kLength = 100;
  constexpr cl_int kSize = 256;
  const char* source = R"(
    kernel void spread(global float* out, global const float* in, int size) {
      int x = get_global_id(0), y = get_global_id(1);
      if (y < 1 || y >= size - 1) return;
      out[y * size + x] = 0.5f * (in[(y - 1) * size + x] + in[(y + 1) * size + x]);
    })";
  Session session;
  cl_int status;
  cl_program program = clCreateProgramWithSource(session.context, 1, &source, nullptr, &status);
  check(status, "clCreateProgramWithSource");
  check(clBuildProgram(program, 1, &session.device, "", nullptr, nullptr), "clBuildProgram");
  cl_kernel kernel = clCreateKernel(program, "spread", &status);
  check(status, "clCreateKernel");
  std::vector<float> plate(std::size_t{kSize} * kSize, 1.0F);
  cl_mem buffers[2] = {};
  for (cl_mem& buffer : buffers) {
    buffer =
        clCreateBuffer(session.context, CL_MEM_COPY_HOST_PTR, plate.size() * sizeof plate[0], plate.data(), &status);
    check(status, "clCreateBuffer");
  }
  check(clSetKernelArg(kernel, 2, sizeof kSize, &kSize), "clSetKernelArg");
  const std::size_t global[] = {kSize, kSize}, local[] = {kSize, 4};
  double best = 1e30;
  for (int i = 0; i < chains + 1; ++i) { // the first brings the buffers to the devices
    const auto begin = Clock::now();
    for (int k = 0; k < kLength; ++k) {
      for (cl_uint argument = 0; argument < 2; ++argument)
        check(clSetKernelArg(kernel, argument, sizeof(cl_mem), &buffers[(k + 1 + argument) % 2]), "clSetKernelArg");
      check(clEnqueueNDRangeKernel(session.queue, kernel, 2, nullptr, global, local, 0, nullptr, nullptr),
            "clEnqueueNDRangeKernel");
    }
    check(clFinish(session.queue), "clFinish");
    if (i > 0) best = std::min(best, microseconds(Clock::now() - begin) / kLength);
  }
  for (cl_mem buffer : buffers)
    clReleaseMemObject(buffer);
  clReleaseKernel(kernel);
  clReleaseProgram(program);
  return best;
}

std::vector<double> atNode(int rounds, const std::function<double()>& measure, const char* devices = "cpu",
                           const char* used = "node") {
  std::vector<double> samples;
  for (int i = 0; i < rounds; ++i)
    samples.push_back(measureInChild([&] {
      useNode(devices, used);
      return measure();
    }));
  return samples;
}

} // namespace

std::vector<double> costOfNodeLaunch(int launches, int rounds) {
  std::vector<double> samples = atNode(rounds, [&] { return timeOfLaunch(launches); });
  for (double& sample : samples)
    sample = std::max(0.0, sample - measureInChild([&] { return timeOfLaunch(launches); }));
  return samples;
}

std::vector<double> timeOfNodeChain(int chains, int rounds) {
  return atNode(rounds, [&] { return timeOfChain(chains); });
}

std::vector<double> timeOfNodeWrite(int writes, int rounds) {
  return atNode(rounds, [&] { return timeOfWrite(writes); });
}

std::vector<double> timeOfJointStep(int chains, int rounds) {
  return atNode(rounds, [&] { return timeOfStep(chains); }, "cpu:2", "joint");
}

} // namespace bench
