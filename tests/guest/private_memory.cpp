// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A kernel whose work-items keep 256 KiB each, in work-groups as large as CL_KERNEL_WORK_GROUP_SIZE says and larger.
// Run where there is little memory: with too much the system would end the process.
#include "guest.hpp"

#include <unistd.h>

namespace {

const char* const kSource = "kernel void keeps(global uint* out) {"
                            "  uint own[65536];"
                            "  const uint i = get_global_id(0), first = out[i] % 65536;"
                            "  for (uint k = 0; k < 65536; ++k) own[(first + k) % 65536] = k + i;"
                            "  barrier(CLK_GLOBAL_MEM_FENCE);"
                            "  out[i] = own[(first + out[i]) % 65536]; }";

} // namespace

int main() {
  alarm(120);
  const guest::Session session;
  cl_ulong memory = 0;
  REQUIRE(clGetDeviceInfo(session.device, CL_DEVICE_GLOBAL_MEM_SIZE, sizeof memory, &memory, nullptr) == CL_SUCCESS);
  cl_program program = guest::build(session.context, session.device, kSource);
  cl_kernel kernel = guest::kernel(program, "keeps");
  std::size_t most = 0;
  REQUIRE(clGetKernelWorkGroupInfo(kernel, session.device, CL_KERNEL_WORK_GROUP_SIZE, sizeof most, &most, nullptr) ==
          CL_SUCCESS);
  std::printf("%llu MiB of global memory, work-groups of %zu\n", static_cast<unsigned long long>(memory >> 20), most);
  REQUIRE(most >= 64);
  cl_int status = CL_SUCCESS;
  std::vector<cl_uint> values(4096, 3);
  cl_mem buffer = clCreateBuffer(session.context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR,
                                 values.size() * sizeof(cl_uint), values.data(), &status);
  REQUIRE(status == CL_SUCCESS);
  REQUIRE(clSetKernelArg(kernel, 0, sizeof buffer, &buffer) == CL_SUCCESS);
  std::size_t size = values.size();
  status = clEnqueueNDRangeKernel(session.queue, kernel, 1, nullptr, &size, &size, 0, nullptr, nullptr);
  REQUIRE(status == (most < size ? CL_OUT_OF_RESOURCES : CL_SUCCESS));
  if (status == CL_SUCCESS)
    REQUIRE(clEnqueueWriteBuffer(session.queue, buffer, CL_TRUE, 0, size * sizeof(cl_uint), values.data(), 0, nullptr,
                                 nullptr) == CL_SUCCESS);
  REQUIRE(clEnqueueNDRangeKernel(session.queue, kernel, 1, nullptr, &size, &most, 0, nullptr, nullptr) == CL_SUCCESS);
  REQUIRE(clEnqueueReadBuffer(session.queue, buffer, CL_TRUE, 0, size * sizeof(cl_uint), values.data(), 0, nullptr,
                              nullptr) == CL_SUCCESS);
  for (std::size_t i = 0; i < size; ++i)
    REQUIRE(values[i] == i + 3);
  clReleaseMemObject(buffer);
  clReleaseKernel(kernel);
  clReleaseProgram(program);
  return 0;
}
