// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The real compiler behind its process and as a library.
#include "abi/cpu_facts.hpp"
#include "compiler/service/sandbox.hpp"
#include "support.hpp"

#include <csignal>
#include <dlfcn.h>

namespace clotho::test {
namespace {

/// Each test with its own compiler process.
class RealCompiler : public testing::Test {
 protected:
  static ClientConfig config() {
    ClientConfig result = ClientConfig::fromEnvironment();
    result.cacheFolder.clear();
    return result;
  }
  static std::string kernel(int number, const std::string& more = "") {
    return "__kernel void scale" + std::to_string(number) +
           "(__global float* data, float by) { data[get_global_id(0)] *= by; }\n" + more;
  }
};

TEST_F(RealCompiler, BuildsAnObjectThatLoads) {
  TemporaryFolder folder;
  ClientConfig configuration = config();
  configuration.cacheFolder = folder.path();
  BuildClient client(configuration);
  auto result = client.build(source(kernel(1)));
  ASSERT_EQ(result->status, BuildStatus::Success) << result->log;
  ASSERT_EQ(result->kernels.size(), 1u);
  EXPECT_EQ(result->kernels[0].info.name, "scale1");
  EXPECT_EQ(result->kernels[0].info.args.size(), 2u);
  EXPECT_FALSE(result->portable.empty());
  if (result->objectPath.empty()) GTEST_SKIP() << "the folder for temporary files forbids execution";
  void* object = dlopen(result->objectPath.c_str(), RTLD_NOW | RTLD_LOCAL);
  ASSERT_NE(object, nullptr) << dlerror(); // NOLINT(concurrency-mt-unsafe)
  EXPECT_NE(dlsym(object, cpu::decodeFacts(result->kernels[0].facts).value().symbol.c_str()), nullptr);
  dlclose(object);
}

TEST_F(RealCompiler, CrashOfClangIsABuildErrorAndTheNextBuildWorks) {
  BuildClient client(config());
  struct Case {
    const char* pragma;
    const char* says;
  };
  for (auto [pragma, says] :
       {Case{"crash", "the compiler crashed (SIG"}, Case{"parser_crash", "the compiler crashed (SIG"},
        Case{"llvm_fatal_error", "#pragma clang __debug llvm_fatal_error"}}) {
    auto result = client.build(source(kernel(1, "#pragma clang __debug " + std::string(pragma) + "\n")));
    EXPECT_EQ(result->status, BuildStatus::Failure) << pragma;
    EXPECT_NE(result->log.find("while building this program\n"), std::string::npos) << pragma << ": " << result->log;
    EXPECT_NE(result->log.find(says), std::string::npos) << pragma << ": " << result->log;
    EXPECT_EQ(client.build(source(kernel(2, "// after " + std::string(pragma))))->status, BuildStatus::Success);
  }
}

TEST_F(RealCompiler, SixtyFourBuildsFromEightThreads) {
  BuildClient client(config());
  std::vector<std::thread> threads;
  std::atomic<int> good{0};
  for (int t = 0; t < 8; ++t)
    threads.emplace_back([&, t] {
      for (int i = 0; i < 8; ++i) {
        int number = t * 8 + i;
        auto result = client.build(source(kernel(number)));
        if (result->status == BuildStatus::Success &&
            result->kernels.at(0).info.name == "scale" + std::to_string(number))
          ++good;
      }
    });
  for (std::thread& thread : threads)
    thread.join();
  EXPECT_EQ(good, 64);
}

TEST_F(RealCompiler, ErrorsHaveThePlaceInTheSource) {
  BuildClient client(config());
  auto result = client.build(source("__kernel void k() {\n  int x = y;\n}\n"));
  EXPECT_EQ(result->status, BuildStatus::Failure);
  EXPECT_NE(result->log.find(":2:11: error:"), std::string::npos) << result->log;
}

TEST_F(RealCompiler, ChangedHeaderIsNoticed) {
  TemporaryFolder folder, work;
  ClientConfig configuration = config();
  configuration.cacheFolder = folder.path();
  BuildRequest request = source("#include \"name.h\"\n__kernel void NAME() {}\n");
  request.workingDirectory = work.path();
  request.options = "-I.";
  auto name = [&] {
    auto result = BuildClient(configuration).build(request);
    return result->kernels.empty() ? result->log : result->kernels[0].info.name;
  };
  writeFile(work / "name.h", "#define NAME first\n");
  EXPECT_EQ(name(), "first");
  EXPECT_EQ(name(), "first");
  EXPECT_EQ(folder.names(".so").size(), 1u) << "the second was not found in the cache";
  writeFile(work / "name.h", "#define NAME second\n");
  EXPECT_EQ(name(), "second");
}

TEST_F(RealCompiler, HeaderThatComesToHideAnotherIsNoticed) {
  TemporaryFolder folder, work, front, behind;
  ClientConfig configuration = config();
  configuration.cacheFolder = folder.path();
  BuildClient sameProcess(configuration);
  BuildRequest request = source("#include \"name.h\"\n__kernel void NAME() {}\n");
  request.workingDirectory = work.path();
  request.options = "-I " + front.path() + " -I " + behind.path();
  auto nameFrom = [&](BuildClient& client) {
    auto result = client.build(request);
    return result->kernels.empty() ? result->log : result->kernels[0].info.name;
  };
  auto name = [&] {
    std::string here = nameFrom(sameProcess);
    BuildClient another(configuration);
    std::string there = nameFrom(another);
    return here == there ? here : here + " or " + there;
  };
  writeFile(behind / "name.h", "#define NAME behind\n");
  EXPECT_EQ(name(), "behind");
  EXPECT_EQ(name(), "behind");
  EXPECT_EQ(folder.names(".so").size(), 1u) << "it was not found in the cache";
  writeFile(front / "name.h", "#define NAME front\n");
  EXPECT_EQ(name(), "front");
  writeFile(work / "name.h", "#define NAME here\n");
  EXPECT_EQ(name(), "here");
}

// Opening a pipe that has no writer waits for ever, without using processor time.
TEST_F(RealCompiler, OnlyRegularFilesAreIncluded) {
  TemporaryFolder folder, work;
  setenv("CLOTHO_BUILD_SECONDS", "20", 1); // NOLINT(concurrency-mt-unsafe): the test fails and does not hang
  ASSERT_EQ(mkfifo((work / "pipe.h").c_str(), 0600), 0);
  ASSERT_EQ(mkdir((work / "folder.h").c_str(), 0700), 0);
  ClientConfig configuration = config();
  configuration.cacheFolder = folder.path();
  BuildClient client(configuration);
  auto build = [&](const std::string& header) {
    BuildRequest request = source("#include \"" + header + "\"\n" + kernel(1));
    request.workingDirectory = work.path();
    return client.build(request);
  };
  for (const std::string& header : {std::string("pipe.h"), std::string("/dev/zero"), std::string("/dev/tty")}) {
    auto result = build(header);
    EXPECT_EQ(result->status, BuildStatus::Failure) << header;
    EXPECT_NE(result->log.find(header + "': it is not a regular file"), std::string::npos)
        << header << ": " << result->log;
  }
  EXPECT_NE(build("folder.h")->log.find("file not found"), std::string::npos);
  EXPECT_EQ(build("/dev/null")->status, BuildStatus::Success);

  // A header that turns into a pipe is another header, which the cache finds out without reading it.
  writeFile(work / "turns.h", "\n");
  EXPECT_EQ(build("turns.h")->status, BuildStatus::Success);
  remove((work / "turns.h").c_str());
  ASSERT_EQ(mkfifo((work / "turns.h").c_str(), 0600), 0);
  EXPECT_EQ(build("turns.h")->status, BuildStatus::Failure);
  EXPECT_EQ(BuildClient(configuration).build(source(kernel(2)))->status, BuildStatus::Success);
  rmdir((work / "folder.h").c_str());
  unsetenv("CLOTHO_BUILD_SECONDS"); // NOLINT(concurrency-mt-unsafe)
}

TEST_F(RealCompiler, ProgramWithoutHeadersDependsOnNoFile) {
  BuildClient client(config());
  auto result = client.build(source(kernel(1)));
  for (const Dependency& dependency : result->dependencies)
    ADD_FAILURE() << "the cache would look at " << dependency.path << " for nothing";
}

TEST_F(RealCompiler, BuildKilledFromOutsideIsABuildError) {
  // Other processes may build at the same time; this test's compiler is known by what it inherits.
  const std::string mark = "CLOTHO_TEST_MARK=" + std::to_string(getpid());
  setenv("CLOTHO_TEST_MARK", std::to_string(getpid()).c_str(), 1); // NOLINT(concurrency-mt-unsafe)
  BuildClient client(config());
  ASSERT_EQ(client.build(source(kernel(0)))->status, BuildStatus::Success);
  // Macros that double take until the heat death of the universe.
  std::string endless = "#define A0 x;\n";
  for (int i = 1; i < 60; ++i)
    endless += "#define A" + std::to_string(i) + " A" + std::to_string(i - 1) + " A" + std::to_string(i - 1) + "\n";
  endless += "__kernel void k(int x) { A59 }\n";
  std::shared_ptr<const BuildResult> result;
  std::atomic<bool> done{false};
  std::thread builder([&] {
    result = client.build(source(endless));
    done = true;
  });
  // Children of this test's compiler process: those that use processor time.
  std::string self = ClientConfig::fromEnvironment().compiler;
  EXPECT_TRUE(waitUntil([&] {
    DIR* processes = opendir("/proc");
    while (dirent* entry = readdir(processes)) { // NOLINT(concurrency-mt-unsafe)
      pid_t pid = std::atoi(entry->d_name);
      if (pid <= 1 || pid == getpid()) continue;
      char path[4096];
      ssize_t size = readlink(("/proc/" + std::to_string(pid) + "/exe").c_str(), path, sizeof path);
      if (size <= 0 || std::string(path, static_cast<std::size_t>(size)) != self) continue;
      std::istringstream environment(readFile("/proc/" + std::to_string(pid) + "/environ"));
      bool ours = false, serving = false;
      for (std::string entry; std::getline(environment, entry, '\0');) {
        ours = ours || entry == mark;
        serving = serving || entry == "CLOTHO_SERVING=1";
      }
      if (!ours) continue;
      EXPECT_TRUE(serving) << "a server that may start others";
      std::istringstream stat(readFile("/proc/" + std::to_string(pid) + "/stat"));
      std::string field;
      for (int i = 0; i < 14; ++i)
        stat >> field; // utime
      if (std::atoi(field.c_str()) <= 50) continue;
      const std::string status = readFile("/proc/" + std::to_string(pid) + "/status");
      EXPECT_TRUE(status.empty() || service::sandboxObstacle() != "" || status.find("Seccomp:\t2") != std::string::npos)
          << "a build that is not confined:\n"
          << status;
      kill(pid, SIGKILL);
    }
    closedir(processes);
    return done.load();
  }));
  builder.join();
  EXPECT_EQ(result->status, BuildStatus::Failure);
  EXPECT_NE(result->log.find("SIGKILL"), std::string::npos) << result->log;
  EXPECT_EQ(client.build(source(kernel(1)))->status, BuildStatus::Success);
}

TEST(RealCompilerInProcess, BuildsWithoutAProcess) {
  ClientConfig config;
  config.inProcess = true;
  config.compiler = CLOTHO_REAL_MODULE;
  BuildClient client(config);
  for (int i = 0; i < 3; ++i) {
    auto result = client.build(source("__kernel void k" + std::to_string(i) + "(__global int* p) { *p = 1; }\n"));
    ASSERT_EQ(result->status, BuildStatus::Success) << result->log;
    EXPECT_EQ(result->object.substr(1, 3), "ELF");
  }
}

} // namespace
} // namespace clotho::test
