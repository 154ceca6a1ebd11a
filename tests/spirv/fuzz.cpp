// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Damages the modules of this folder at random. Each damaged module must be refused at its creation, fail to build, or
// build; and the compiler must not crash on it, which a build log or the context's callback would tell.
//
// The reader alone is tried on more modules, with sanitizers: read_fuzz.cpp.
//
// usage: clotho-spirv-fuzz --seeds FIRST-LAST [--write FILE]
// A seed always gives the same module; --write keeps that of the first seed for spirv-dis and `clotho compile`.
#include "../api/told.hpp"
#include "damage.hpp"

#include <CL/cl.h>

#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>

namespace {

using namespace clotho::test;

bool tellsOfACrash(std::string_view log) { return log.find("crashed") != std::string_view::npos; }

struct Device {
  cl_device_id id = nullptr;
  cl_context context = nullptr;
  clotho::test::Told told{}; // why modules are refused
};

enum Outcome { kRefused, kNotBuilt, kBuilt, kCrashed, kStrange };

Outcome tryModule(Device& device, const Words& module, const char* options) {
  cl_int status = CL_SUCCESS;
  const cl_program program =
      clCreateProgramWithIL(device.context, module.data(), module.size() * sizeof(std::uint32_t), &status);
  if (!program) {
    const std::string why = device.told.next();
    if (status != CL_INVALID_VALUE || why.empty()) return kStrange;
    return tellsOfACrash(why) ? kCrashed : kRefused;
  }
  status = clBuildProgram(program, 0, nullptr, options, nullptr, nullptr);
  std::size_t size = 0;
  clGetProgramBuildInfo(program, device.id, CL_PROGRAM_BUILD_LOG, 0, nullptr, &size);
  std::string log(size, '\0');
  clGetProgramBuildInfo(program, device.id, CL_PROGRAM_BUILD_LOG, size, log.data(), nullptr);
  clReleaseProgram(program);
  if (tellsOfACrash(log)) {
    std::fputs(log.c_str(), stderr);
    return kCrashed;
  }
  return status == CL_SUCCESS ? kBuilt : status == CL_BUILD_PROGRAM_FAILURE ? kNotBuilt : kStrange;
}

bool open(Device& device) {
  cl_platform_id platform = nullptr;
  if (clGetPlatformIDs(1, &platform, nullptr) != CL_SUCCESS ||
      clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device.id, nullptr) != CL_SUCCESS)
    return false;
  device.context = clCreateContext(nullptr, 1, &device.id, clotho::test::Told::callback, &device.told, nullptr);
  return device.context != nullptr;
}

} // namespace

int main(int argc, char** argv) {
  Seeds seeds;
  const char* output = nullptr;
  for (int i = 1; i + 1 < argc; i += 2) {
    if (std::strcmp(argv[i], "--seeds") == 0) {
      seeds = seedsOf(argv[i + 1]);
    } else if (std::strcmp(argv[i], "--write") == 0) {
      output = argv[i + 1];
    }
  }
  if (output) {
    writeModule(damaged(seeds.first), output);
    return 0;
  }
  setenv("OCL_ICD_VENDORS", CLOTHO_ICD, 0);
  Device device;
  if (!open(device)) return std::fputs("clotho-spirv-fuzz: no device\n", stderr), 1;
  std::array<std::uint64_t, 5> counts{};
  for (std::uint64_t seed = seeds.first; seed <= seeds.last; ++seed) {
    const Outcome outcome = tryModule(device, damaged(seed), seed % 4 == 0 ? "-g" : "");
    ++counts[outcome];
    if (outcome >= kCrashed)
      std::printf("seed %llu: %s\n", static_cast<unsigned long long>(seed),
                  outcome == kCrashed ? "the compiler crashed" : "an unexpected status");
  }
  std::printf("%llu refused, %llu not built, %llu built, %llu crashes, %llu unexpected\n",
              static_cast<unsigned long long>(counts[kRefused]), static_cast<unsigned long long>(counts[kNotBuilt]),
              static_cast<unsigned long long>(counts[kBuilt]), static_cast<unsigned long long>(counts[kCrashed]),
              static_cast<unsigned long long>(counts[kStrange]));
  clReleaseContext(device.context);
  return counts[kCrashed] + counts[kStrange] == 0 ? 0 : 1;
}
