// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "trace/event_writer.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace clotho::trace {

namespace {

/// Events that a test writes, one a line.
class EventWriterTest : public testing::Test {
 protected:
  std::vector<std::string> lines() {
    std::vector<std::string> result;
    const std::string text(writer_.text());
    for (std::size_t begin = 0; begin < text.size();) {
      const std::size_t end = text.find(",\n", begin);
      result.push_back(text.substr(begin, end - begin));
      begin = end + 2;
    }
    writer_.clearText();
    return result;
  }
  /// Without those that name processes and tracks.
  std::vector<std::string> events() {
    std::vector<std::string> all = lines();
    std::erase_if(all, [](const std::string& line) { return line.find("\"ph\":\"M\"") != std::string::npos; });
    return all;
  }
  void write(const Record& record) { writer_.write({thread_, "worker"}, record); }

  Registry registry_;
  const std::uint32_t thread_ = registry_.newTrack();
  const NameId saxpy_ = registry_.nameOf("saxpy");
  const int device_ = 0;
  const std::uint32_t queue_ = registry_.addQueue(&device_, "a CPU", "out of order");
  EventWriter writer_{registry_, 1'000'000, "program"};
};

TEST_F(EventWriterTest, CommandHasFourTimes) {
  lines();
  write(CommandRun{.queued = 1'500'000,
                   .submitted = 1'500'250,
                   .started = 2'000'000,
                   .ended = 2'001'001,
                   .amount = 1024,
                   .id = {queue_, 1},
                   .name = saxpy_,
                   .isLaunch = true});
  EXPECT_EQ(events(), std::vector<std::string>{R"({"ph":"X","pid":2,"tid":2,"ts":1000.000,"dur":1.001,"name":"saxpy",)"
                                               R"("args":{"queued":500.000,"submit":499.750,"items":1024}})"});
}

TEST_F(EventWriterTest, TracksAreNamedOnce) {
  EXPECT_EQ(lines(), std::vector<std::string>{
                         R"({"ph":"M","pid":1,"name":"process_name","args":{"name":"program","clock":1000000}})"});
  write(Span{.begin = 1'000'000, .end = 1'000'500, .name = registry_.nameOf("clFinish")});
  write(Span{.begin = 1'000'600, .end = 1'000'700, .name = registry_.nameOf("build"), .detail = saxpy_});
  EXPECT_EQ(lines(), (std::vector<std::string>{
                         R"({"ph":"M","pid":1,"tid":1,"name":"thread_name","args":{"name":"worker"}})",
                         R"({"ph":"M","pid":1,"tid":1,"name":"thread_sort_index","args":{"sort_index":1}})",
                         R"({"ph":"X","pid":1,"tid":1,"ts":0.000,"dur":0.500,"name":"clFinish"})",
                         R"({"ph":"X","pid":1,"tid":1,"ts":0.600,"dur":0.100,"name":"build","args":{"of":"saxpy"}})"}));
}

TEST_F(EventWriterTest, CommandThatRanOnItsThreadIsThereToo) {
  write(CommandRun{.queued = 1'000'000,
                   .submitted = 1'000'000,
                   .started = 1'000'100,
                   .ended = 1'000'200,
                   .id = {queue_, 1},
                   .name = saxpy_,
                   .ranHere = true});
  const std::vector<std::string> seen = events();
  ASSERT_EQ(seen.size(), 2u);
  EXPECT_NE(seen[0].find("\"pid\":2"), std::string::npos);
  EXPECT_EQ(seen[1], R"({"ph":"X","pid":1,"tid":1,"ts":0.100,"dur":0.100,"name":"saxpy"})");
}

TEST_F(EventWriterTest, CommandsThatOverlapHaveLinesOfTheirOwn) {
  const auto run = [&](std::uint32_t place, std::uint64_t begin, std::uint64_t end) {
    write(CommandRun{
        .queued = begin, .submitted = begin, .started = begin, .ended = end, .id = {queue_, place}, .name = saxpy_});
  };
  run(1, 2'000'000, 3'000'000);
  run(2, 2'500'000, 3'500'000);
  run(3, 3'000'000, 4'000'000);
  const std::vector<std::string> seen = events();
  ASSERT_EQ(seen.size(), 3u);
  EXPECT_NE(seen[0].find("\"tid\":2,"), std::string::npos);
  EXPECT_NE(seen[1].find("\"tid\":3,"), std::string::npos);
  EXPECT_NE(seen[2].find("\"tid\":2,"), std::string::npos);
}

TEST_F(EventWriterTest, ArrowsJoinTheRightLines) {
  const auto run = [&](std::uint32_t place, std::uint64_t begin, std::uint64_t end) {
    write(CommandRun{
        .queued = begin, .submitted = begin, .started = begin, .ended = end, .id = {queue_, place}, .name = saxpy_});
  };
  run(1, 2'000'000, 3'000'000);
  run(2, 2'500'000, 3'500'000);
  write(Arrow{.at = 3'500'000, .from = {queue_, 2}, .to = {queue_, 3}});
  run(3, 4'000'000, 5'000'000);
  write(Arrow{.at = 4'000'000, .from = {queue_, 2}, .to = {queue_, 3}, .isHead = true});
  std::vector<std::string> seen = events();
  std::erase_if(seen, [](const std::string& line) { return line.find("\"ph\":\"X\"") != std::string::npos; });
  ASSERT_EQ(seen.size(), 2u);
  EXPECT_TRUE(seen[0].starts_with(R"({"ph":"s","pid":2,"tid":3,"ts":2499.999,)")) << seen[0];
  EXPECT_TRUE(seen[1].starts_with(R"({"ph":"f","pid":2,"tid":2,"ts":3000.000,"bp":"e",)")) << seen[1];
  const auto id = [](const std::string& line) { return line.substr(line.find("\"id\"")); };
  EXPECT_EQ(id(seen[0]), id(seen[1]));
}

TEST_F(EventWriterTest, FailedCommandsSaySo) {
  write(CommandRun{.queued = 1'000'000,
                   .submitted = 1'000'000,
                   .ended = 1'200'000,
                   .id = {queue_, 1},
                   .name = saxpy_,
                   .status = -14});
  const std::vector<std::string> seen = events();
  ASSERT_EQ(seen.size(), 1u);
  EXPECT_NE(seen[0].find("\"ts\":200.000,\"dur\":0.000"), std::string::npos) << seen[0];
  EXPECT_NE(seen[0].find("\"error\":-14"), std::string::npos) << seen[0];
}

TEST_F(EventWriterTest, WhatIsCountedIsTold) {
  write(CommandRun{.queued = 1'000'000,
                   .submitted = 1'000'000,
                   .started = 1'000'000,
                   .ended = 1'200'000,
                   .amount = 8,
                   .id = {queue_, 1},
                   .name = saxpy_,
                   .version = registry_.nameOf("width=16"),
                   .flops = 2.5e9F,
                   .bytes = 96,
                   .isLaunch = true});
  write(Share{.begin = 1'000'000,
              .end = 1'000'001,
              .name = saxpy_,
              .units = 4,
              .counters = {.cycles = 100, .instructions = 250, .cacheMisses = 3}});
  const std::vector<std::string> seen = events();
  ASSERT_EQ(seen.size(), 2u);
  EXPECT_NE(seen[0].find(R"("items":8,"flop":2.5e+09,"bytes":96,"version":"width=16"})"), std::string::npos) << seen[0];
  EXPECT_NE(seen[1].find(R"("args":{"chunks":4,"cycles":100,"instructions":250,"misses":3}})"), std::string::npos)
      << seen[1];
}

TEST_F(EventWriterTest, EqualLaunchesTellTheirWorkOnce) {
  CommandRun run{.queued = 1'000'000,
                 .submitted = 1'000'000,
                 .started = 1'000'000,
                 .ended = 1'000'010,
                 .amount = 8,
                 .id = {queue_, 1},
                 .name = saxpy_,
                 .flops = 16,
                 .bytes = 96,
                 .isLaunch = true};
  write(run);
  write(run);
  run.flops = -1;
  write(run);
  const std::vector<std::string> seen = events();
  ASSERT_EQ(seen.size(), 3u);
  EXPECT_NE(seen[0].find(R"("flop":16,"bytes":96)"), std::string::npos) << seen[0];
  EXPECT_EQ(seen[1].find("flop"), std::string::npos) << seen[1];
  EXPECT_NE(seen[2].find(R"("flop":-1)"), std::string::npos) << seen[2];
  EXPECT_EQ(seen[2].find("bytes"), std::string::npos) << seen[2];
}

TEST(EscapedForJson, KeepsTextsWhole) {
  EXPECT_EQ(escapedForJson("a\"b\\c\n\xc3"), R"(a\"b\\c\u000a\u00c3)");
  EXPECT_LE(escapedForJson(std::string(10'000, 'x')).size(), 300u);
}

} // namespace

} // namespace clotho::trace
