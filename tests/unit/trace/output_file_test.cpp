// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "trace/output_file.hpp"

#include "base/error.hpp"

#include <gtest/gtest.h>

#include <csignal>
#include <cstdio>
#include <fstream>
#include <sstream>
#include <string>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

namespace clotho::trace {

namespace {

std::string contents(const std::string& path) {
  std::stringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

std::string scratch(const char* name) { return testing::TempDir() + "clotho-trace-" + name + ".json"; }

TEST(OutputFile, IsCompleteAfterEachAppend) {
  const std::string path = scratch("complete");
  OutputFile file(path);
  EXPECT_TRUE(file.append("{1},\n", "{last 1}\n]\n"));
  EXPECT_EQ(contents(path), "[\n{1},\n{last 1}\n]\n");
  EXPECT_TRUE(file.append("{2},\n{3},\n", "{last 22}\n]\n"));
  EXPECT_EQ(contents(path), "[\n{1},\n{2},\n{3},\n{last 22}\n]\n");
  std::remove(path.c_str());
}

TEST(OutputFile, NamesTheProcess) {
  OutputFile file(scratch("of-%p"));
  EXPECT_EQ(file.path(), scratch(("of-" + std::to_string(getpid())).c_str()));
  std::remove(file.path().c_str());
}

TEST(OutputFile, LeavesAnothersFileAlone) {
  const std::string path = scratch("shared");
  OutputFile first(path);
  OutputFile second(path);
  EXPECT_TRUE(first.append("{},\n", "]\n"));
  EXPECT_TRUE(second.append("{2},\n", "]\n"));
  EXPECT_EQ(second.path(), path + "." + std::to_string(getpid()));
  EXPECT_EQ(contents(path), "[\n{},\n]\n");
  std::remove(path.c_str());
  std::remove(second.path().c_str());
}

/// A launcher that uses OpenCL has opened the file before its program does.
TEST(OutputFile, IsOfTheFirstThatAppends) {
  const std::string path = scratch("first");
  OutputFile launcher(path);
  {
    OutputFile program(path);
    EXPECT_TRUE(program.append("{},\n", "]\n"));
    EXPECT_EQ(program.path(), path);
  }
  launcher.removeIfEmpty();
  EXPECT_TRUE(launcher.append("{2},\n", "]\n"));
  EXPECT_EQ(launcher.path(), path + "." + std::to_string(getpid()));
  EXPECT_EQ(contents(path), "[\n{},\n]\n");
  std::remove(path.c_str());
  std::remove(launcher.path().c_str());
}

TEST(OutputFile, LeavesNoneThatIsEmpty) {
  const std::string path = scratch("empty");
  std::remove(path.c_str());
  OutputFile file(path);
  EXPECT_EQ(access(path.c_str(), F_OK), 0);
  file.removeIfEmpty();
  EXPECT_NE(access(path.c_str(), F_OK), 0);
}

TEST(OutputFile, TakesThePlaceOfAnOldOne) {
  const std::string path = scratch("old");
  std::ofstream(path) << "an old trace that is longer than the new one";
  OutputFile(path).removeIfEmpty();
  EXPECT_NE(contents(path), "");
  OutputFile file(path);
  EXPECT_TRUE(file.append("{},\n", "]\n"));
  EXPECT_EQ(contents(path), "[\n{},\n]\n");
  std::remove(path.c_str());
}

TEST(OutputFile, WhatCannotBeWrittenIsAnError) {
  testing::internal::CaptureStderr();
  EXPECT_THROW(OutputFile("/nonexistent/folder/trace.json"), Error);
  EXPECT_THROW(OutputFile("/dev/full"), Error);
  const std::string log = testing::internal::GetCapturedStderr();
  EXPECT_NE(log.find("/nonexistent/folder/trace.json"), std::string::npos) << log;
}

TEST(OutputFile, StopsAtTheLimitOfFileSizesAndSaysSoOnce) {
  const std::string path = scratch("limited");
  const pid_t child = fork();
  if (child == 0) {
    const rlimit limit{64, 64};
    setrlimit(RLIMIT_FSIZE, &limit); // past it there would be a signal
    OutputFile file(path);
    const bool fits = file.append("{1},\n", "]\n");
    testing::internal::CaptureStderr();
    const bool isLate = file.append(std::string(100, 'x'), "]\n") || file.append("{2},\n", "]\n");
    std::fflush(stderr);
    _exit(fits && !isLate ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  EXPECT_EQ(contents(path), "[\n{1},\n]\n");
  std::remove(path.c_str());
}

} // namespace

} // namespace clotho::trace
