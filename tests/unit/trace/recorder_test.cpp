// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "trace/recorder.hpp"

#include "base/clock.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <cstdio>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

namespace clotho::trace {

namespace {

class RecorderTest : public testing::Test {
 protected:
  ~RecorderTest() override { std::remove(path_.c_str()); }

  std::string contents() const {
    std::stringstream text;
    text << std::ifstream(path_).rdbuf();
    return text.str();
  }
  static std::size_t count(const std::string& text, const std::string& what) {
    std::size_t found = 0;
    for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1))
      ++found;
    return found;
  }

  const std::string path_ = testing::TempDir() + "clotho-trace-recorder-" +
                            testing::UnitTest::GetInstance()->current_test_info()->name() + ".json";
};

TEST_F(RecorderTest, ManyThreadsLoseNothing) {
  constexpr int kThreads = 8, kEach = 20'000;
  Recorder recorder(path_);
  const NameId name = recorder.registry().nameOf("step");
  std::atomic<bool> isOver{false};
  std::thread writer([&] {
    while (!isOver)
      recorder.flush();
  });
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t)
    threads.emplace_back([&] {
      for (int i = 0; i < kEach; ++i)
        recorder.add(Span{.begin = hostTime(), .end = hostTime(), .name = name});
    });
  for (std::thread& thread : threads)
    thread.join();
  isOver = true;
  writer.join();
  recorder.flush();
  const std::string text = contents();
  EXPECT_EQ(count(text, "\"name\":\"step\""), std::size_t{kThreads} * kEach);
  EXPECT_EQ(count(text, "thread_name"), std::size_t{kThreads});
  EXPECT_TRUE(text.ends_with("\n]\n"));
}

TEST_F(RecorderTest, EventsOfAThreadKeepTheirOrder) {
  Recorder recorder(path_);
  for (int i = 0; i < 3000; ++i)
    recorder.add(Instant{.at = hostTime(), .name = recorder.registry().nameOf("number " + std::to_string(i) + ".")});
  recorder.flush();
  const std::string text = contents();
  std::size_t last = 0;
  for (int i = 0; i < 3000; ++i) {
    const std::size_t at = text.find("number " + std::to_string(i) + ".");
    ASSERT_NE(at, std::string::npos) << i;
    ASSERT_LT(last, at);
    last = at;
  }
}

TEST_F(RecorderTest, ThreadsThatEndLeaveNoLogs) {
  Recorder recorder(path_, /*mostChunks=*/4); // each log has one
  const NameId name = recorder.registry().nameOf("once");
  for (int i = 0; i < 500; ++i) {
    std::thread([&] { recorder.add(Instant{.at = hostTime(), .name = name}); }).join();
    recorder.flush();
  }
  EXPECT_EQ(count(contents(), "\"name\":\"once\""), 500u);
}

TEST_F(RecorderTest, WhatThereIsNoRoomForIsCounted) {
  Recorder recorder(path_, /*mostChunks=*/4);
  const NameId name = recorder.registry().nameOf("flood");
  constexpr std::size_t kMore = std::size_t{4} * Chunk::kRecords + 1000;
  for (std::size_t i = 0; i < kMore; ++i)
    recorder.add(Instant{.at = 1, .name = name});
  const std::string summary = recorder.finish();
  EXPECT_NE(summary.find("1000 were lost"), std::string::npos) << summary;
  EXPECT_NE(contents().find("\"lost\":1000"), std::string::npos);
}

TEST_F(RecorderTest, AnEventTakesLittleRoom) {
  Recorder recorder(path_);
  const int device = 0;
  const std::uint32_t queue = recorder.registry().addQueue(&device, "a CPU", "in order");
  const NameId name = recorder.registry().nameOf("transpose");
  constexpr std::uint64_t kApart = 11'000;
  const std::uint64_t begin = hostTime() + 60'000;
  for (std::uint32_t i = 1; i <= 10'000; ++i) {
    const std::uint64_t at = begin + i * kApart;
    recorder.add(CommandRun{.queued = at - 55'123,
                            .submitted = at - 55'123,
                            .started = at,
                            .ended = at + 10'000,
                            .amount = 1 << 20,
                            .id = {queue, i},
                            .name = name,
                            .isLaunch = true,
                            .ranHere = true});
  }
  std::this_thread::sleep_for(std::chrono::milliseconds(150)); // records of the future are not written
  const std::string summary = recorder.finish();
  const std::string text = contents();
  EXPECT_EQ(count(text, "\"ph\":\"X\""), 20'000) << summary;
  EXPECT_LT(static_cast<double>(text.size()) / 20'000, 100) << summary;
}

TEST_F(RecorderTest, WhatIsNotWrittenIsFreed) {
  Recorder recorder(path_);
  const std::uint64_t later = hostTime() + 3'600'000'000'000;
  for (std::uint32_t i = 0; i < 3 * Chunk::kRecords; ++i)
    recorder.add(Instant{.at = later, .name = {}});
  recorder.finish(); // the address sanitizer sees what is left
  EXPECT_EQ(count(contents(), "\"ph\":\"i\""), 0);
}

} // namespace

} // namespace clotho::trace
