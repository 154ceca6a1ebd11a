// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/service/server.hpp"

#include "compiler/client/channel.hpp"
#include "compiler/client/protocol.hpp"
#include "compiler/service/child.hpp"
#include "compiler/service/sandbox.hpp"

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <poll.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>

namespace clotho::service {

namespace {

constexpr int kMaxFailedSpares = 3;
constexpr int kPauseMs = 2; // without requests, before a spare is made: its warming up must not compete with a build

void raiseLimit(__rlimit_resource resource, rlim_t wanted) {
  rlimit limit;
  if (getrlimit(resource, &limit) != 0 || limit.rlim_cur >= wanted) return;
  limit.rlim_cur = std::min(limit.rlim_max, wanted);
  setrlimit(resource, &limit);
}

UniqueFd childEventsFd() {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGCHLD);
  pthread_sigmask(SIG_BLOCK, &set, nullptr);
  return UniqueFd(signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK));
}

void answerFor(int request, std::string log) {
  BuildResult result;
  result.status = BuildStatus::Failure;
  result.log = std::move(log);
  std::string payload = serialise(result);
  FrameHeader header = FrameHeader::of(payload);
  std::string frame(reinterpret_cast<const char*>(&header), sizeof header);
  frame += payload;
  // The frame fits into the socket's buffer, unless the child has filled it, and then the answer is damaged anyway: the
  // server waits for no client. The shutdown tells a client that is still sending its request that it will not be read.
  send(request, frame.data(), frame.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
  shutdown(request, SHUT_RDWR);
}

} // namespace

void leaveSurroundings() {
  if (chdir("/") != 0) _exit(EXIT_FAILURE);
  umask(077);
  prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
  // Waiting requests are descriptors, and deeply nested sources cause deep recursion in clang.
  raiseLimit(RLIMIT_NOFILE, 1 << 16);
  raiseLimit(RLIMIT_STACK, 64 << 20);
  // Files written here are in memory; the limit is meant for the application's files.
  raiseLimit(RLIMIT_FSIZE, RLIM_INFINITY);
}

Server::Server(Core& core, UniqueFd control, std::size_t maxChildren)
    : core_(core), control_(std::move(control)), childEvents_(childEventsFd()), maxChildren_(maxChildren) {
  Hello hello;
  hello.ready = true;
  hello.reason = sandboxObstacle();
  sendMessage(control_.get(), serialise(hello));
}

void Server::run() {
  for (;;) {
    bool idle = running_.empty() && queue_.empty();
    bool wantSpare = idle && spare_.pid < 0 && failedSpares_ < kMaxFailedSpares;
    int spare = spare_.pid > 0 && !spare_.warm ? spare_.handOff.get() : -1;
    pollfd fds[] = {{control_.get(), POLLIN, 0}, {childEvents_.get(), POLLIN, 0}, {spare, POLLIN, 0}};
    const int timeout = wantSpare ? kPauseMs : endLongBuilds();
    int ready = retryInterrupted([&] { return poll(fds, std::size(fds), timeout); });
    if (ready < 0) return;
    if (ready == 0 && wantSpare) makeSpare();
    if (fds[2].revents) hearSpare();
    if (fds[1].revents) reap();
    if (fds[0].revents && !takeRequests()) return;
    dispatch();
  }
}

bool Server::takeRequests() {
  for (;;) {
    Message message = receiveMessage(control_.get(), MSG_DONTWAIT);
    if (message.kind == Message::Kind::Closed) return false;
    if (message.kind == Message::Kind::None) return true;
    if (!message.fd) continue;
    sendAccepted(message.fd.get());
    queue_.push_back(std::move(message.fd));
  }
}

void Server::hearSpare() {
  Message message = receiveMessage(spare_.handOff.get(), MSG_DONTWAIT);
  if (message.kind == Message::Kind::Text) spare_.warm = true;
  // A dead spare sends nothing more; a signal reports its end.
  if (message.kind == Message::Kind::Closed) spare_.handOff.reset();
}

void Server::reap() {
  signalfd_siginfo info;
  while (read(childEvents_.get(), &info, sizeof info) == sizeof info) {
  }
  int status;
  while (pid_t pid = retryInterrupted([&] { return waitpid(-1, &status, WNOHANG); })) {
    if (pid < 0) return;
    if (pid == spare_.pid) {
      ++failedSpares_;
      spare_ = {};
      continue;
    }
    auto child = std::find_if(running_.begin(), running_.end(), [&](const Child& c) { return c.pid == pid; });
    if (child == running_.end()) continue;
    buried(*child, status);
    running_.erase(child);
  }
}

int Server::endLongBuilds() {
  using namespace std::chrono;
  if (wallSeconds() == 0) return -1;
  constexpr milliseconds kLongest = hours(24); // of one sleep, so that its length is a number for poll
  const milliseconds limit = seconds(std::min<std::uint64_t>(wallSeconds(), UINT32_MAX));
  const auto now = steady_clock::now();
  milliseconds next = kLongest;
  for (Child& child : running_) {
    if (child.ranOut) continue;
    const auto left = ceil<milliseconds>(child.begun + limit - now);
    if (left > milliseconds(0)) {
      next = std::min(next, left);
    } else {
      child.ranOut = true;
      kill(child.pid, SIGKILL);
    }
  }
  return running_.empty() ? -1 : static_cast<int>(next.count());
}

void Server::buried(Child& child, int status) {
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) {
    failedSpares_ = 0;
    return;
  }
  answerFor(child.request.get(), crashReport(status, child.output.get(), child.ranOut));
}

void Server::dispatch() {
  while (!queue_.empty() && running_.size() < maxChildren_) {
    UniqueFd& request = queue_.front();
    if (!useSpare(request) && !startChild(request)) {
      // There are too many processes; one ends when a running build ends.
      if (!running_.empty()) return;
      answerFor(request.get(), "no process for the build could be started\n");
    }
    queue_.pop_front();
  }
}

bool Server::useSpare(UniqueFd& request) {
  // A spare that is still warming up would be slower than a new child.
  if (!spare_.warm || !sendMessage(spare_.handOff.get(), "build", request.get())) return false;
  Child child = std::exchange(spare_, {});
  child.handOff.reset();
  child.request = std::move(request);
  child.begun = std::chrono::steady_clock::now();
  running_.push_back(std::move(child));
  return true;
}

bool Server::startChild(UniqueFd& request) {
  Child child;
  child.output = UniqueFd(memfd_create("clotho-compiler-output", MFD_CLOEXEC));
  running_.reserve(running_.size() + 1);
  pid_t server = getpid();
  child.pid = fork();
  if (child.pid < 0) return false;
  if (child.pid == 0) {
    UniqueFd mine = std::move(request);
    forgetAll();
    enterChild(core_, server, child.output.get());
    serveRequest(core_, mine.get());
  }
  child.request = std::move(request);
  child.begun = std::chrono::steady_clock::now();
  running_.push_back(std::move(child));
  return true;
}

void Server::makeSpare() {
  FdPair handOff = makeSocketPair(SOCK_SEQPACKET);
  if (!handOff) return;
  Child child;
  child.output = UniqueFd(memfd_create("clotho-compiler-output", MFD_CLOEXEC));
  pid_t server = getpid();
  child.pid = fork();
  if (child.pid < 0) {
    ++failedSpares_;
    return;
  }
  if (child.pid == 0) {
    UniqueFd mine = std::move(handOff.second);
    handOff.first.reset();
    forgetAll();
    enterChild(core_, server, child.output.get());
    core_.warmUp();
    serveSpare(core_, mine.get());
  }
  child.handOff = std::move(handOff.first);
  spare_ = std::move(child);
}

void Server::forgetAll() {
  control_.reset();
  childEvents_.reset();
  queue_.clear();
  running_.clear();
  spare_ = {};
}

} // namespace clotho::service
