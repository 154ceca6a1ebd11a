// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A program whose kernel gains by a version and by another width: tuned.py runs it again and again, and looks at what
// the driver says of it. It keeps its builds in a folder of its own.
#include "cached_builds.hpp"
#include "compiler/client/tuning_records.hpp"
#include "fixture.hpp"

#include <chrono>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <optional>
#include <set>
#include <thread>
#include <vector>

namespace clotho::test {

namespace {

class TunedTest : public Api {
 protected:
  static constexpr size_t kItems = 1 << 15, kLocal = 64;

  static void SetUpTestSuite() {
    startsBefore_ = starts();
    Api::SetUpTestSuite();
  }
  void SetUp() override {
    Api::SetUp();
    if (IsSkipped()) return;
    // Between barriers, and with lanes of different patience, so that narrow code is slow.
    kernel_ = makeKernel("kernel void k(global float* out) {"
                         "  size_t i = get_global_id(0), l = get_local_id(0);"
                         "  local float data[64];"
                         "  float x = i * 1e-3f;"
                         "  for (int n = 0; n < 40; ++n) {"
                         "    data[l] = x;"
                         "    barrier(CLK_LOCAL_MEM_FENCE);"
                         "    for (int d = get_local_size(0) / 2; d > 0; d /= 2) {"
                         "      float y = data[l ^ d];"
                         "      barrier(CLK_LOCAL_MEM_FENCE);"
                         "      data[l] = data[l] * 0.7f + y * 0.3f;"
                         "      barrier(CLK_LOCAL_MEM_FENCE);"
                         "    }"
                         "    x = data[l] + n;"
                         "  }"
                         "  out[i] = x;"
                         "}",
                         "k", "-cl-std=CL3.0");
    out_ = makeBuffer(kItems * sizeof(float));
    cl_mem raw = out_;
    ASSERT_EQ(clSetKernelArg(kernel_, 0, sizeof raw, &raw), CL_SUCCESS);
    first_ = launch();
  }
  std::vector<cl_uint> launch() {
    const size_t global = kItems, local = kLocal;
    std::vector<cl_uint> result(kItems); // by their bits
    EXPECT_EQ(clEnqueueNDRangeKernel(queue_, kernel_, 1, nullptr, &global, &local, 0, nullptr, nullptr), CL_SUCCESS);
    EXPECT_EQ(clEnqueueReadBuffer(queue_, out_, CL_TRUE, 0, kItems * 4, result.data(), 0, nullptr, nullptr),
              CL_SUCCESS);
    return result;
  }
  /// What is kept for these launches; a value without a kernel, if nothing is.
  static TunedCode known() {
    for (const TuningRecords::File& file : TuningRecords(cacheFolder()).all())
      for (const TunedCode& code : file.codes)
        if (code.kernel == "k" && code.version.local) return code;
    return {};
  }
  /// Processes that have begun with what is kept.
  static std::uint32_t starts() {
    std::uint32_t count = 0;
    for (const TuningRecords::File& file : TuningRecords(cacheFolder()).all())
      count += file.starts;
    return count;
  }
  /// Shared objects of the folder that are loaded.
  static std::set<std::string> loaded() {
    std::set<std::string> files;
    std::ifstream maps("/proc/self/maps");
    for (std::string line; std::getline(maps, line);)
      if (const auto at = line.find(cacheFolder()); at != std::string::npos) files.insert(line.substr(at));
    return files;
  }

  static inline std::uint32_t startsBefore_ = 0;
  Owned<cl_kernel> kernel_;
  Owned<cl_mem> out_;
  std::vector<cl_uint> first_;
};

/// Whether the version wins is known soon; the best width may take longer on a busy machine.
TEST_F(TunedTest, RunsUntilItIsKnown) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  while (!known().isWidthKnown && std::chrono::steady_clock::now() < end)
    for (int i = 0; i < 50; ++i)
      ASSERT_EQ(launch(), first_);
  EXPECT_NE(known().verdict, TunedCode::Verdict::Open);
  EXPECT_GE(loaded().size(), 1U);
  // What lost its trial is unloaded: what the program was built with is left, and what launches run now.
  if (known().isWidthKnown) EXPECT_LE(loaded().size(), 2U);
}

TEST_F(TunedTest, RunsForAMoment) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(2);
  while (std::chrono::steady_clock::now() < end)
    ASSERT_EQ(launch(), first_);
}

TEST_F(TunedTest, RunsOnce) { EXPECT_EQ(launch(), first_); }

/// In the background, whatever is known of the kernel.
TEST_F(TunedTest, IsCounted) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  while (starts() == startsBefore_ && std::chrono::steady_clock::now() < end)
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  EXPECT_EQ(starts(), startsBefore_ + 1);
}

/// Not a test of its own: sets how many processes have begun with the only record, and what it says of the version.
class TunedRecordTest : public testing::Test {
 protected:
  static void change(std::uint32_t starts, std::optional<TunedCode::Verdict> verdict) {
    std::string path;
    for (const auto& entry : std::filesystem::directory_iterator(cacheFolder()))
      if (entry.path().extension() == ".tuned") path = entry.path();
    std::ifstream in(path, std::ios::binary);
    const std::string bytes{std::istreambuf_iterator<char>(in), {}};
    auto file = TuningRecords::decode(nullptr, bytes);
    ASSERT_TRUE(file.has_value());
    file->starts = starts;
    for (TunedCode& code : file->codes) {
      if (verdict) code.verdict = *verdict;
      if (verdict == TunedCode::Verdict::Dropped) code.width = 0;
    }
    BuildKey key;
    static_assert(sizeof key.words == 16);
    constexpr std::size_t kKeyOffset = 12;
    std::memcpy(key.words, bytes.data() + kKeyOffset, sizeof key.words);
    const std::string changed = TuningRecords::encode(key, *file);
    std::ofstream(path, std::ios::binary).write(changed.data(), static_cast<std::streamsize>(changed.size()));
  }
};

TEST_F(TunedRecordTest, OneMoreBeforeATryAgain) { change(TuningRecords::kStarts - 2, std::nullopt); }
TEST_F(TunedRecordTest, TryAgainIsNext) { change(TuningRecords::kStarts - 1, std::nullopt); }
TEST_F(TunedRecordTest, SaysThatVersionsLose) { change(TuningRecords::kStarts - 2, TunedCode::Verdict::Dropped); }

} // namespace

} // namespace clotho::test
