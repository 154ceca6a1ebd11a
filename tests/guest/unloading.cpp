// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// dlclose is harmless: of the loader, and of the driver itself, also with work under way; usage: unloading libclotho.so
#include <CL/cl_icd.h>
#include <cstdio>
#include <cstdlib>
#include <dlfcn.h>

#define REQUIRE(condition)                                                                                             \
  do {                                                                                                                 \
    if (!(condition)) {                                                                                                \
      std::fprintf(stderr, "line %d: not so: %s\n", __LINE__, #condition);                                             \
      std::_Exit(1);                                                                                                   \
    }                                                                                                                  \
  } while (false)

namespace {

template <class F> F symbol(void* library, const char* name) {
  void* address = dlsym(library, name);
  REQUIRE(address != nullptr);
  return reinterpret_cast<F>(address);
}

const char* const kSource = "kernel void f(global int* out) { out[get_global_id(0)] = 7; }"
                            "kernel void slow(global int* out) {"
                            "  int v = get_global_id(0);"
                            "  for (int i = 0; i < 3000000; ++i) v = v * 1664525 + (v >> 7) + i;"
                            "  out[get_global_id(0)] = v; }";

/// Loads, uses and closes the driver as a loader would; `abandon`: with commands running and nothing released.
void useDirectly(const char* path, bool abandon) {
  void* library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (!library) std::fprintf(stderr, "%s\n", dlerror());
  REQUIRE(library != nullptr);
  auto getAddress = symbol<void* (*)(const char*)>(library, "clGetExtensionFunctionAddress");
  auto getPlatforms =
      reinterpret_cast<cl_int (*)(cl_uint, cl_platform_id*, cl_uint*)>(getAddress("clIcdGetPlatformIDsKHR"));
  REQUIRE(getPlatforms != nullptr);
  REQUIRE(dlsym(library, "clIcdGetPlatformIDsKHR") == reinterpret_cast<void*>(getPlatforms));
  struct Platform {
    const cl_icd_dispatch* dispatch;
  };
  cl_platform_id platform = nullptr;
  REQUIRE(getPlatforms(1, &platform, nullptr) == CL_SUCCESS);
  const cl_icd_dispatch& cl = *reinterpret_cast<Platform*>(platform)->dispatch;
  cl_device_id device = nullptr;
  REQUIRE(cl.clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, nullptr) == CL_SUCCESS);
  cl_int status = CL_SUCCESS;
  cl_context context = cl.clCreateContext(nullptr, 1, &device, nullptr, nullptr, &status);
  REQUIRE(status == CL_SUCCESS);
  cl_command_queue queue = cl.clCreateCommandQueue(context, device, 0, &status);
  REQUIRE(status == CL_SUCCESS);
  cl_program program = cl.clCreateProgramWithSource(context, 1, const_cast<const char**>(&kSource), nullptr, &status);
  REQUIRE(cl.clBuildProgram(program, 1, &device, "", nullptr, nullptr) == CL_SUCCESS);
  cl_kernel kernel = cl.clCreateKernel(program, "f", &status);
  int result[64] = {};
  cl_mem buffer = cl.clCreateBuffer(context, CL_MEM_READ_WRITE, sizeof result, nullptr, &status);
  REQUIRE(cl.clSetKernelArg(kernel, 0, sizeof buffer, &buffer) == CL_SUCCESS);
  const std::size_t size = 64;
  REQUIRE(cl.clEnqueueNDRangeKernel(queue, kernel, 1, nullptr, &size, nullptr, 0, nullptr, nullptr) == CL_SUCCESS);
  REQUIRE(cl.clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, sizeof result, result, 0, nullptr, nullptr) == CL_SUCCESS);
  REQUIRE(result[63] == 7);
  if (abandon) {
    cl_kernel slow = cl.clCreateKernel(program, "slow", &status);
    REQUIRE(cl.clSetKernelArg(slow, 0, sizeof buffer, &buffer) == CL_SUCCESS);
    REQUIRE(cl.clEnqueueNDRangeKernel(queue, slow, 1, nullptr, &size, nullptr, 0, nullptr, nullptr) == CL_SUCCESS);
    REQUIRE(cl.clFlush(queue) == CL_SUCCESS);
  } else {
    cl.clReleaseMemObject(buffer);
    cl.clReleaseKernel(kernel);
    cl.clReleaseProgram(program);
    cl.clReleaseCommandQueue(queue);
    cl.clReleaseContext(context);
  }
  REQUIRE(dlclose(library) == 0);
}

void useThroughLoader() {
  void* loader = dlopen("libOpenCL.so.1", RTLD_NOW | RTLD_LOCAL);
  REQUIRE(loader != nullptr);
  auto getPlatforms = symbol<decltype(&clGetPlatformIDs)>(loader, "clGetPlatformIDs");
  auto getDevices = symbol<decltype(&clGetDeviceIDs)>(loader, "clGetDeviceIDs");
  auto createContext = symbol<decltype(&clCreateContext)>(loader, "clCreateContext");
  auto releaseContext = symbol<decltype(&clReleaseContext)>(loader, "clReleaseContext");
  auto getContextInfo = symbol<decltype(&clGetContextInfo)>(loader, "clGetContextInfo");
  // A context of an earlier turn has outlived the loader that made it.
  static cl_context kept = nullptr;
  cl_uint references = 0;
  if (kept) {
    REQUIRE(getContextInfo(kept, CL_CONTEXT_REFERENCE_COUNT, sizeof references, &references, nullptr) == CL_SUCCESS);
    REQUIRE(references == 1);
    REQUIRE(releaseContext(kept) == CL_SUCCESS);
  }
  cl_platform_id platform = nullptr;
  cl_device_id device = nullptr;
  REQUIRE(getPlatforms(1, &platform, nullptr) == CL_SUCCESS);
  REQUIRE(getDevices(platform, CL_DEVICE_TYPE_ALL, 1, &device, nullptr) == CL_SUCCESS);
  cl_int status = CL_SUCCESS;
  kept = createContext(nullptr, 1, &device, nullptr, nullptr, &status);
  REQUIRE(status == CL_SUCCESS);
  REQUIRE(dlclose(loader) == 0);
}

} // namespace

int main(int argc, char** argv) {
  REQUIRE(argc == 2);
  for (int i = 0; i < 3; ++i)
    useDirectly(argv[1], false);
  useThroughLoader();
  useThroughLoader();
  useDirectly(argv[1], true);
  useDirectly(argv[1], false);
  useThroughLoader();
  return 0;
}
