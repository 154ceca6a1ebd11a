// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The compiler process: builds, dies and comes back.
#include "compiler/client/channel.hpp"
#include "compiler/client/protocol.hpp"
#include "compiler/client/spawn.hpp"
#include "support.hpp"

#include <csignal>
#include <sys/resource.h>
#include <sys/socket.h>

namespace clotho::test {
namespace {

/// The build of a source that marks a file and then goes on with `orders`, in another thread.
class RunningBuild {
 public:
  RunningBuild(BuildClient& client, const TemporaryFolder& folder, const std::string& orders)
      : thread_([&client, file = folder / "mark", orders, this] {
          result = client.build(source("mark " + file + "\n" + orders));
        }) {
    std::string file = folder / "mark";
    waitUntil([&] { return !readFile(file).empty(); });
    std::istringstream(readFile(file)) >> child >> server;
    remove(file.c_str());
  }
  ~RunningBuild() { join(); }
  RunningBuild(const RunningBuild&) = delete;
  RunningBuild& operator=(const RunningBuild&) = delete;
  void join() {
    if (thread_.joinable()) thread_.join();
  }

  std::shared_ptr<const BuildResult> result;
  pid_t child = -1, server = -1;

 private:
  std::thread thread_;
};

bool says(const BuildResult& result, const std::string& text) { return result.log.find(text) != std::string::npos; }

TEST(CompilerProcess, AnswersARequest) {
  BuildClient client(fakeConfig());
  BuildRequest request = source("warn careful\n");
  request.options = "-cl-fast-relaxed-math";
  request.workingDirectory = "/some/where";
  auto result = client.build(request);
  ASSERT_EQ(result->status, BuildStatus::Success) << result->log;
  EXPECT_EQ(result->log, "careful\n");
  EXPECT_EQ(result->object, request.source);
  EXPECT_EQ(result->portable, request.source);
  ASSERT_EQ(result->kernels.size(), 1u);
  EXPECT_EQ(result->kernels[0].info.name, "options:-cl-fast-relaxed-math");
  EXPECT_EQ(result->kernels[0].info.args[1].name, "/some/where");
}

TEST(CompilerProcess, TakesLargeRequestsAndAnswers) {
  BuildClient client(fakeConfig());
  std::string text = "pad 9000000\n" + std::string(8'000'000, '#');
  auto result = client.build(source(text));
  ASSERT_EQ(result->status, BuildStatus::Success) << result->log;
  EXPECT_EQ(result->object.size(), text.size() + 9'000'000);
}

TEST(CompilerProcess, SixtyFourBuildsAtOnceFromEightThreads) {
  BuildClient client(fakeConfig());
  std::vector<std::thread> threads;
  std::atomic<int> good{0};
  for (int t = 0; t < 8; ++t)
    threads.emplace_back([&, t] {
      for (int i = 0; i < 8; ++i) {
        std::string text = "sleep 5\n# " + std::to_string(t) + " " + std::to_string(i);
        auto result = client.build(source(text));
        if (result->status == BuildStatus::Success && result->object == text) ++good;
      }
    });
  for (std::thread& thread : threads)
    thread.join();
  EXPECT_EQ(good, 64);
}

TEST(CompilerProcess, SixtyFourThreadsBuildAtOnce) {
  BuildClient client(fakeConfig());
  std::vector<std::thread> threads;
  std::atomic<int> good{0};
  for (int t = 0; t < 64; ++t)
    threads.emplace_back([&, t] {
      std::string text = "sleep 5\n# " + std::to_string(t) + std::string(100'000, '#');
      auto result = client.build(source(text));
      if (result->status == BuildStatus::Success && result->object == text) ++good;
    });
  for (std::thread& thread : threads)
    thread.join();
  EXPECT_EQ(good, 64);
}

TEST(CompilerProcess, RunsNoMoreBuildsAtOnceThanComputeUnits) {
  EXPECT_EQ(inChild([]() -> std::string {
              setenv("CLOTHO_COMPUTE_UNITS", "1", 1); // NOLINT(concurrency-mt-unsafe)
              BuildClient client(fakeConfig());
              auto begin = std::chrono::steady_clock::now();
              std::vector<std::thread> threads;
              for (int i = 0; i < 4; ++i)
                threads.emplace_back([&, i] { client.build(source("sleep 100\n# " + std::to_string(i))); });
              for (std::thread& thread : threads)
                thread.join();
              auto taken = std::chrono::steady_clock::now() - begin;
              return taken >= std::chrono::milliseconds(400) ? "" : "builds ran side by side";
            }),
            "");
}

TEST(CompilerProcess, ServerKilledInMidBuildFailsTheBuildAndTheNextWorks) {
  TemporaryFolder folder;
  BuildClient client(fakeConfig());
  RunningBuild build(client, folder, "sleep 60000\n");
  ASSERT_GT(build.server, 1);
  kill(build.server, SIGKILL);
  build.join();
  EXPECT_EQ(build.result->status, BuildStatus::Failure);
  EXPECT_TRUE(says(*build.result, "the compiler process died while building this program\n")) << build.result->log;
  EXPECT_TRUE(waitUntil([&] { return !runs(build.child); })) << "a build outlives its server";
  EXPECT_EQ(expectSuccess(client, "# next"), "");
}

TEST(CompilerProcess, ServerKilledBetweenBuildsIsReplacedInSilence) {
  TemporaryFolder folder;
  BuildClient client(fakeConfig());
  RunningBuild first(client, folder, "");
  first.join();
  kill(first.server, SIGKILL);
  ASSERT_TRUE(waitUntil([&] { return !runs(first.server); }));
  RunningBuild second(client, folder, "# again");
  second.join();
  ASSERT_EQ(second.result->status, BuildStatus::Success) << second.result->log;
  EXPECT_EQ(second.result->log, "");
  EXPECT_NE(second.server, first.server);
}

TEST(CompilerProcess, ChildKilledInMidBuildFailsTheBuildAndTheNextWorks) {
  TemporaryFolder folder;
  BuildClient client(fakeConfig());
  RunningBuild build(client, folder, "sleep 60000\n");
  ASSERT_GT(build.child, 1);
  kill(build.child, SIGKILL);
  build.join();
  EXPECT_EQ(build.result->status, BuildStatus::Failure);
  EXPECT_TRUE(says(*build.result, "the compiler was killed (SIGKILL) while building this program\n"))
      << build.result->log;
  RunningBuild next(client, folder, "");
  next.join();
  EXPECT_EQ(next.result->status, BuildStatus::Success);
  EXPECT_EQ(next.server, build.server);
}

TEST(CompilerProcess, CrashIsABuildErrorWithTheCompilersLastWords) {
  BuildClient client(fakeConfig());
  auto result = client.build(source("say LLVM ERROR: cannot select\nsignal 11\n"));
  EXPECT_EQ(result->status, BuildStatus::Failure);
  EXPECT_TRUE(says(*result, "the compiler crashed (SIGSEGV) while building this program\n")) << result->log;
  EXPECT_TRUE(says(*result, "LLVM ERROR: cannot select\n")) << result->log;
  EXPECT_EQ(expectSuccess(client, "# next"), "");
}

TEST(CompilerProcess, OnlyTheTailOfLongLastWordsIsKept) {
  BuildClient client(fakeConfig());
  std::string orders;
  for (int i = 0; i < 2000; ++i)
    orders += "say line " + std::to_string(i) + "\n";
  auto result = client.build(source(orders + "signal 6\n"));
  EXPECT_TRUE(says(*result, "SIGABRT")) << result->log;
  EXPECT_TRUE(says(*result, "\nline 1999\n")) << result->log;
  EXPECT_LT(result->log.size(), 5000u);
}

TEST(CompilerProcess, ExitInMidBuildIsABuildError) {
  BuildClient client(fakeConfig());
  auto result = client.build(source("exit 7\n"));
  EXPECT_EQ(result->status, BuildStatus::Failure);
  EXPECT_TRUE(says(*result, "the compiler ended (status 7)")) << result->log;
  // Nor does a status that means success count as an answer.
  result = client.build(source("exit 0\n"));
  EXPECT_EQ(result->status, BuildStatus::Failure);
  EXPECT_FALSE(result->log.empty());
}

TEST(CompilerProcess, EndlessBuildIsStopped) {
  EXPECT_EQ(inChild([]() -> std::string {
              rlimit limit{1, RLIM_INFINITY}; // the compiler's own limit is longer than a test may take
              setrlimit(RLIMIT_CPU, &limit);
              BuildClient client(fakeConfig());
              auto result = client.build(source("spin\n"));
              if (result->status != BuildStatus::Failure) return "the build did not fail";
              return says(*result, "processor time") ? "" : result->log;
            }),
            "");
}

TEST(CompilerProcess, LimitsOfABuildAreOptions) {
  EXPECT_EQ(inChild([]() -> std::string {
              setenv("CLOTHO_BUILD_CPU_SECONDS", "1", 1); // NOLINT(concurrency-mt-unsafe)
              setenv("CLOTHO_BUILD_SECONDS", "3", 1);     // NOLINT(concurrency-mt-unsafe)
              BuildClient client(fakeConfig());
              auto result = client.build(source("spin\n"));
              if (!says(*result, "1 seconds of processor time") && !says(*result, "3 seconds")) return result->log;
              // It takes no processor time, as what waits for a device or a pipe takes none.
              result = client.build(source("sleep 60000\n"));
              if (result->status != BuildStatus::Failure) return "a build that sleeps is not stopped";
              if (!says(*result, "it took longer than the 3 seconds")) return result->log;
              return expectSuccess(client, "# next");
            }),
            "");
}

TEST(CompilerProcess, BuildThatEatsMemoryIsStopped) {
  if (kSanitized) GTEST_SKIP() << "sanitizers multiply what a build of this kind takes";
  BuildClient client(fakeConfig());
  auto result = client.build(source("eat\n"));
  EXPECT_EQ(result->status, BuildStatus::Failure);
  EXPECT_TRUE(says(*result, "SIGABRT")) << result->log;
  EXPECT_EQ(expectSuccess(client, "# next"), "");
}

TEST(CompilerProcess, MissingCompilerIsUnavailable) {
  ClientConfig config = fakeConfig();
  config.compiler = "/nowhere/clotho-compiler";
  BuildClient missing(config);
  auto result = missing.build(source("#"));
  EXPECT_EQ(result->status, BuildStatus::Unavailable);
  EXPECT_TRUE(says(*result, "/nowhere/clotho-compiler could not be started: No such file")) << result->log;
  config.compiler = "";
  BuildClient none(config);
  result = none.build(source("#"));
  EXPECT_EQ(result->status, BuildStatus::Unavailable);
  EXPECT_TRUE(says(*result, "CLOTHO_COMPILER")) << result->log;
}

TEST(CompilerProcess, RelativePathIsThatOfTheFirstCall) {
  EXPECT_EQ(inChild([]() -> std::string {
              std::string path = CLOTHO_FAKE_COMPILER;
              std::size_t slash = path.rfind('/');
              if (chdir(path.substr(0, slash).c_str()) != 0) return "no such folder";
              for (const std::string& relative : {path.substr(slash + 1), "./" + path.substr(slash + 1)}) {
                Options options;
                options.compiler = relative;
                options.cacheEnabled = false;
                BuildClient client(ClientConfig::fromOptions(options));
                if (chdir("/") != 0) return "no root";
                std::string wrong = expectSuccess(client, "#");
                if (!wrong.empty()) return relative + ": " + wrong;
                if (chdir(path.substr(0, slash).c_str()) != 0) return "the folder is gone";
              }
              return {};
            }),
            "");
}

TEST(CompilerProcess, CompilerThatCannotWorkSaysWhy) {
  EXPECT_EQ(inChild([]() -> std::string {
              setenv("CLOTHO_FAKE_BROKEN", "the builtin library is missing", 1); // NOLINT(concurrency-mt-unsafe)
              BuildClient missing(fakeConfig());
              auto result = missing.build(source("#"));
              if (result->status != BuildStatus::Unavailable) return "not unavailable: " + result->log;
              if (!says(*result, "the builtin library is missing")) return result->log;
              setenv("CLOTHO_FAKE_BROKEN", "die", 1); // NOLINT(concurrency-mt-unsafe)
              BuildClient dying(fakeConfig());
              result = dying.build(source("#"));
              if (result->status != BuildStatus::Unavailable) return "not unavailable: " + result->log;
              if (!says(*result, "while it was starting")) return result->log;
              unsetenv("CLOTHO_FAKE_BROKEN"); // NOLINT(concurrency-mt-unsafe)
              BuildClient client(fakeConfig());
              return expectSuccess(client, "#");
            }),
            "");
}

TEST(CompilerProcess, CompilerThatNeedsTheLibraryPathGetsIt) {
  EXPECT_EQ(inChild([]() -> std::string {
              setenv("CLOTHO_FAKE_BROKEN", "library", 1); // NOLINT(concurrency-mt-unsafe)
              unsetenv("LD_LIBRARY_PATH");                // NOLINT(concurrency-mt-unsafe)
              BuildClient without(fakeConfig());
              auto result = without.build(source("#"));
              if (result->status != BuildStatus::Unavailable) return "not unavailable: " + result->log;
              if (!says(*result, "while it was starting")) return result->log;
              setenv("LD_LIBRARY_PATH", "/anywhere", 1); // NOLINT(concurrency-mt-unsafe)
              BuildClient client(fakeConfig());
              return expectSuccess(client, "#");
            }),
            "");
}

std::atomic<bool> isHeld{false}, mayGoOn{false};

/// Holds a thread wherever it is, until mayGoOn.
void hold(std::thread& thread) {
  struct sigaction action = {};
  action.sa_handler = [](int) {
    isHeld = true;
    while (!mayGoOn)
      usleep(1000);
  };
  sigaction(SIGUSR1, &action, nullptr);
  pthread_kill(thread.native_handle(), SIGUSR1);
  waitUntil([] { return isHeld.load(); });
}

/// The compiler process that the request of that number has reached, by the file that it tells of requests.
pid_t serverOfRequest(const std::string& file, std::size_t number) {
  std::vector<pid_t> servers;
  const bool hasCome = waitUntil([&] {
    servers.clear();
    std::istringstream lines(readFile(file));
    for (std::string line; std::getline(lines, line) && !lines.eof();)
      servers.push_back(std::atoi(line.c_str()));
    return servers.size() >= number;
  });
  return hasCome ? servers[number - 1] : -1;
}

bool killServer(pid_t server) {
  return server > 1 && kill(server, SIGKILL) == 0 && waitUntil([&] { return !runs(server); });
}

// The second thread starts a compiler without the library path, as the first did, before the first has learnt that its
// own lacked it.
TEST(CompilerProcess, ThreadsThatStartItAtOnceAllGetTheLibraryPath) {
  EXPECT_EQ(inChild([]() -> std::string {
              alarm(100); // an end to all waiting
              TemporaryFolder folder;
              const std::string requests = folder / "requests";
              setenv("CLOTHO_FAKE_BROKEN", "library", 1);          // NOLINT(concurrency-mt-unsafe)
              setenv("CLOTHO_FAKE_REQUESTS", requests.c_str(), 1); // NOLINT(concurrency-mt-unsafe)
              setenv("LD_LIBRARY_PATH", "/anywhere", 1);           // NOLINT(concurrency-mt-unsafe)
              BuildClient client(fakeConfig());
              std::string wrong, first, second;
              std::thread one([&] { first = expectSuccess(client, "# first"); });
              const pid_t firstServer = serverOfRequest(requests, 1);
              hold(one);
              if (!killServer(firstServer)) wrong = "the first compiler does not end; ";
              std::thread two([&] { second = expectSuccess(client, "# second"); });
              const pid_t secondServer = serverOfRequest(requests, 2);
              if (secondServer == firstServer) wrong += "the second thread has not started a compiler; ";
              mayGoOn = true;
              // The first thread waits for the second's compiler now, and has noted what it learnt.
              if (serverOfRequest(requests, 3) != secondServer) wrong += "the threads do not share a compiler; ";
              if (!killServer(secondServer)) wrong += "the second compiler does not end; ";
              one.join();
              two.join();
              return wrong + first + second;
            }),
            "");
}

TEST(CompilerProcess, CompilerOfAnotherVersionIsNamedAsSuch) {
  EXPECT_EQ(inChild([]() -> std::string {
              setenv("CLOTHO_FAKE_BROKEN", "version", 1); // NOLINT(concurrency-mt-unsafe)
              BuildClient other(fakeConfig());
              for (const char* text : {"# first", "# second"}) {
                auto result = other.build(source(text));
                if (result->status != BuildStatus::Unavailable) return "not unavailable: " + result->log;
                if (!says(*result, "is of another version than libclotho")) return result->log;
              }
              unsetenv("CLOTHO_FAKE_BROKEN"); // NOLINT(concurrency-mt-unsafe)
              BuildClient client(fakeConfig());
              return expectSuccess(client, "#");
            }),
            "");
}

TEST(CompilerProcess, ReplacedCompilerIsStartedAnew) {
  TemporaryFolder folder;
  ClientConfig config = fakeConfig();
  config.compiler = folder / "compiler";
  auto install = [&] {
    writeFile(folder / "new", readFile(CLOTHO_FAKE_COMPILER));
    chmod((folder / "new").c_str(), 0755);
    rename((folder / "new").c_str(), config.compiler.c_str());
  };
  install();
  BuildClient client(config);
  RunningBuild first(client, folder, "");
  first.join();
  std::this_thread::sleep_for(std::chrono::milliseconds(20)); // time stamps of files are coarse
  install();
  RunningBuild second(client, folder, "# other");
  second.join();
  ASSERT_EQ(second.result->status, BuildStatus::Success) << second.result->log;
  EXPECT_NE(first.server, second.server);
  EXPECT_TRUE(waitUntil([&] { return !runs(first.server); }));
}

TEST(CompilerProcess, ServerEndsWithItsClient) {
  TemporaryFolder folder;
  auto client = std::make_unique<BuildClient>(fakeConfig());
  RunningBuild build(*client, folder, "");
  build.join();
  ASSERT_TRUE(runs(build.server));
  client.reset();
  EXPECT_TRUE(waitUntil([&] { return !runs(build.server); }));
}

TEST(CompilerProcess, BuildsEndWithTheApplication) {
  TemporaryFolder folder;
  std::string mark = folder / "mark";
  pid_t application = fork();
  if (application == 0) {
    BuildClient client(fakeConfig());
    client.build(source("mark " + mark + "\nsleep 60000\n"));
    _exit(0);
  }
  ASSERT_TRUE(waitUntil([&] { return !readFile(mark).empty(); }));
  pid_t child, server;
  std::istringstream(readFile(mark)) >> child >> server;
  kill(application, SIGKILL);
  waitpid(application, nullptr, 0);
  EXPECT_TRUE(waitUntil([&] { return !runs(server); }));
  EXPECT_TRUE(waitUntil([&] { return !runs(child); }));
}

TEST(CompilerProcess, IdleServerKeepsAWarmSpareAndUsesIt) {
  BuildClient client(fakeConfig());
  int turn = 0;
  EXPECT_TRUE(waitUntil([&] {
    auto result = client.build(source("where\n# " + std::to_string(turn++)));
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    return says(*result, "warm yes\n");
  }));
}

TEST(CompilerProcess, DeadSpareIsNoObstacle) {
  TemporaryFolder folder;
  BuildClient client(fakeConfig());
  RunningBuild build(client, folder, "");
  build.join();
  for (int i = 0; i < 5; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(30));
    for (pid_t spare : childrenOf(build.server)) {
      kill(spare, SIGKILL);
      // Until the server knows: one that dies with a request in its hands is a failed build, as it should be.
      ASSERT_TRUE(waitUntil([&] { return kill(spare, 0) != 0; }));
    }
    EXPECT_EQ(expectSuccess(client, "# " + std::to_string(i)), "");
  }
}

TEST(CompilerProcess, ChildHasItsOwnSurroundings) {
  EXPECT_EQ(inChild([]() -> std::string {
              setenv("LD_PRELOAD", "", 1);               // NOLINT(concurrency-mt-unsafe)
              setenv("OCL_ICD_VENDORS", "/anywhere", 1); // NOLINT(concurrency-mt-unsafe)
              setenv("LD_LIBRARY_PATH", "/anywhere", 1); // NOLINT(concurrency-mt-unsafe)
              signal(SIGUSR1, SIG_IGN);
              sigset_t set;
              sigemptyset(&set);
              sigaddset(&set, SIGUSR2);
              sigprocmask(SIG_BLOCK, &set, nullptr);
              int leaked = open("/etc/passwd", O_RDONLY); // without close-on-exec
              BuildClient client(fakeConfig());
              std::string log;
              // The first build's child is made for it, a later one's is a spare: both must be right.
              for (int turn = 0; turn < 2; ++turn) {
                log = client.build(source("where\n# " + std::to_string(turn)))->log;
                if (log.find("fd 0 /dev/null\nfd 1 /dev/null\nfd 2 /memfd:") != 0) return log;
                int descriptors = 0;
                for (std::size_t at = 0; (at = log.find("fd ", at)) != std::string::npos; ++at)
                  ++descriptors;
                if (descriptors > 5) return "descriptors leak into the child: " + log;
                for (const char* wrong : {"passwd", "variable", "not default", "signalfd"})
                  if (log.find(wrong) != std::string::npos) return wrong + (": " + log);
                // A session of its own would be a scheduler group of its own.
                const std::string session = "session " + std::to_string(getsid(0)) + "\n";
                for (const std::string& right : {std::string("folder /\n"), std::string("process group own\n"), session,
                                                 std::string("new-privileges no\n"), std::string("core-limit 0\n")})
                  if (log.find(right) == std::string::npos) return right + (" is missing: " + log);
                std::this_thread::sleep_for(std::chrono::milliseconds(200));
              }
              close(leaked);
              return {};
            }),
            "");
}

TEST(CompilerProcess, AServerStartsNoServer) {
  // A program that is no compiler and uses OpenCL would start itself without end.
  setenv("CLOTHO_SERVING", "1", 1); // NOLINT(concurrency-mt-unsafe)
  SpawnedServer nested = spawnServer(CLOTHO_FAKE_COMPILER, copyOfEnvironment());
  unsetenv("CLOTHO_SERVING"); // NOLINT(concurrency-mt-unsafe)
  EXPECT_FALSE(nested.control);
  EXPECT_EQ(nested.error, ELOOP);
}

TEST(CompilerProcess, GarbageOnItsSocketsDoesNotStopTheServer) {
  SpawnedServer server = spawnServer(CLOTHO_FAKE_COMPILER, copyOfEnvironment());
  ASSERT_TRUE(server.control) << server.error;
  Message hello = receiveMessage(server.control.get(), 0);
  ASSERT_EQ(hello.kind, Message::Kind::Text);
  ASSERT_TRUE(parseHello(hello.text)->ready);
  auto submit = [&](const std::string& bytes) {
    FdPair pair = makeSocketPair(SOCK_STREAM);
    EXPECT_TRUE(sendMessage(server.control.get(), "build", pair.second.get()));
    pair.second.reset();
    send(pair.first.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
    shutdown(pair.first.get(), SHUT_WR);
    EXPECT_TRUE(receiveAccepted(pair.first.get()));
    return receiveFrame(pair.first.get());
  };
  auto frame = [](const std::string& payload) {
    FrameHeader header = FrameHeader::of(payload);
    return std::string(reinterpret_cast<const char*>(&header), sizeof header) + payload;
  };
  EXPECT_TRUE(sendMessage(server.control.get(), "no socket with it"));
  EXPECT_TRUE(sendMessage(server.control.get(), std::string(5000, 'x')));
  std::string good = serialise(source("# good"));
  std::string damaged = frame(good);
  damaged[damaged.size() / 2] ^= 1;
  FrameHeader huge = FrameHeader::of("");
  huge.size = std::uint64_t{1} << 40;
  for (const std::string& bytes :
       {std::string(), std::string("rubbish"), std::string(1000, 'r'), frame("rubbish"), frame(good).substr(0, 40),
        damaged, std::string(reinterpret_cast<const char*>(&huge), sizeof huge)}) {
    auto answer = submit(bytes);
    ASSERT_TRUE(answer);
    auto result = parseResult(*answer);
    ASSERT_TRUE(result);
    EXPECT_EQ(result->status, BuildStatus::Failure);
    EXPECT_FALSE(result->log.empty());
  }
  auto answer = submit(frame(good));
  ASSERT_TRUE(answer);
  EXPECT_EQ(parseResult(*answer)->status, BuildStatus::Success);
}

TEST(InProcessCompiler, BuildsWithoutAProcess) {
  ClientConfig config = fakeConfig();
  config.inProcess = true;
  config.compiler = CLOTHO_FAKE_MODULE;
  BuildClient client(config);
  TemporaryFolder folder;
  std::string mark = folder / "mark";
  ASSERT_EQ(expectSuccess(client, "mark " + mark + "\n"), "");
  pid_t self = -1;
  std::istringstream(readFile(mark)) >> self;
  EXPECT_EQ(self, getpid());
  std::vector<std::thread> threads;
  std::atomic<int> good{0};
  for (int t = 0; t < 8; ++t)
    threads.emplace_back([&, t] { good += expectSuccess(client, "# " + std::to_string(t)).empty(); });
  for (std::thread& thread : threads)
    thread.join();
  EXPECT_EQ(good, 8);
}

TEST(InProcessCompiler, MissingLibraryIsUnavailable) {
  ClientConfig config = fakeConfig();
  config.inProcess = true;
  config.compiler = "/nowhere/libclotho-compiler.so";
  BuildClient client(config);
  auto result = client.build(source("#"));
  EXPECT_EQ(result->status, BuildStatus::Unavailable);
  EXPECT_TRUE(says(*result, "/nowhere/libclotho-compiler.so")) << result->log;
}

} // namespace
} // namespace clotho::test
