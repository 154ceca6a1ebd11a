// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "command_graph.hpp"

#include <array>
#include <random>
#include <stdexcept>

namespace bench {

namespace {

struct WaitList {
  cl_uint count;
  std::array<int, 3> commands;
};

std::vector<WaitList> randomGraph(int commands) {
  std::mt19937 random(5);
  std::vector<WaitList> graph(static_cast<std::size_t>(commands));
  for (int i = 0; i < commands; ++i) {
    WaitList& list = graph[static_cast<std::size_t>(i)];
    list.count = i ? static_cast<cl_uint>(random() % 4) : 0;
    for (int& command : list.commands)
      command = i ? static_cast<int>(random() % static_cast<unsigned>(i)) : 0;
  }
  return graph;
}

/// An empty kernel and an out-of-order queue for it.
class EmptyKernel {
 public:
  EmptyKernel(Session& session, cl_command_queue_properties properties) {
    cl_int status;
    const char* source = "kernel void nothing() {}";
    program_ = clCreateProgramWithSource(session.context, 1, &source, nullptr, &status);
    check(status, "clCreateProgramWithSource");
    check(clBuildProgram(program_, 1, &session.device, "", nullptr, nullptr), "clBuildProgram");
    kernel_ = clCreateKernel(program_, "nothing", &status);
    check(status, "clCreateKernel");
    queue_ = clCreateCommandQueue(session.context, session.device, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE | properties,
                                  &status);
    check(status, "clCreateCommandQueue");
  }
  ~EmptyKernel() {
    clReleaseCommandQueue(queue_);
    clReleaseKernel(kernel_);
    clReleaseProgram(program_);
  }
  EmptyKernel(const EmptyKernel&) = delete;
  EmptyKernel& operator=(const EmptyKernel&) = delete;

  void enqueue(const std::vector<WaitList>& graph, std::vector<cl_event>& events) {
    const std::size_t items = 1;
    for (std::size_t i = 0; i < graph.size(); ++i) {
      std::array<cl_event, 3> waits;
      for (cl_uint k = 0; k < graph[i].count; ++k)
        waits[k] = events[static_cast<std::size_t>(graph[i].commands[k])];
      check(clEnqueueNDRangeKernel(queue_, kernel_, 1, nullptr, &items, nullptr, graph[i].count,
                                   graph[i].count ? waits.data() : nullptr, &events[i]),
            "clEnqueueNDRangeKernel");
    }
    check(clFinish(queue_), "clFinish");
  }

 private:
  cl_program program_ = nullptr;
  cl_kernel kernel_ = nullptr;
  cl_command_queue queue_ = nullptr;
};

void mustBeComplete(cl_event event) {
  cl_int status = 1;
  check(clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, nullptr), "clGetEventInfo");
  if (status != CL_COMPLETE) throw std::runtime_error("a command ended with " + std::to_string(status));
}

cl_ulong timeOf(cl_event event, cl_profiling_info what) {
  cl_ulong time = 0;
  check(clGetEventProfilingInfo(event, what, sizeof time, &time, nullptr), "clGetEventProfilingInfo");
  return time;
}

void releaseAll(const std::vector<cl_event>& events) {
  for (cl_event event : events)
    check(clReleaseEvent(event), "clReleaseEvent");
}

void verifyOrder(Session& session, const std::vector<WaitList>& graph) {
  std::vector<cl_event> events(graph.size());
  EmptyKernel kernel(session, CL_QUEUE_PROFILING_ENABLE);
  kernel.enqueue(graph, events);
  for (std::size_t i = 0; i < graph.size(); ++i)
    for (cl_uint k = 0; k < graph[i].count; ++k)
      if (timeOf(events[i], CL_PROFILING_COMMAND_START) <
          timeOf(events[static_cast<std::size_t>(graph[i].commands[k])], CL_PROFILING_COMMAND_END))
        throw std::runtime_error("command " + std::to_string(i) + " began too early");
  releaseAll(events);
}

} // namespace

std::vector<double> timeRandomGraphs(Session& session, int commands, int rounds) {
  const std::vector<WaitList> graph = randomGraph(commands);
  verifyOrder(session, graph);
  EmptyKernel kernel(session, 0);
  std::vector<cl_event> events(graph.size());
  std::vector<double> samples;
  for (int round = 0; round < rounds; ++round) {
    auto begin = Clock::now();
    kernel.enqueue(graph, events);
    samples.push_back(microseconds(Clock::now() - begin) / commands);
    for (cl_event event : events)
      mustBeComplete(event);
    releaseAll(events);
  }
  return samples;
}

} // namespace bench
