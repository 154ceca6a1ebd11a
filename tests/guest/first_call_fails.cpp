// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The first calls find no memory and say so. A later one succeeds, and the process can fork, and so can its child.
// Usage: first_call_fails libclotho.so
#include "guest.hpp"

#include "failing_new.hpp"

#include <CL/cl_icd.h>
#include <dlfcn.h>
#include <sys/wait.h>
#include <unistd.h>

namespace {

using GetPlatforms = cl_int(CL_API_CALL*)(cl_uint, cl_platform_id*, cl_uint*);
using GetAddress = void*(CL_API_CALL*)(cl_platform_id, const char*);

template <class F> F symbol(void* library, const char* name) {
  void* address = dlsym(library, name);
  REQUIRE(address != nullptr);
  return reinterpret_cast<F>(address);
}

void forkAndUse(GetPlatforms getPlatforms, int generations) {
  const pid_t child = fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    alarm(30);
    cl_platform_id platform = nullptr;
    REQUIRE(getPlatforms(1, &platform, nullptr) == CL_SUCCESS);
    if (generations > 1) forkAndUse(getPlatforms, generations - 1);
    _exit(0);
  }
  int status = 0;
  REQUIRE(waitpid(child, &status, 0) == child);
  REQUIRE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

} // namespace

int main(int argc, char** argv) {
  alarm(60);
  REQUIRE(argc == 2);
  // A loader that is told of an error would never ask again, so this goes without one.
  void* library = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
  REQUIRE(library != nullptr);
  const auto getPlatforms = symbol<GetPlatforms>(library, "clIcdGetPlatformIDsKHR");
  const auto getAddress = symbol<GetAddress>(library, "clGetExtensionFunctionAddressForPlatform");
  cl_platform_id platform = nullptr;
  for (int i = 0; i < 3; ++i) {
    guest::newFails = true;
    const cl_int status = getPlatforms(1, &platform, nullptr);
    const void* address = getAddress(reinterpret_cast<cl_platform_id>(&platform), "clIcdGetPlatformIDsKHR");
    guest::newFails = false;
    REQUIRE(status == CL_OUT_OF_HOST_MEMORY);
    REQUIRE(address == nullptr);
  }
  REQUIRE(getPlatforms(1, &platform, nullptr) == CL_SUCCESS);
  REQUIRE(getAddress(platform, "clIcdGetPlatformIDsKHR") == reinterpret_cast<void*>(getPlatforms));
  forkAndUse(getPlatforms, 3);
  forkAndUse(getPlatforms, 1);
  return 0;
}
