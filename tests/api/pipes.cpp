// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "pipes.hpp"

namespace clotho::test {

Owned<cl_mem> Pipes::makePipe(cl_uint packetSize, cl_uint maxPackets, cl_mem_flags flags) {
  cl_int status = 1;
  Owned<cl_mem> pipe = clCreatePipe(context_, flags, packetSize, maxPackets, nullptr, &status);
  EXPECT_EQ(status, CL_SUCCESS);
  return pipe;
}

Owned<cl_mem> Pipes::makeNumbers(const std::vector<cl_uint>& numbers) {
  return makeBuffer(numbers.size() * sizeof(cl_uint), CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR,
                    const_cast<cl_uint*>(numbers.data()));
}

std::vector<cl_uint> Pipes::numbersOf(cl_mem buffer) {
  const auto size = valueAnswer<size_t>(CLOTHO_INFO(clGetMemObjectInfo, buffer, CL_MEM_SIZE));
  std::vector<cl_uint> numbers(size / sizeof(cl_uint));
  EXPECT_EQ(clEnqueueReadBuffer(queue_, buffer, CL_TRUE, 0, size, numbers.data(), 0, nullptr, nullptr), CL_SUCCESS);
  return numbers;
}

Owned<cl_kernel> Pipes::makeKernel(cl_program program, const char* name, std::initializer_list<cl_mem> arguments) {
  cl_int status = 1;
  Owned<cl_kernel> kernel = clCreateKernel(program, name, &status);
  EXPECT_EQ(status, CL_SUCCESS) << name;
  cl_uint index = 0;
  for (cl_mem argument : arguments) {
    EXPECT_EQ(clSetKernelArg(kernel, index, sizeof argument, &argument), CL_SUCCESS) << name << " " << index;
    ++index;
  }
  return kernel;
}

void Pipes::launch(cl_command_queue queue, cl_kernel kernel, size_t items, size_t local) {
  EXPECT_EQ(clEnqueueNDRangeKernel(queue, kernel, 1, nullptr, &items, local ? &local : nullptr, 0, nullptr, nullptr),
            CL_SUCCESS);
}

cl_uint Pipes::packetsIn(cl_mem pipe, cl_program program) {
  Owned<cl_mem> out = makeNumbers({~0U});
  launch(queue_, makeKernel(program, "ask", {pipe, out}), 1);
  return numbersOf(out)[0];
}

} // namespace clotho::test
