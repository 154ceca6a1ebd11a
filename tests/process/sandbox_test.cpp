// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a child of the compiler process may do, and what it may not.
#include "compiler/service/sandbox.hpp"
#include "support.hpp"

#include <csignal>
#include <fcntl.h>
#include <sched.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>

namespace clotho::test {
namespace {

/// What is wrong with an attempt that has to fail with EPERM.
std::string refusal(const char* what, long result) {
  if (result >= 0) return std::string(what) + " works\n";
  return errno == EPERM ? "" : std::string(what) + " fails with " + std::to_string(errno) + "\n";
}

class Sandbox : public testing::Test {
 protected:
  void SetUp() override {
    if (kSanitized) GTEST_SKIP() << "sanitizers make calls that no build makes";
    if (std::string why = service::sandboxObstacle(); !why.empty()) GTEST_SKIP() << why;
    writeFile(folder / "file", "text");
  }
  TemporaryFolder folder;
};

TEST_F(Sandbox, NothingCanBeWrittenMadeOrRemoved) {
  EXPECT_EQ(inChild([&] {
              const std::string file = folder / "file", fresh = folder / "fresh";
              service::enterSandbox();
              std::string wrong;
              for (int flags : {O_WRONLY, O_RDWR, O_WRONLY | O_APPEND, O_RDONLY | O_TRUNC, O_WRONLY | O_CREAT,
                                O_RDONLY | O_CREAT | O_EXCL})
                wrong += refusal("open", open((flags & O_CREAT ? fresh : file).c_str(), flags, 0600));
              wrong += refusal("creat", creat(fresh.c_str(), 0600));
              wrong += refusal("unlink", unlink(file.c_str()));
              wrong += refusal("rename", rename(file.c_str(), fresh.c_str()));
              wrong += refusal("link", link(file.c_str(), fresh.c_str()));
              wrong += refusal("symlink", symlink(file.c_str(), fresh.c_str()));
              wrong += refusal("mkdir", mkdir(fresh.c_str(), 0700));
              wrong += refusal("mkfifo", mkfifo(fresh.c_str(), 0600));
              wrong += refusal("chmod", chmod(file.c_str(), 0777));
              wrong += refusal("truncate", truncate(file.c_str(), 0));
              wrong += refusal("utimensat", utimensat(AT_FDCWD, file.c_str(), nullptr, 0));
              wrong += refusal("/proc/self/mem", open("/proc/self/mem", O_RDWR));
              return wrong;
            }),
            "");
  EXPECT_EQ(readFile(folder / "file"), "text");
  EXPECT_EQ(folder.names().size(), 1u);
}

TEST_F(Sandbox, NothingIsStartedReachedOrDisturbed) {
  const pid_t parent = getpid();
  EXPECT_EQ(inChild([&]() -> std::string {
              service::enterSandbox();
              std::string wrong;
              char name[] = "true";
              char* arguments[] = {name, nullptr};
              wrong += refusal("execve", execv("/bin/true", arguments));
              const pid_t forked = fork();
              if (forked == 0) _exit(0);
              wrong += refusal("fork", forked);
              wrong += refusal("vfork", syscall(SYS_clone, CLONE_VM | CLONE_VFORK | SIGCHLD, nullptr, 0, 0, 0));
              pid_t pid = 0;
              const int spawned = posix_spawn(&pid, "/bin/true", nullptr, nullptr, arguments, environ);
              if (spawned == 0) wrong += "posix_spawn works\n";
              for (int domain : {AF_UNIX, AF_INET, AF_NETLINK})
                wrong += refusal("socket", socket(domain, SOCK_DGRAM, 0));
              sockaddr_un address{AF_UNIX, "/tmp/nobody"};
              wrong += refusal("connect", connect(0, reinterpret_cast<sockaddr*>(&address), sizeof address));
              wrong += refusal("kill", kill(parent, 0));
              wrong += refusal("kill of all", kill(-1, 0));
              wrong += refusal("tgkill", syscall(SYS_tgkill, parent, parent, 0));
              wrong += refusal("ptrace", ptrace(PTRACE_ATTACH, parent, nullptr, nullptr));
              wrong += refusal("unshare", unshare(CLONE_NEWUSER));
              rlimit limit;
              wrong += refusal("prlimit", syscall(SYS_prlimit64, parent, RLIMIT_CPU, nullptr, &limit));
              wrong += refusal("process_vm_readv", syscall(SYS_process_vm_readv, parent, nullptr, 0, nullptr, 0, 0));
              return wrong;
            }),
            "");
}

TEST_F(Sandbox, WhatABuildDoesWorks) {
  EXPECT_EQ(inChild([&]() -> std::string {
              service::enterSandbox();
              if (readFile(folder / "file") != "text") return "files cannot be read";
              if (access((folder / "file").c_str(), R_OK) != 0) return "files cannot be looked for";
              int sum = 0;
              std::thread([&] { sum = 1; }).join();
              if (sum != 1) return "no thread";
              const int memory = memfd_create("test", MFD_CLOEXEC);
              if (memory < 0 || write(memory, "x", 1) != 1) return "no file in memory";
              if (prctl(PR_SET_NAME, "test") != 0) return "no name";
              // The end of a build that crashes has to be seen.
              if (raise(SIGWINCH) != 0) return "no signal to itself";
              return "";
            }),
            "");
}

TEST_F(Sandbox, HostThatFiltersAlreadyIsNoObstacle) {
  EXPECT_EQ(inChild([&]() -> std::string {
              service::enterSandbox();
              service::enterSandbox(); // which the filter that is there forbids
              return readFile(folder / "file") == "text" ? "" : "files cannot be read";
            }),
            "");
}

TEST(ConfinedCompiler, BuildsInTheSandbox) {
  if (kSanitized) GTEST_SKIP() << "sanitizers make calls that no build makes";
  if (std::string why = service::sandboxObstacle(); !why.empty()) GTEST_SKIP() << why;
  setenv("CLOTHO_FAKE_SANDBOX", "1", 1); // NOLINT(concurrency-mt-unsafe)
  BuildClient client(fakeConfig());
  for (int i = 0; i < 3; ++i) { // the first child is made for the request, a later one was a spare
    auto result = client.build(source("confined\n# " + std::to_string(i)));
    EXPECT_EQ(result->status, BuildStatus::Success) << result->log;
    EXPECT_EQ(result->log, "confined\n");
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  }
  unsetenv("CLOTHO_FAKE_SANDBOX"); // NOLINT(concurrency-mt-unsafe)
}

TEST(InProcessCompilerSandbox, HostIsNotConfined) {
  ClientConfig config = fakeConfig();
  config.compiler = CLOTHO_FAKE_MODULE;
  config.inProcess = true;
  BuildClient client(config);
  EXPECT_EQ(client.build(source("confined\n"))->log, "free\n");
}

} // namespace
} // namespace clotho::test
