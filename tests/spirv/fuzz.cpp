// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Damages the modules of this folder at random. Each damaged module must be refused at its creation, fail to build, or
// build; and the compiler must not crash on it, which a build log or the context's callback would tell.
//
// usage: clotho-spirv-fuzz --seeds FIRST-LAST [--write FILE]
// A seed always gives the same module; --write keeps that of the first seed for spirv-dis and `clotho compile`.
#include "../api/told.hpp"

#include <CL/cl.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <string_view>
#include <vector>

namespace {

using Words = std::vector<std::uint32_t>;
using Random = std::mt19937_64;

constexpr const char* kModules[] = {"add",           "atomics",
                                    "builtin_names", "caller",
                                    "clock",         "disorder",
                                    "enqueue",       "flow",
                                    "groups",        "hints",
                                    "large_values",  "library",
                                    "long_vectors",  "merges",
                                    "modes",         "named_barriers",
                                    "once",          "pipe_storage",
                                    "program_scope", "sycl",
                                    "texels",        "unusual_integers",
                                    "values"};
constexpr std::size_t kHeaderWords = 5;

std::size_t below(Random& random, std::size_t end) { return end == 0 ? 0 : random() % end; }

Words readModule(const std::string& name) {
  std::ifstream file(CLOTHO_SPIRV_MODULES "/" + name + ".spv", std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(file), {}};
  Words words(bytes.size() / sizeof(std::uint32_t));
  std::memcpy(words.data(), bytes.data(), words.size() * sizeof(std::uint32_t));
  return words;
}

/// Where instructions begin, and the module's end.
std::vector<std::size_t> instructionsOf(const Words& module) {
  std::vector<std::size_t> starts;
  std::size_t at = kHeaderWords;
  while (at < module.size()) {
    starts.push_back(at);
    at += std::max<std::size_t>(module[at] >> 16, 1);
  }
  starts.push_back(module.size());
  return starts;
}

void flipBit(Words& module, Random& random) {
  module[below(random, module.size())] ^= std::uint32_t{1} << below(random, 32);
}

/// A word that belongs to another place, or a number that is likely to be a bound of something.
void replaceWord(Words& module, Random& random) {
  constexpr std::uint32_t kNumbers[] = {0, 1, 2, 0x7fffffff, 0x80000000, 0xffffffff};
  std::uint32_t& word = module[below(random, module.size())];
  word = below(random, 2) == 0 ? kNumbers[below(random, std::size(kNumbers))] : module[below(random, module.size())];
}

void swapWords(Words& module, Random& random) {
  std::swap(module[below(random, module.size())], module[below(random, module.size())]);
}

void truncate(Words& module, Random& random) { module.resize(below(random, module.size()) + 1); }

/// Operands stay what they are, so that more of these modules are valid than of others.
void replaceId(Words& module, Random& random) {
  const std::vector<std::size_t> starts = instructionsOf(module);
  const std::size_t which = below(random, starts.size() - 1);
  const std::size_t first = starts[which], end = std::min(starts[which + 1], module.size());
  if (end - first < 2) return;
  module[first + 1 + below(random, end - first - 1)] = static_cast<std::uint32_t>(below(random, module[3]));
}

void replaceOpcode(Words& module, Random& random) {
  const std::vector<std::size_t> starts = instructionsOf(module);
  std::uint32_t& word = module[starts[below(random, starts.size() - 1)]];
  constexpr std::size_t kOpcodes = 410;
  word = (word & 0xffff0000) | static_cast<std::uint32_t>(below(random, kOpcodes));
}

void copyInstruction(Words& module, Random& random) {
  const std::vector<std::size_t> starts = instructionsOf(module);
  const std::size_t which = below(random, starts.size() - 1);
  const Words copy(module.begin() + static_cast<std::ptrdiff_t>(starts[which]),
                   module.begin() + static_cast<std::ptrdiff_t>(std::min(starts[which + 1], module.size())));
  module.insert(module.begin() + static_cast<std::ptrdiff_t>(starts[below(random, starts.size() - 1)]), copy.begin(),
                copy.end());
}

void removeInstruction(Words& module, Random& random) {
  const std::vector<std::size_t> starts = instructionsOf(module);
  const std::size_t which = below(random, starts.size() - 1);
  module.erase(module.begin() + static_cast<std::ptrdiff_t>(starts[which]),
               module.begin() + static_cast<std::ptrdiff_t>(std::min(starts[which + 1], module.size())));
}

/// A type of 7 bits in front of the other types: of modules with such integers the validator is not asked, and what it
/// would refuse gets as far as the reader.
void addUnusualInteger(Words& module) {
  constexpr std::uint32_t kOpTypeVoid = 19, kOpTypeInt = 21;
  for (const std::size_t start : instructionsOf(module)) {
    if (start >= module.size() || (module[start] & 0xffff) != kOpTypeVoid) continue;
    const Words type = {4U << 16 | kOpTypeInt, module[3]++, 7, 0};
    module.insert(module.begin() + static_cast<std::ptrdiff_t>(start), type.begin(), type.end());
    return;
  }
}

Words damaged(std::uint64_t seed) {
  constexpr void (*kDamages[])(Words&, Random&) = {flipBit,   replaceWord,   swapWords,       truncate,
                                                   replaceId, replaceOpcode, copyInstruction, removeInstruction};
  Random random(seed);
  Words module = readModule(kModules[below(random, std::size(kModules))]);
  if (below(random, 2) == 0) addUnusualInteger(module);
  for (std::size_t count = 1 + below(random, 3); count > 0; --count)
    if (module.size() > kHeaderWords) kDamages[below(random, std::size(kDamages))](module, random);
  return module;
}

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
  std::uint64_t first = 0, last = 0;
  const char* output = nullptr;
  for (int i = 1; i + 1 < argc; i += 2) {
    if (std::strcmp(argv[i], "--seeds") == 0) {
      char* end = nullptr;
      first = last = std::strtoull(argv[i + 1], &end, 10);
      if (*end == '-') last = std::strtoull(end + 1, nullptr, 10);
    } else if (std::strcmp(argv[i], "--write") == 0) {
      output = argv[i + 1];
    }
  }
  if (output) {
    const Words module = damaged(first);
    std::ofstream(output, std::ios::binary)
        .write(reinterpret_cast<const char*>(module.data()),
               static_cast<std::streamsize>(module.size() * sizeof(std::uint32_t)));
    return 0;
  }
  setenv("OCL_ICD_VENDORS", CLOTHO_ICD, 0);
  Device device;
  if (!open(device)) return std::fputs("clotho-spirv-fuzz: no device\n", stderr), 1;
  std::array<std::uint64_t, 5> counts{};
  for (std::uint64_t seed = first; seed <= last; ++seed) {
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
