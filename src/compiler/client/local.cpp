// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/client/local.hpp"

#include "base/clock.hpp"
#include "base/fork_gate.hpp"
#include "base/loader_error.hpp"
#include "base/unique_fd.hpp"
#include "compiler/client/protocol.hpp"

#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <ctime>
#include <dlfcn.h>
#include <optional>
#include <unistd.h>

namespace clotho {

namespace {

// At the end of a process LLVM's destructors run, beside threads that are in a build still. What follows keeps the two
// apart. It is of the process, since the library is.
constinit std::atomic<bool> isEnding{false};
constinit std::atomic<int> buildsUnderWay{0};
constinit std::atomic<pid_t> process{0};

/// A build, unless the process ends.
class UnderWay {
 public:
  UnderWay() noexcept { buildsUnderWay.fetch_add(1, std::memory_order_seq_cst); }
  UnderWay(const UnderWay&) = delete;
  UnderWay& operator=(const UnderWay&) = delete;
  ~UnderWay() { buildsUnderWay.fetch_sub(1, std::memory_order_seq_cst); }
  bool mayBegin() const noexcept { return !isEnding.load(std::memory_order_seq_cst); }
};

void awaitBuilds(int, void*) noexcept {
  constexpr std::uint64_t kPatience = 10'000'000'000; // ns
  constexpr timespec kPause{0, 1'000'000};
  if (getpid() != process.load()) return; // a forked child has none of the threads
  isEnding.store(true, std::memory_order_seq_cst);
  for (const std::uint64_t end = hostTime() + kPatience;
       buildsUnderWay.load(std::memory_order_seq_cst) != 0 && hostTime() < end;)
    nanosleep(&kPause, nullptr);
}

/// Has the end of the process wait for builds. Handlers run in the reverse order, and those of objects that LLVM makes
/// when it first needs them are registered in the first builds: each build after them registers this one again. (So the
/// end of a process in its very first build may still meet such an object.) Unlike atexit(), on_exit() is of the
/// process, not of this library.
void waitAtExit() noexcept {
  constexpr int kFirstBuilds = 32;
  static int registered = 0;
  if (process.exchange(getpid()) != getpid()) buildsUnderWay.store(0); // in a forked child the parent's are none
  if (registered < kFirstBuilds && on_exit(awaitBuilds, nullptr) == 0) ++registered;
}

} // namespace

LocalCompiler::Compile* LocalCompiler::load(std::string& why) {
  if (compile_) return compile_;
  if (path_.empty()) {
    why = "no libclotho-compiler.so was found";
    return nullptr;
  }
  const ForkGate gate;
  const StandardStreamsTaken streams;
  void* library = dlopen(path_.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
  void* symbol = library ? dlsym(library, "clotho_compile") : nullptr;
  if (!symbol) {
    why = "the compiler library could not be loaded: " + loaderError(path_);
    return nullptr;
  }
  compile_ = reinterpret_cast<Compile*>(symbol);
  return compile_;
}

void LocalCompiler::start() {
  MutexLock lock(mutex_);
  std::string why;
  load(why);
}

BuildResult LocalCompiler::build(const BuildRequest& request) {
  std::string bytes = serialise(request);
  std::string answer;
  BuildResult failure;
  {
    MutexLock lock(mutex_);
    Compile* compile = load(failure.log);
    if (!compile) {
      failure.status = BuildStatus::Unavailable;
      failure.log += '\n';
      return failure;
    }
    waitAtExit();
    const UnderWay build;
    if (!build.mayBegin()) {
      failure.status = BuildStatus::Unavailable;
      failure.log = "the process ends\n";
      return failure;
    }
    auto keep = [](void* to, const char* data, std::size_t size) { static_cast<std::string*>(to)->assign(data, size); };
    compile(bytes.data(), bytes.size(), keep, &answer);
  }
  if (auto result = parseResult(answer)) return *std::move(result);
  failure.log = "the compiler library gave no usable answer: is it of another version?\n";
  return failure;
}

} // namespace clotho
