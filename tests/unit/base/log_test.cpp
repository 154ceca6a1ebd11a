// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/log.hpp"

#include <gtest/gtest.h>

#include <cerrno>
#include <cstdlib>
#include <string>

namespace clotho {

namespace {

// The levels are read once per process, so the variable is set before main.
struct SetBefore {
  SetBefore() { setenv("CLOTHO_LOG", "warn,cache=debug,device=off", 1); }
} setBefore;

TEST(Log, LevelsByArea) {
  EXPECT_TRUE(logEnabled(LogArea::Api, LogLevel::Error));
  EXPECT_TRUE(logEnabled(LogArea::Runtime, LogLevel::Warn));
  EXPECT_FALSE(logEnabled(LogArea::Runtime, LogLevel::Info));
  EXPECT_TRUE(logEnabled(LogArea::Cache, LogLevel::Debug));
  EXPECT_FALSE(logEnabled(LogArea::Device, LogLevel::Error));
}

TEST(Log, OneLineThatKeepsErrno) {
  testing::internal::CaptureStderr();
  errno = 1234;
  CLOTHO_LOG(Cache, Debug, "entry %d of %s", 3, "many");
  CLOTHO_LOG(Device, Error, "not %s", "seen");
  EXPECT_EQ(errno, 1234);
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "clotho: cache: entry 3 of many\n");
}

TEST(Log, LongLinesAreCut) {
  std::string text(5000, 'x');
  testing::internal::CaptureStderr();
  CLOTHO_LOG(Api, Warn, "%s", text.c_str());
  std::string line = testing::internal::GetCapturedStderr();
  EXPECT_EQ(line.size(), 1023u);
  EXPECT_EQ(line.back(), '\n');
  EXPECT_EQ(line.find('\0'), std::string::npos);
}

} // namespace

} // namespace clotho
