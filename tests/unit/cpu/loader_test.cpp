// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "device/cpu/program_loader.hpp"

#include "base/error.hpp"
#include "base/text_file.hpp"
#include "device/cpu/code_ranges.hpp"
#include "support.hpp"

#include <gtest/gtest.h>

#include <dlfcn.h>
#include <filesystem>
#include <memory>
#include <thread>
#include <unistd.h>
#include <vector>

namespace clotho::cpu {
namespace {

WorkGroupFunction* functionOf(const LoadedProgram& program, std::string_view name) {
  return static_cast<const CpuKernel*>(program.kernel(name))->function();
}

std::uint64_t callCount(const LoadedProgram& program) {
  std::uint64_t out = 0;
  TestArgs args{&out, 0};
  LaunchParams params = testParams(args, 1);
  WorkerContext context{};
  functionOf(program, "count")(&params, &context, 0, 1);
  return out;
}

std::uintptr_t addressOf(WorkGroupFunction* function) { return reinterpret_cast<std::uintptr_t>(function); }

std::size_t openDescriptors() {
  auto folder = std::filesystem::directory_iterator("/proc/self/fd");
  return static_cast<std::size_t>(std::distance(begin(folder), end(folder)));
}

TEST(Loader, FromAFileAndFromMemory) {
  for (bool inMemory : {false, true}) {
    LoadedProgram program(testBuild(inMemory));
    EXPECT_EQ(program.kernel("absent"), nullptr);
    ASSERT_NE(program.kernel("add_number"), nullptr);
    EXPECT_EQ(program.kernel("add_number")->info().name, "add_number");
    std::uint64_t out[4] = {1, 2, 3, 4};
    TestArgs args{out, 10};
    LaunchParams params = testParams(args, 4);
    WorkerContext context{};
    functionOf(program, "add_number")(&params, &context, 1, 3);
    EXPECT_EQ(out[0], 1u);
    EXPECT_EQ(out[1], 12u);
    EXPECT_EQ(out[2], 13u);
    EXPECT_EQ(context.currentGroup, 2u);
  }
}

TEST(Loader, CodeIsKnownWhileItIsLoaded) {
  std::uintptr_t address;
  {
    LoadedProgram program(testBuild(true));
    address = addressOf(functionOf(program, "count"));
    EXPECT_TRUE(isKernelCode(address));
    EXPECT_FALSE(isKernelCode(reinterpret_cast<std::uintptr_t>(&dlopen)));
    StringMemory strings = program.strings();
    EXPECT_LT(strings.begin, address);
    EXPECT_GT(strings.end, address);
  }
  EXPECT_FALSE(isKernelCode(address));
}

TEST(Loader, SharedCodeStaysKnownUntilItsLastProgramGoes) {
  auto first = std::make_unique<LoadedProgram>(testBuild(false));
  auto second = std::make_unique<LoadedProgram>(testBuild(false));
  EXPECT_EQ(functionOf(*first, "count"), functionOf(*second, "count"));
  std::uintptr_t address = addressOf(functionOf(*second, "count"));
  first.reset();
  EXPECT_TRUE(isKernelCode(address));
  EXPECT_GT(callCount(*second), 0u);
}

TEST(Loader, EveryLoadFromMemoryIsANewOne) {
  std::size_t before = openDescriptors();
  std::vector<std::unique_ptr<LoadedProgram>> programs;
  for (int i = 0; i < 20; ++i) {
    programs.push_back(std::make_unique<LoadedProgram>(testBuild(true)));
    EXPECT_EQ(callCount(*programs.back()), 1u);
    EXPECT_EQ(callCount(*programs.back()), 2u);
    if (i % 3 == 0) programs.erase(programs.begin());
  }
  // These kernels have debug information: a debugger finds it by a descriptor, which is open while the program is
  // there.
  EXPECT_EQ(openDescriptors(), before + programs.size());
  programs.clear();
  EXPECT_EQ(openDescriptors(), before);
}

TEST(Loader, ProgramsWithVariablesHaveTheirOwn) {
  auto built = testBuild(false);
  built->hasProgramScopeVariables = true;
  LoadedProgram first(built), second(built);
  EXPECT_EQ(callCount(first), 1u);
  EXPECT_EQ(callCount(second), 1u);
  EXPECT_EQ(callCount(first), 2u);
}

TEST(Loader, AFileThatIsGoneIsNoLossWhileTheObjectIsThere) {
  auto built = testBuild(true);
  built->objectPath = "/nonexistent/object.so";
  LoadedProgram program(built);
  EXPECT_EQ(callCount(program), 1u);
}

// A user with the right to rename a folder on the way to the cache puts another object where the verified one was.
TEST(Loader, AFileThatHoldsAnotherObjectIsNotLoaded) {
  auto built = testBuild(true);
  built->objectPath = CLOTHO_TEST_OTHER_ABI;
  LoadedProgram program(built);
  EXPECT_EQ(callCount(program), 1u);
}

TEST(Loader, AFileThatOthersMayWriteToIsNotLoaded) {
  auto built = testBuild(true);
  const auto shared = std::filesystem::temp_directory_path() / ("clotho-loader-test-" + std::to_string(getpid()));
  std::filesystem::copy_file(CLOTHO_TEST_KERNELS, shared, std::filesystem::copy_options::overwrite_existing);
  std::filesystem::permissions(shared, std::filesystem::perms(0777));
  built->objectPath = shared;
  {
    // Each load from memory has variables of its own; programs that are loaded from one file share them.
    LoadedProgram first(built), second(built);
    EXPECT_EQ(callCount(first), 1u);
    EXPECT_EQ(callCount(second), 1u);
  }
  std::filesystem::remove(shared);
}

TEST(Loader, TheFileIsWhatProfilersSee) {
  LoadedProgram program(testBuild(false));
  EXPECT_NE(readTextFile("/proc/self/maps").find(CLOTHO_TEST_KERNELS), std::string::npos);
}

TEST(Loader, ManyThreadsLoadAtOnce) {
  std::vector<std::thread> threads;
  for (int t = 0; t < 8; ++t)
    threads.emplace_back([] {
      for (int i = 0; i < 10; ++i) {
        LoadedProgram program(testBuild(i % 2 != 0));
        EXPECT_TRUE(isKernelCode(addressOf(functionOf(program, "count"))));
      }
    });
  for (std::thread& thread : threads)
    thread.join();
}

cl_int loadError(const std::shared_ptr<BuildResult>& built) {
  try {
    LoadedProgram program(built);
  } catch (const Error& error) {
    return error.code;
  }
  return CL_SUCCESS;
}

TEST(Loader, BadObjectsAreErrors) {
  auto damaged = testBuild(true);
  damaged->object.resize(100);
  EXPECT_EQ(loadError(damaged), CL_OUT_OF_RESOURCES);
  auto incomplete = testBuild(false);
  CpuKernelFacts facts;
  facts.symbol = "no_such_symbol";
  incomplete->kernels.front().facts = encodeFacts(facts);
  EXPECT_EQ(loadError(incomplete), CL_INVALID_BINARY);
  auto other = testBuild(false);
  other->kernels.resize(1);
  other->object = readTextFile(CLOTHO_TEST_OTHER_ABI);
  other->objectPath = CLOTHO_TEST_OTHER_ABI;
  EXPECT_EQ(loadError(other), CL_INVALID_BINARY);
  // What has not been read and verified is not loaded, wherever it lies.
  auto absent = testBuild(false);
  absent->object.clear();
  EXPECT_EQ(loadError(absent), CL_OUT_OF_RESOURCES);
}

TEST(Loader, AProgramWithoutKernelsNeedsNoObject) {
  LoadedProgram program(std::make_shared<BuildResult>());
  EXPECT_EQ(program.kernel("x"), nullptr);
}

TEST(Loader, CostsRiseAtOnceAndFallSlowly) {
  LoadedProgram program(testBuild(false));
  const auto& kernel = *static_cast<const CpuKernel*>(program.kernel("count"));
  EXPECT_EQ(kernel.itemCost(), 0u);
  kernel.learnCost(100, CpuKernel::kCostScale);
  EXPECT_EQ(kernel.itemCost(), 100u);
  kernel.learnCost(1000, CpuKernel::kCostScale);
  EXPECT_EQ(kernel.itemCost(), 1000u);
  kernel.learnCost(0, CpuKernel::kCostScale);
  EXPECT_EQ(kernel.itemCost(), 750u);
  for (int i = 0; i < 100; ++i)
    kernel.learnCost(0, CpuKernel::kCostScale);
  EXPECT_GE(kernel.itemCost(), 1u);
}

TEST(CodeRanges, MoreThanOneBlock) {
  constexpr std::uintptr_t kBase = std::uintptr_t{1} << 60;
  for (std::uintptr_t i = 0; i < 300; ++i)
    ASSERT_TRUE(addCodeRange(kBase + i * 0x1000, kBase + i * 0x1000 + 0x800));
  for (std::uintptr_t i = 0; i < 300; ++i) {
    EXPECT_TRUE(isKernelCode(kBase + i * 0x1000));
    EXPECT_TRUE(isKernelCode(kBase + i * 0x1000 + 0x7ff));
    EXPECT_FALSE(isKernelCode(kBase + i * 0x1000 + 0x800));
  }
  for (std::uintptr_t i = 0; i < 300; ++i)
    removeCodeRange(kBase + i * 0x1000);
  for (std::uintptr_t i = 0; i < 300; ++i)
    EXPECT_FALSE(isKernelCode(kBase + i * 0x1000));
}

// Programs that share a cached object register the same range; threads may release them at once.
TEST(CodeRanges, EqualRangesGoOneByOne) {
  constexpr std::uintptr_t kShared = 0x7000'0000'0000, kSize = 0x800;
  std::vector<std::thread> threads;
  for (std::uintptr_t t = 0; t < 4; ++t)
    threads.emplace_back([t] {
      const std::uintptr_t own = kShared + (t + 1) * 0x10000;
      int lost = 0;
      for (int i = 0; i < 30000; ++i) {
        addCodeRange(kShared, kShared + kSize);
        addCodeRange(own, own + kSize);
        removeCodeRange(kShared);
        lost += !isKernelCode(own);
        removeCodeRange(own);
      }
      EXPECT_EQ(lost, 0) << "another's removal took this range away";
    });
  for (std::thread& thread : threads)
    thread.join();
  for (std::uintptr_t range = 0; range <= 4; ++range)
    EXPECT_FALSE(isKernelCode(kShared + range * 0x10000)) << "a range is left behind";
}

} // namespace
} // namespace clotho::cpu
