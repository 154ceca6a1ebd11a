// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What an application may notice of the compiler process: nothing.
#include "support.hpp"

#include <algorithm>
#include <csignal>
#include <linux/close_range.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/time.h>

namespace clotho::test {
namespace {

volatile sig_atomic_t childSignals = 0;

TEST(Guest, ApplicationSeesNoChild) {
  EXPECT_EQ(inChild([]() -> std::string {
              struct sigaction action = {};
              action.sa_handler = [](int) { childSignals = childSignals + 1; };
              sigaction(SIGCHLD, &action, nullptr);
              BuildClient client(fakeConfig());
              std::string wrong = expectSuccess(client, "#");
              if (!wrong.empty()) return wrong;
              if (client.build(source("signal 11\n"))->status != BuildStatus::Failure) return "no crash";
              errno = 0;
              if (waitpid(-1, nullptr, WNOHANG) != -1 || errno != ECHILD) return "wait sees a child";
              errno = 0;
              if (waitpid(-1, nullptr, WNOHANG | __WALL) != -1 || errno != ECHILD) return "wait sees a clone";
              if (!childrenOf(getpid()).empty()) return "there is a child";
              return childSignals == 0 ? "" : "SIGCHLD came";
            }),
            "");
}

TEST(Guest, ApplicationMayIgnoreChildren) {
  EXPECT_EQ(inChild([]() -> std::string {
              signal(SIGCHLD, SIG_IGN);
              BuildClient client(fakeConfig());
              return expectSuccess(client, "#");
            }),
            "");
}

TEST(Guest, ApplicationsOwnChildIsLeftAlone) {
  EXPECT_EQ(inChild([]() -> std::string {
              pid_t own = fork();
              if (own == 0) _exit(9);
              BuildClient client(fakeConfig());
              std::string wrong = expectSuccess(client, "#");
              if (!wrong.empty()) return wrong;
              int status = 0;
              if (wait(&status) != own || WEXITSTATUS(status) != 9) return "the child was stolen";
              return {};
            }),
            "");
}

TEST(Guest, SignalsStayAsTheyWere) {
  auto state = [] {
    std::string text;
    for (int signal = 1; signal < NSIG; ++signal) {
      struct sigaction action = {};
      if (sigaction(signal, nullptr, &action) != 0) continue;
      text += std::to_string(signal) + ":" + std::to_string(reinterpret_cast<std::uintptr_t>(action.sa_handler)) + ":" +
              std::to_string(action.sa_flags) + " ";
    }
    sigset_t mask;
    pthread_sigmask(SIG_SETMASK, nullptr, &mask);
    for (int signal = 1; signal < NSIG; ++signal)
      text += sigismember(&mask, signal) == 1 ? '1' : '0';
    return text;
  };
  std::string before = state();
  {
    BuildClient client(fakeConfig());
    ASSERT_EQ(expectSuccess(client, "#"), "");
    EXPECT_EQ(state(), before);
  }
  EXPECT_EQ(state(), before);
}

TEST(Guest, ClosedStreamsStayClosed) {
  EXPECT_EQ(inChild([]() -> std::string {
              for (int fd : {0, 1, 2})
                close(fd);
              TemporaryFolder folder;
              BuildClient client(fakeConfig(folder.path()));
              std::string wrong = expectSuccess(client, "say into the void\n");
              if (!wrong.empty()) return wrong;
              for (int fd : {0, 1, 2})
                if (fcntl(fd, F_GETFD) != -1) return "descriptor " + std::to_string(fd) + " is in use";
              return {};
            }),
            "");
}

TEST(Guest, DescriptorsAreCloseOnExec) {
  BuildClient client(fakeConfig());
  auto open = [] {
    std::vector<int> fds;
    for (int fd = 0; fd < 1024; ++fd)
      if (int flags = fcntl(fd, F_GETFD); flags != -1 && !(flags & FD_CLOEXEC)) fds.push_back(fd);
    return fds;
  };
  auto before = open();
  ASSERT_EQ(expectSuccess(client, "#"), "");
  EXPECT_EQ(open(), before);
}

TEST(Guest, NoDescriptorLeaks) {
  TemporaryFolder folder;
  BuildClient client(fakeConfig(folder.path()));
  auto count = [] {
    int open = 0;
    for (int fd = 0; fd < 1024; ++fd)
      open += fcntl(fd, F_GETFD) != -1;
    return open;
  };
  ASSERT_EQ(expectSuccess(client, "#"), "");
  int before = count();
  for (int i = 0; i < 10; ++i) {
    client.build(source("# " + std::to_string(i)));
    client.build(source("signal 6\n# " + std::to_string(i)));
  }
  EXPECT_EQ(count(), before);
}

TEST(Guest, ForkedChildBuildsWithACompilerOfItsOwn) {
  TemporaryFolder folder;
  BuildClient client(fakeConfig());
  auto serverOf = [&](const std::string& text) {
    std::string mark = folder / "mark";
    client.build(source("mark " + mark + "\n" + text));
    pid_t child = -1, server = -1;
    std::istringstream(readFile(mark)) >> child >> server;
    return server;
  };
  pid_t parents = serverOf("# parent");
  EXPECT_EQ(inChild([&]() -> std::string {
              pid_t own = serverOf("# child");
              if (own <= 1) return "no build in the child";
              return own != parents ? "" : "the child uses its parent's compiler";
            }),
            "");
  EXPECT_EQ(serverOf("# parent again"), parents);
}

TEST(Guest, ForksByOtherThreadsDoNotHideAServersDeath) {
  if (kThreadSanitized) GTEST_SKIP() << "forks of threaded processes are not for this sanitizer";
  // The forked processes hold copies of whatever sockets were open at their moment; so each build below must notice
  // by other means than an end of file that its server has died.
  TemporaryFolder folder;
  BuildClient client(fakeConfig());
  std::atomic<bool> stop{false};
  std::vector<pid_t> copies;
  std::thread forker([&] {
    while (!stop && copies.size() < 400) {
      pid_t pid = fork();
      if (pid == 0)
        for (;;)
          pause();
      copies.push_back(pid);
      std::this_thread::sleep_for(std::chrono::microseconds(500));
    }
  });
  for (int i = 0; i < 12; ++i) {
    std::string mark = folder / "mark";
    std::thread killer([&] {
      waitUntil([&] { return !readFile(mark).empty(); });
      pid_t child = -1, server = -1;
      std::istringstream(readFile(mark)) >> child >> server;
      if (server > 1) kill(server, SIGKILL);
    });
    auto result = client.build(source("mark " + mark + "\nsleep 60000\n# " + std::to_string(i)));
    EXPECT_EQ(result->status, BuildStatus::Failure);
    killer.join();
    remove(mark.c_str());
  }
  stop = true;
  forker.join();
  for (pid_t pid : copies) {
    kill(pid, SIGKILL);
    waitpid(pid, nullptr, 0);
  }
  EXPECT_EQ(expectSuccess(client, "# next"), "");
}

TEST(Guest, ApplicationMayCloseEveryDescriptor) {
  EXPECT_EQ(inChild([]() -> std::string {
              BuildClient client(fakeConfig());
              std::string wrong = expectSuccess(client, "# before");
              if (!wrong.empty()) return wrong;
              // As programs do that turn into daemons; then the application's own files take the numbers.
              int answer = 200;
              syscall(SYS_close_range, 3, answer - 1, 0);
              std::vector<int> own;
              for (int i = 0; i < 100; ++i)
                own.push_back(open("/dev/null", O_WRONLY));
              wrong = expectSuccess(client, "# after");
              if (!wrong.empty()) return wrong;
              for (int fd : own)
                if (fcntl(fd, F_GETFD) == -1) return "a descriptor of the application was closed";
              return {};
            }),
            "");
}

TEST(Guest, InterruptingSignalsDoNotDisturbBuilds) {
  EXPECT_EQ(inChild([]() -> std::string {
              struct sigaction action = {};
              action.sa_handler = [](int) {}; // without SA_RESTART
              sigaction(SIGALRM, &action, nullptr);
              itimerval timer{{0, 300}, {0, 300}};
              setitimer(ITIMER_REAL, &timer, nullptr);
              TemporaryFolder folder;
              BuildClient client(fakeConfig(folder.path()));
              for (int i = 0; i < 20; ++i) {
                std::string wrong =
                    expectSuccess(client, "sleep 5\n# " + std::to_string(i) + std::string(1'000'000, '#'));
                if (!wrong.empty()) return wrong;
              }
              return {};
            }),
            "");
}

TEST(Guest, NoSigpipeWhenTheCompilerDiesWhileItIsSpokenTo) {
  EXPECT_EQ(inChild([]() -> std::string {
              signal(SIGPIPE, SIG_DFL);
              TemporaryFolder folder;
              std::string mark = folder / "mark";
              BuildClient client(fakeConfig());
              client.build(source("mark " + mark + "\n"));
              pid_t child = -1, server = -1;
              std::istringstream(readFile(mark)) >> child >> server;
              std::thread killer([&] { kill(server, SIGKILL); });
              // Many times what a socket holds, so that the death comes in the middle.
              auto result = client.build(source("# " + std::string(5'000'000, '#')));
              killer.join();
              if (result->status == BuildStatus::Unavailable) return result->log;
              return expectSuccess(client, "# next");
            }),
            "");
}

TEST(Guest, ErrorWithoutDescriptorsNotACrash) {
  EXPECT_EQ(inChild([]() -> std::string {
              BuildClient client(fakeConfig());
              std::string wrong = expectSuccess(client, "# before");
              if (!wrong.empty()) return wrong;
              // The system's own limit may be millions.
              rlimit limit{};
              getrlimit(RLIMIT_NOFILE, &limit);
              limit.rlim_cur = std::min<rlim_t>(limit.rlim_max, 512);
              setrlimit(RLIMIT_NOFILE, &limit);
              std::vector<int> all;
              for (int fd; (fd = open("/dev/null", O_RDONLY)) >= 0;)
                all.push_back(fd);
              auto result = client.build(source("# without"));
              if (result->status == BuildStatus::Success) return "a build without descriptors?";
              if (result->log.find("Too many open files") == std::string::npos) return result->log;
              for (int fd : all)
                close(fd);
              return expectSuccess(client, "# after");
            }),
            "");
}

} // namespace
} // namespace clotho::test
