// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Kernels that are run for long are built at other widths and put on trial. Each launch has the same results, whatever
// code runs it. The driver keeps what it builds in a folder of this test's own.
#include "cached_builds.hpp"
#include "fixture.hpp"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <thread>

namespace clotho::test {

namespace {

class WidthsTest : public Api {
 protected:
  static constexpr size_t kItems = 1 << 15, kLocal = 64;
  static constexpr std::chrono::seconds kMost{60};

  static void SetUpTestSuite() {
    std::filesystem::remove_all(cacheFolder());
    Api::SetUpTestSuite();
  }
  /// Runs the kernel until there have been so many builds beside the first, or for `most`, and compares each result
  /// with the first; how many builds there have been.
  std::ptrdiff_t run(const char* source, std::ptrdiff_t builds, std::chrono::seconds most,
                     const std::string& options = "") {
    Owned<cl_kernel> kernel = makeKernel(source, "k", ("-cl-std=CL3.0 " + options).c_str());
    // What another test's kernel has last asked for may still be built.
    auto general = cachedBuilds();
    for (std::ptrdiff_t before = -1; before != general; general = cachedBuilds()) {
      before = general;
      std::this_thread::sleep_for(std::chrono::seconds(1));
    }
    Owned<cl_mem> out = makeBuffer(kItems * sizeof(float));
    cl_mem raw = out;
    EXPECT_EQ(clSetKernelArg(kernel, 0, sizeof raw, &raw), CL_SUCCESS);
    std::vector<cl_uint> first(kItems), now(kItems); // by their bits
    const auto launch = [&](std::vector<cl_uint>& result) {
      const size_t global = kItems, local = kLocal;
      EXPECT_EQ(clEnqueueNDRangeKernel(queue_, kernel, 1, nullptr, &global, &local, 0, nullptr, nullptr), CL_SUCCESS);
      EXPECT_EQ(clEnqueueReadBuffer(queue_, out, CL_TRUE, 0, kItems * 4, result.data(), 0, nullptr, nullptr),
                CL_SUCCESS);
    };
    launch(first);
    const auto end = std::chrono::steady_clock::now() + most;
    int launches = 0;
    do {
      launch(now);
      ++launches;
      EXPECT_EQ(now, first) << "launch " << launches;
    } while (now == first && cachedBuilds() - general < builds && std::chrono::steady_clock::now() < end);
    // Launches of the code that was built last have the same results, too.
    for (int more = 0; more < 50 && now == first; ++more)
      launch(now);
    EXPECT_EQ(now, first) << "afterwards";
    return cachedBuilds() - general;
  }
};

TEST_F(WidthsTest, LaunchesHaveTheSameResults) {
  // Lanes of different patience, functions of the library, and a barrier.
  EXPECT_GE(run("kernel void k(global float* out) {"
                "  size_t i = get_global_id(0), l = get_local_id(0);"
                "  local float data[64];"
                "  float x = i * 1e-3f;"
                "  for (int n = 0; n < 200 + (int)(i % 7) * 20; ++n) x = sin(x) * 1.5f + cbrt(fabs(x)) / (x + 3.0f);"
                "  data[l] = x;"
                "  barrier(CLK_LOCAL_MEM_FENCE);"
                "  for (int d = 32; d > 0; d /= 2) {"
                "    float y = data[l ^ d];"
                "    barrier(CLK_LOCAL_MEM_FENCE);"
                "    data[l] += y * 0.3f;"
                "    barrier(CLK_LOCAL_MEM_FENCE);"
                "  }"
                "  out[i] = data[l] + exp(x * 0.01f);"
                "}",
                3, kMost),
            3)
      << "one for the local size and two widths";
}

TEST_F(WidthsTest, KernelsWithoutBarriersHaveThem) {
  EXPECT_GE(run("kernel void k(global float* out) {"
                "  size_t i = get_global_id(0);"
                "  float x = i;"
                "  for (int n = 0; n < 300; ++n) x = log(x + 1.5f) * cbrt(x) + fmod(x, 0.3f);"
                "  out[i] = x;"
                "}",
                2, kMost),
            2);
}

/// Relaxed arithmetic may be done otherwise in vectors.
TEST_F(WidthsTest, RelaxedArithmeticKeepsIt) {
  EXPECT_EQ(run("kernel void k(global float* out) {"
                "  size_t i = get_global_id(0);"
                "  float x = i;"
                "  for (int n = 0; n < 300; ++n) x = x / (x * 0.7f + 1.3f) + x * 0.9f + n;"
                "  out[i] = x;"
                "}",
                2, std::chrono::seconds(3), "-cl-fast-relaxed-math"),
            0);
}

/// Code that knows the local size would add in another order, and round products of known numbers.
TEST_F(WidthsTest, RelaxedArithmeticHasNoVersions) {
  EXPECT_EQ(run("kernel void k(global float* out) {"
                "  size_t l = get_local_id(0), n = get_local_size(0), g = get_group_id(0);"
                "  float s = 0;"
                "  for (int k = 0; k < n; ++k) s += sin((float)(g * n + k)) * 0.37f + (float)n * 0.1f;"
                "  out[g * n + l] = s * (float)n * 0.17f + l;"
                "}",
                1, std::chrono::seconds(3), "-cl-fast-relaxed-math"),
            0);
}

/// What sub-groups do depends on how wide they are.
TEST_F(WidthsTest, ProgramsThatKnowTheWidthKeepIt) {
  EXPECT_EQ(run("kernel void k(global float* out) {"
                "  size_t i = get_global_id(0);"
                "  float x = i;"
                "  for (int n = 0; n < 300; ++n) x = work_group_reduce_add(log(x + 1.5f) * cbrt(x)) * 1e-3f;"
                "  out[i] = x;"
                "}",
                2, std::chrono::seconds(4)),
            0);
}

/// A loop by an argument, between barriers: there are versions for the local size, and for values.
constexpr const char* kRounds = "kernel void k(global float* out, local float* tmp, int rounds) {"
                                "  size_t i = get_global_id(0), l = get_local_id(0);"
                                "  float x = i * 0.25f;"
                                "  for (int n = 0; n < rounds; ++n) {"
                                "    tmp[l] = x;"
                                "    barrier(CLK_LOCAL_MEM_FENCE);"
                                "    x = x * 0.5f + tmp[l ^ 1] / (n + 3.0f);"
                                "    barrier(CLK_LOCAL_MEM_FENCE);"
                                "  }"
                                "  out[i] = x;"
                                "}";

class ArgumentValuesTest : public WidthsTest {
 protected:
  void prepare(cl_kernel kernel, cl_mem out) {
    EXPECT_EQ(clSetKernelArg(kernel, 0, sizeof(void*), static_cast<const void*>(&out)), CL_SUCCESS);
    EXPECT_EQ(clSetKernelArg(kernel, 1, kLocal * sizeof(float), nullptr), CL_SUCCESS);
  }
  void enqueue(cl_kernel kernel, cl_int rounds) {
    const size_t global = kItems, local = kLocal;
    EXPECT_EQ(clSetKernelArg(kernel, 2, sizeof rounds, &rounds), CL_SUCCESS);
    EXPECT_EQ(clEnqueueNDRangeKernel(queue_, kernel, 1, nullptr, &global, &local, 0, nullptr, nullptr), CL_SUCCESS);
  }
};

TEST_F(ArgumentValuesTest, LaunchesHaveTheSameResults) {
  Owned<cl_kernel> kernel = makeKernel(kRounds, "k", "-cl-std=CL3.0");
  Owned<cl_mem> out = makeBuffer(kItems * sizeof(float));
  prepare(kernel, out);
  const auto general = cachedBuilds();
  std::map<cl_int, std::vector<cl_uint>> first;
  std::vector<cl_uint> now(kItems);
  const auto end = std::chrono::steady_clock::now() + kMost;
  bool areSame = true;
  // More values than there are versions for, two of them most of the time.
  for (int i = 0; areSame && cachedBuilds() - general < 4 && std::chrono::steady_clock::now() < end; ++i) {
    const cl_int rounds = i % 100 == 99 ? i / 100 % 9 : i / 100 % 2 == 0 ? 24 : 9;
    enqueue(kernel, rounds);
    EXPECT_EQ(clEnqueueReadBuffer(queue_, out, CL_TRUE, 0, kItems * 4, now.data(), 0, nullptr, nullptr), CL_SUCCESS);
    areSame = first.try_emplace(rounds, now).first->second == now;
    EXPECT_TRUE(areSame) << rounds << " rounds, launch " << i;
  }
  EXPECT_GE(cachedBuilds() - general, 3) << "one for the local size, and one for each of two values";
}

/// Neither versions, nor what the first build leaves out.
TEST_F(ArgumentValuesTest, RelaxedArithmeticHasOneCode) {
  for (const char* options : {"-cl-fast-relaxed-math", "-cl-mad-enable"}) {
    Owned<cl_kernel> kernel = makeKernel(kRounds, "k", (std::string("-cl-std=CL3.0 ") + options).c_str());
    Owned<cl_mem> out = makeBuffer(kItems * sizeof(float));
    prepare(kernel, out);
    auto general = cachedBuilds();
    // Builds of tests before this one may still be under way.
    for (int quiet = 0; quiet < 10; ++quiet) {
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
      if (const auto now = cachedBuilds(); now != general) {
        general = now;
        quiet = 0;
      }
    }
    std::vector<cl_uint> first, now(kItems);
    const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(3);
    while (std::chrono::steady_clock::now() < end) {
      enqueue(kernel, 24);
      ASSERT_EQ(clEnqueueReadBuffer(queue_, out, CL_TRUE, 0, kItems * 4, now.data(), 0, nullptr, nullptr), CL_SUCCESS);
      if (first.empty()) first = now;
      ASSERT_EQ(now, first) << options;
    }
    EXPECT_EQ(cachedBuilds(), general) << options;
  }
}

/// Whatever is built or on trial then; launches may still run.
TEST_F(ArgumentValuesTest, ProgramsEndAtAnyTime) {
  Owned<cl_mem> out = makeBuffer(kItems * sizeof(float));
  for (int time = 100; time <= 1300; time += 200) {
    const std::string source = kRounds + ("// " + std::to_string(time));
    Owned<cl_kernel> kernel = makeKernel(source.c_str(), "k", "-cl-std=CL3.0");
    prepare(kernel, out);
    const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(time);
    for (int i = 0; std::chrono::steady_clock::now() < end; ++i) {
      enqueue(kernel, 20 + i % 2);
      if (i % 8 == 7) EXPECT_EQ(clFinish(queue_), CL_SUCCESS);
    }
  }
  EXPECT_EQ(clFinish(queue_), CL_SUCCESS);
}

} // namespace

} // namespace clotho::test
