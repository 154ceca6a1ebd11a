// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "fake_modules.hpp"

#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <thread>

namespace fake_cuda {

namespace {

std::atomic<int> ended{0};

int number(const char* variable, int otherwise) {
  const char* text = std::getenv(variable); // NOLINT(concurrency-mt-unsafe)
  return text ? std::atoi(text) : otherwise;
}

} // namespace

std::unique_ptr<Module> loadModule(const char* text, std::string& log) {
  try {
    return std::make_unique<Module>(Module{ptx::parse(text)});
  } catch (const ptx::ParseError& error) {
    log = error.what();
    return nullptr;
  }
}

Task taskOf(const Function& function, ptx::Dimensions grid, ptx::Dimensions block, std::size_t sharedBytes,
            void** parameters) {
  static const int lostAfter = number("FAKE_CUDA_LOST_AFTER", -1);
  static const std::chrono::microseconds time(number("FAKE_CUDA_LAUNCH_US", 0));
  ptx::Launch launch;
  launch.kernel = function.code;
  launch.module = function.module.get();
  launch.grid = grid;
  launch.block = block;
  launch.sharedBytes = sharedBytes;
  for (std::size_t i = 0; i < function.code->parameters.size(); ++i) {
    const ptx::Parameter& each = function.code->parameters[i];
    launch.parameters.resize(each.offset + each.size);
    std::memcpy(launch.parameters.data() + each.offset, parameters[i], each.size);
  }
  return [launch, module = function.module] {
    if (time.count() != 0) std::this_thread::sleep_for(time);
    const ptx::Fault fault = ptx::run(launch);
    if (fault.error != ptx::Error::None) {
      std::fprintf(stderr, "fake libcuda: %s\n", fault.text.c_str());
      lostWith = static_cast<int>(fault.error);
      isLost = true;
    }
    if (++ended > lostAfter && lostAfter >= 0) isLost = true;
  };
}

int launches() { return ended; }

} // namespace fake_cuda
