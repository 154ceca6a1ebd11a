// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "replay/pipes.hpp"

#include "replay/program.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>

namespace clotho::replay {

namespace {

/// One work-item moves all packets, so that they keep their order. The first number of `bytes` is how many there are.
constexpr const char* kSource = R"(
typedef struct { uchar bytes[PACKET]; } Packet;
kernel void fill(write_only pipe Packet p, global uchar* bytes) {
  Packet packet;
  const ulong count = *(global ulong*)bytes;
  for (ulong i = 0; i < count; ++i) {
    for (uint k = 0; k < PACKET; ++k) packet.bytes[k] = bytes[sizeof count + i * PACKET + k];
    write_pipe(p, &packet);
  }
}
kernel void drain(read_only pipe Packet p, global uchar* bytes) {
  Packet packet;
  ulong count = 0;
  for (; read_pipe(p, &packet) == 0; ++count)
    for (uint k = 0; k < PACKET; ++k) bytes[sizeof count + count * PACKET + k] = packet.bytes[k];
  *(global ulong*)bytes = count;
}
)";

/// Runs one of the kernels on the pipe and a buffer with these bytes, which become what the buffer has afterwards.
void runOn(const Driver& driver, cl_context context, cl_command_queue queue, cl_mem pipe, std::uint64_t packetBytes,
           const char* name, std::string& bytes) {
  const cl_icd_dispatch& calls = driver.calls();
  cl_int status = CL_SUCCESS;
  const char* source = kSource;
  const ProgramHandle program(driver, calls.clCreateProgramWithSource(context, 1, &source, nullptr, &status));
  require(status, "clCreateProgramWithSource for a pipe");
  const std::string options = "-cl-std=CL2.0 -DPACKET=" + std::to_string(packetBytes);
  require(calls.clBuildProgram(program.get(), 0, nullptr, options.c_str(), nullptr, nullptr),
          "clBuildProgram for a pipe");
  const cl_mem buffer = calls.clCreateBuffer(context, CL_MEM_COPY_HOST_PTR, bytes.size(), bytes.data(), &status);
  require(status, "clCreateBuffer for a pipe");
  const cl_kernel kernel = calls.clCreateKernel(program.get(), name, &status);
  require(status, "clCreateKernel for a pipe");
  require(calls.clSetKernelArg(kernel, 0, sizeof pipe, &pipe), "clSetKernelArg for a pipe");
  require(calls.clSetKernelArg(kernel, 1, sizeof buffer, &buffer), "clSetKernelArg for a pipe");
  const std::size_t one = 1;
  require(calls.clEnqueueNDRangeKernel(queue, kernel, 1, nullptr, &one, &one, 0, nullptr, nullptr),
          "clEnqueueNDRangeKernel for a pipe");
  require(calls.clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, bytes.size(), bytes.data(), 0, nullptr, nullptr),
          "clEnqueueReadBuffer for a pipe");
  calls.clReleaseKernel(kernel);
  calls.clReleaseMemObject(buffer);
}

} // namespace

void fillPipe(const Driver& driver, cl_context context, cl_command_queue queue, cl_mem pipe,
              const capture::Memory& memory, const std::string& contents) {
  std::string bytes = contents;
  std::uint64_t count = 0;
  std::memcpy(&count, bytes.data(), sizeof count);
  count = std::min(count, memory.shape.height); // the file may say anything
  std::memcpy(bytes.data(), &count, sizeof count);
  runOn(driver, context, queue, pipe, memory.shape.width, "fill", bytes);
}

std::string readPipe(const Driver& driver, cl_context context, cl_command_queue queue, cl_mem pipe,
                     const capture::Memory& memory) {
  std::string bytes(memory.stored, '\0');
  runOn(driver, context, queue, pipe, memory.shape.width, "drain", bytes);
  fillPipe(driver, context, queue, pipe, memory, bytes);
  return bytes;
}

} // namespace clotho::replay
