// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A compiler that does what the source tells it, one order a line, to test the process around the compiler:
//   say TEXT       on standard error
//   warn TEXT      into the log
//   sleep MS | spin | eat (memory without end) | exit STATUS | signal NUMBER
//   read FILE      a header: a dependency; its contents go into the object
//   load FILE      the file is the object
//   pad BYTES      makes the object larger
//   mark FILE      makes a file, for tests that wait until the build runs
//   where          the process's surroundings go into the log
//   fail           the build fails
//   confined       whether the child may open files for writing goes into the log
// The object is the source unless an order says otherwise; the portable module is the source too.
#include "compiler/client/channel.hpp"
#include "compiler/client/protocol.hpp"
#include "compiler/service/make_core.hpp"

#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dirent.h>
#include <fcntl.h>
#include <fstream>
#include <sstream>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <thread>
#include <unistd.h>
#include <vector>
#include <xxhash.h>

namespace clotho::service {

namespace {

std::string contentsOf(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream out;
  out << in.rdbuf();
  return out.str();
}

std::string linkAt(const std::string& path) {
  char target[4096];
  ssize_t size = readlink(path.c_str(), target, sizeof target);
  return size < 0 ? std::string() : std::string(target, static_cast<std::size_t>(size));
}

std::string surroundings() {
  std::ostringstream out;
  for (int fd = 0; fd < 1024; ++fd) {
    std::string target = linkAt("/proc/self/fd/" + std::to_string(fd));
    if (!target.empty()) out << "fd " << fd << " " << target << "\n";
  }
  out << "folder " << linkAt("/proc/self/cwd") << "\n";
  out << "process group " << (getpgid(0) == getppid() ? "own" : "foreign") << "\n";
  out << "session " << getsid(0) << "\n";
  out << "new-privileges " << (prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) ? "no" : "yes") << "\n";
  rlimit core{};
  getrlimit(RLIMIT_CORE, &core);
  out << "core-limit " << core.rlim_cur << "\n";
  for (const char* variable : {"LD_PRELOAD", "LD_LIBRARY_PATH", "OCL_ICD_VENDORS"})
    if (getenv(variable)) out << "variable " << variable << "\n"; // NOLINT(concurrency-mt-unsafe)
  sigset_t mask;
  sigprocmask(SIG_SETMASK, nullptr, &mask);
  for (int signal = 1; signal < NSIG; ++signal) {
    struct sigaction action;
    bool blocked = sigismember(&mask, signal) == 1;
    bool ignored = sigaction(signal, nullptr, &action) == 0 && action.sa_handler == SIG_IGN;
    if (blocked || ignored) out << "signal " << signal << " not default\n";
  }
  return out.str();
}

class FakeCore final : public Core {
 public:
  BuildResult build(const BuildRequest& request) override {
    BuildResult result;
    result.status = BuildStatus::Success;
    result.object = result.portable = request.source;
    BuiltKernel kernel;
    kernel.info.name = "options:" + request.options;
    kernel.info.args.resize(2);
    kernel.info.args[1].name = request.workingDirectory;
    result.kernels.push_back(kernel);
    std::istringstream lines(request.source);
    for (std::string line; std::getline(lines, line);)
      obey(line, result);
    return result;
  }

  void warmUp() override { warm_ = true; }

  // Marks are files that builds make.
  bool acceptSandbox() override { return getenv("CLOTHO_FAKE_SANDBOX"); } // NOLINT(concurrency-mt-unsafe)

 private:
  void obey(const std::string& line, BuildResult& result) {
    std::size_t space = line.find(' ');
    std::string order = line.substr(0, space);
    std::string rest = space == std::string::npos ? std::string() : line.substr(space + 1);
    if (order == "say") {
      std::fprintf(stderr, "%s\n", rest.c_str());
    } else if (order == "warn") {
      result.log += rest + "\n";
    } else if (order == "sleep") {
      std::this_thread::sleep_for(std::chrono::milliseconds(std::stoi(rest)));
    } else if (order == "spin") {
      for (volatile unsigned i = 0;;)
        i = i + 1;
    } else if (order == "eat") {
      for (;;)
        std::memset(::operator new(std::size_t{64} << 20), 1, 4096);
    } else if (order == "exit") {
      std::exit(std::stoi(rest)); // NOLINT(concurrency-mt-unsafe)
    } else if (order == "signal") {
      int number = std::stoi(rest);
      std::signal(number, SIG_DFL); // a sanitizer may have a handler of its own
      std::raise(number);
    } else if (order == "read") {
      std::string text = contentsOf(rest);
      XXH128_hash_t hash = XXH3_128bits(text.data(), text.size());
      result.dependencies.push_back({rest, {hash.low64, hash.high64}});
      result.object += text;
    } else if (order == "load") {
      result.object = contentsOf(rest);
    } else if (order == "pad") {
      result.object.append(std::stoul(rest), 'x');
    } else if (order == "mark") {
      std::ofstream(rest) << getpid() << " " << getppid() << "\n";
    } else if (order == "where") {
      result.log += surroundings() + (warm_ ? "warm yes\n" : "warm no\n");
    } else if (order == "confined") {
      const int file = open("/dev/null", O_WRONLY | O_CLOEXEC);
      result.log += file < 0 ? "confined\n" : "free\n";
      close(file);
    } else if (order == "fail") {
      result.status = BuildStatus::Failure;
    }
  }

  bool warm_ = false;
};

} // namespace

namespace {

/// What a compiler of another version does: says so, takes requests, and answers what this version cannot read.
[[noreturn]] void serveAsAnotherVersion() {
  const std::uint32_t version = kProtocolVersion + 1;
  std::string payload = "what only the next version understands";
  Hello hello;
  hello.version = version;
  sendMessage(kControlFd, serialise(hello) + payload);
  for (;;) {
    Message message = receiveMessage(kControlFd, 0);
    if (message.kind == Message::Kind::Closed) _exit(0);
    if (!message.fd) continue;
    sendAccepted(message.fd.get());
    FrameHeader header = FrameHeader::of(payload);
    header.version = version;
    send(message.fd.get(), &header, sizeof header, MSG_NOSIGNAL);
    send(message.fd.get(), payload.data(), payload.size(), MSG_NOSIGNAL);
    shutdown(message.fd.get(), SHUT_RDWR);
  }
}

/// Says nothing, as if it could not start, but not before it is killed: tells the file of every request that comes, a
/// line each with this process's number, so that tests know who waits for it.
[[noreturn]] void hangAtStart(const char* file) {
  std::vector<Message> requests; // whose senders would take a closed stream for the end of this process
  for (;;) {
    requests.push_back(receiveMessage(kControlFd, 0));
    if (requests.back().kind == Message::Kind::Closed) _exit(0);
    std::ofstream(file, std::ios::app) << getpid() << std::endl;
  }
}

} // namespace

std::unique_ptr<Core> makeCore(const std::string& self, std::string& why) {
  // NOLINTNEXTLINE(concurrency-mt-unsafe)
  if (const char* reason = getenv("CLOTHO_FAKE_BROKEN")) {
    if (!std::strcmp(reason, "die")) _exit(1);
    if (!std::strcmp(reason, "version")) serveAsAnotherVersion();
    // As the system's loader ends a program whose libraries it does not find.
    if (!std::strcmp(reason, "library") && !getenv("LD_LIBRARY_PATH")) {        // NOLINT(concurrency-mt-unsafe)
      if (const char* file = getenv("CLOTHO_FAKE_REQUESTS")) hangAtStart(file); // NOLINT(concurrency-mt-unsafe)
      _exit(127);
    }
    if (!std::strcmp(reason, "library")) return std::make_unique<FakeCore>();
    why = reason;
    return nullptr;
  }
  return std::make_unique<FakeCore>();
}

} // namespace clotho::service
