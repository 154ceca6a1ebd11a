// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Work-group functions that bench/nvcc/opencl.cuh gives nvcc, as the interpreter of PTX runs them.
#include "ptx/module.hpp"
#include "ptx/thread.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

namespace {

TEST(BenchHeader, WorkGroupFunctionsHoldWhereTheLastWarpHasFewLanes) {
  std::ifstream file(CLOTHO_BENCH_HEADER_PTX);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  const std::unique_ptr<ptx::Module> module = ptx::parse(text);
  for (const std::uint32_t size : {1, 5, 32, 33, 63, 65, 97, 993, 1024}) {
    std::vector<std::uint32_t> out(std::size_t{4} * size);
    const std::uint32_t* words = out.data();
    ptx::Launch launch;
    launch.module = module.get();
    launch.kernel = module->functions.find("work_group_functions")->second.get();
    launch.block = {size, 1, 1};
    launch.parameters.resize(sizeof words);
    std::memcpy(launch.parameters.data(), &words, sizeof words);
    const ptx::Fault fault = ptx::run(launch);
    ASSERT_EQ(fault.error, ptx::Error::None) << fault.text;
    std::uint32_t before = 0;
    for (std::uint32_t i = 0; i < size; ++i) { // the work-items' values are 1, 2, 3...
      ASSERT_EQ(out[4 * i], size * (size + 1) / 2) << i << " of " << size;
      ASSERT_EQ(out[4 * i + 1], before + i + 1) << i << " of " << size;
      ASSERT_EQ(out[4 * i + 2], before) << i << " of " << size;
      ASSERT_EQ(out[4 * i + 3], size) << i << " of " << size;
      before += i + 1;
    }
  }
}

} // namespace
