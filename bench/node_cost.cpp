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

/// Starts a node that ends when this process does, whose device is this process's only one.
void useNode() {
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
    execl(program.c_str(), program.c_str(), "serve", name.c_str(), nullptr);
    _exit(127);
  }
  close(output[1]);
  char ready = 0;
  if (read(output[0], &ready, 1) != 1) throw std::runtime_error("clotho-node does not start");
  setenv("CLOTHO_CLUSTER", ("local:" + name).c_str(), 1);
  setenv("CLOTHO_DEVICES", "node", 1);
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

std::vector<double> atNode(int rounds, const std::function<double()>& measure) {
  std::vector<double> samples;
  for (int i = 0; i < rounds; ++i)
    samples.push_back(measureInChild([&] {
      useNode();
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

} // namespace bench
