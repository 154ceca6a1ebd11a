// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Prints compute units and global memory of the device, and with --run proves that kernels are built and run, with
// --run-known that they run, which may come from a cache; for the shell tests.
#include "guest.hpp"

#include <cstring>

int main(int argc, char** argv) {
  const guest::Session session;
  cl_uint units = 0;
  cl_ulong memory = 0, allocation = 0;
  REQUIRE(clGetDeviceInfo(session.device, CL_DEVICE_MAX_COMPUTE_UNITS, sizeof units, &units, nullptr) == CL_SUCCESS);
  REQUIRE(clGetDeviceInfo(session.device, CL_DEVICE_GLOBAL_MEM_SIZE, sizeof memory, &memory, nullptr) == CL_SUCCESS);
  REQUIRE(clGetDeviceInfo(session.device, CL_DEVICE_MAX_MEM_ALLOC_SIZE, sizeof allocation, &allocation, nullptr) ==
          CL_SUCCESS);
  REQUIRE(units >= 1 && allocation <= memory && allocation > 0);
  if (argc > 1 && std::strcmp(argv[1], "--run") == 0) guest::computeSomething(session);
  if (argc > 1 && std::strcmp(argv[1], "--run-known") == 0) guest::computeSomething(session, 42, guest::kKnownSource);
  std::printf("%u %llu\n", units, static_cast<unsigned long long>(memory));
  return 0;
}
