// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/client/spawn.hpp"

#include "base/thread_affinity.hpp"
#include "base/uninstrumented.hpp"
#include "compiler/client/channel.hpp"
#include "compiler/client/protocol.hpp"
#include "compiler/client/subreaper.hpp"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <sched.h>
#include <spawn.h>
#include <string_view>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <vector>

// The C library's clone under the name that sanitizers do not intercept: they treat every clone as a fork, but this one
// shares the address space.
extern "C" int __clone(int (*function)(void*), void* stack, int flags, void* argument, ...) noexcept; // NOLINT

namespace clotho {

namespace {

/// Data of the intermediate process, prepared before it exists: it may call nothing that allocates or locks.
struct Plan {
  const char* path;
  char* const* arguments;
  char* const* environment;
  const posix_spawn_file_actions_t* actions;
  const posix_spawnattr_t* attributes;
  Scheduling scheduling;
  int handOver; ///< Socket that passes the control socket to the application
  void* stack;
  std::size_t stackSize;
  pid_t server;
  int error;
};

CLOTHO_UNINSTRUMENTED bool handOver(int channel, int fd) {
  char byte = 0;
  iovec part{&byte, 1};
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof fd)] = {};
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  message.msg_control = control;
  message.msg_controllen = sizeof control;
  auto* header = reinterpret_cast<cmsghdr*>(control);
  header->cmsg_level = SOL_SOCKET;
  header->cmsg_type = SCM_RIGHTS;
  header->cmsg_len = CMSG_LEN(sizeof fd);
  __builtin_memcpy(CMSG_DATA(header), &fd, sizeof fd);
  return syscall(SYS_sendmsg, channel, &message, MSG_NOSIGNAL) == 1;
}

/// The intermediate process: shares the application's memory but not its descriptors. So the server's end of the
/// control socket never exists in the application, where a fork by another thread could copy it and keep the socket
/// from ever reporting the server's death. System calls bypass the sanitizers' wrappers, whose records are about the
/// application's descriptors.
CLOTHO_UNINSTRUMENTED int intermediate(void* argument) {
  auto& plan = *static_cast<Plan*>(argument);
  takeScheduling(plan.scheduling);
  int ends[2];
  if (syscall(SYS_socketpair, AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0 ||
      !handOver(plan.handOver, ends[0])) {
    plan.error = errno;
    return 1;
  }
  // A descriptor of the application's with this number is only a copy here.
  if (ends[1] == kControlFd)
    syscall(SYS_fcntl, ends[1], F_SETFD, 0);
  else if (syscall(SYS_dup3, ends[1], kControlFd, 0) < 0) {
    plan.error = errno;
    return 1;
  }
  plan.error = posix_spawn(&plan.server, plan.path, plan.actions, plan.attributes, plan.arguments, plan.environment);
  return plan.error == 0 ? 0 : 1;
}

/// The intermediate process if orphans are reparented to the application: a copy of the application that stays as the
/// server's parent. The outcome goes over the channel, since memory is not shared.
CLOTHO_UNINSTRUMENTED int stayingIntermediate(void* argument) {
  auto& plan = *static_cast<Plan*>(argument);
  intermediate(argument);
  syscall(SYS_sendto, plan.handOver, &plan.error, sizeof plan.error, MSG_NOSIGNAL, nullptr, 0);
  if (plan.error) return 1;
  keep(plan.server, plan.stack, plan.stackSize);
}

/// The last staying intermediate process, which is reaped when the next one starts.
constinit std::atomic<pid_t> subreaper{0};

struct Stack {
  static constexpr std::size_t kSize = 256 << 10;
  Stack() : base(mmap(nullptr, kSize, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK, -1, 0)) {}
  ~Stack() {
    if (base != MAP_FAILED) munmap(base, kSize);
  }
  Stack(const Stack&) = delete;
  Stack& operator=(const Stack&) = delete;
  void* base;
};

/// Blocks signals: no handler of the application may run in the intermediate process, which shares its memory but is
/// another process. SIGSYS of a sandbox, which answers for system calls, is not blocked: if it were, the call would end
/// the process, and with it the application.
class BlockSignals {
 public:
  BlockSignals() {
    sigset_t others;
    sigfillset(&others);
    sigdelset(&others, SIGSYS);
    pthread_sigmask(SIG_BLOCK, &others, &before_);
  }
  ~BlockSignals() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  BlockSignals(const BlockSignals&) = delete;
  BlockSignals& operator=(const BlockSignals&) = delete;

 private:
  sigset_t before_;
};

/// Environment variable of every server: CLOTHO_COMPILER may name any program, and if that uses OpenCL it must not
/// start itself again endlessly.
char servingMark[] = "CLOTHO_SERVING=1";

/// The application's environment for exec, without variables that concern only the application. LD_LIBRARY_PATH is left
/// out for the sake of conda, MATLAB and AppImages: the compiler would load their LLVM or C++ library instead of its
/// own, which it finds by its RUNPATH.
std::vector<char*> serverEnvironment(const Environment& environment, bool keepsLibraryPath) {
  std::vector<char*> result{servingMark};
  for (const std::string& text : environment) {
    if (text.starts_with("LD_PRELOAD=") || text.starts_with("OCL_ICD") || text.starts_with("LD_AUDIT=")) continue;
    if (!keepsLibraryPath && text.starts_with("LD_LIBRARY_PATH=")) continue;
    result.push_back(const_cast<char*>(text.c_str()));
  }
  result.push_back(nullptr);
  return result;
}

class SpawnSetup {
 public:
  SpawnSetup() {
    error_ = posix_spawn_file_actions_init(&actions);
    if (!error_) error_ = posix_spawnattr_init(&attributes);
    add(posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0));
    add(posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0));
    add(posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0));
    add(posix_spawn_file_actions_addclosefrom_np(&actions, kControlFd + 1));
    sigset_t set;
    sigfillset(&set);
    add(posix_spawnattr_setsigdefault(&attributes, &set));
    sigemptyset(&set);
    add(posix_spawnattr_setsigmask(&attributes, &set));
    add(posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETPGROUP));
    // A process group of its own, number 0, keeps the terminal's signals away. A session would, too, but would be a
    // scheduler group of its own.
    add(posix_spawnattr_setpgroup(&attributes, 0));
  }
  ~SpawnSetup() {
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&attributes);
  }
  SpawnSetup(const SpawnSetup&) = delete;
  SpawnSetup& operator=(const SpawnSetup&) = delete;
  int error() const { return error_; }

  posix_spawn_file_actions_t actions{};
  posix_spawnattr_t attributes{};

 private:
  void add(int error) {
    if (!error_) error_ = error;
  }
  int error_ = 0;
};

} // namespace

Environment copyOfEnvironment() {
  Environment copy;
  for (char** entry = environ; entry && *entry; ++entry)
    copy.emplace_back(*entry);
  return copy;
}

bool hasVariable(const Environment& environment, std::string_view name) noexcept {
  return std::any_of(environment.begin(), environment.end(), [&](std::string_view entry) {
    return entry.starts_with(name) && entry.substr(name.size()).starts_with('=');
  });
}

SpawnedServer spawnServer(const std::string& path, const Environment& applications, bool keepsLibraryPath,
                          std::vector<std::string> arguments) {
  if (hasVariable(applications, "CLOTHO_SERVING")) return {{}, ELOOP};
  std::vector<char*> environment = serverEnvironment(applications, keepsLibraryPath);
  std::string program = path;
  std::vector<char*> pointers{program.data()};
  for (std::string& argument : arguments)
    pointers.push_back(argument.data());
  pointers.push_back(nullptr);
  SpawnSetup setup;
  if (setup.error()) return {{}, setup.error()};
  Stack stack;
  if (stack.base == MAP_FAILED) return {{}, errno};
  FdPair channel = makeSocketPair(SOCK_SEQPACKET);
  if (!channel) return {{}, errno};

  Plan plan{program.c_str(),
            pointers.data(),
            environment.data(),
            &setup.actions,
            &setup.attributes,
            schedulingOfProcess(),
            channel.second.get(),
            stack.base,
            Stack::kSize,
            0,
            0};
  bool stays = orphansComeBack();
  {
    BlockSignals blocked;
    // Exit signal 0: its end is reported neither by a signal nor by a plain wait(). The server itself cannot have that,
    // since exec restores SIGCHLD; it becomes an orphan when the intermediate process ends, or keeps it as its parent.
    pid_t pid = __clone(stays ? stayingIntermediate : intermediate, static_cast<char*>(stack.base) + Stack::kSize,
                        stays ? 0 : CLONE_VM | CLONE_VFORK, &plan);
    if (pid < 0) return {{}, errno};
    int status;
    if (stays) {
      if (pid_t former = subreaper.exchange(pid)) waitpid(former, &status, __WCLONE | WNOHANG);
    } else {
      retryInterrupted([&] { return waitpid(pid, &status, __WALL); });
    }
  }
  if (plan.error) return {{}, plan.error};
  channel.second.reset(); // a channel without an end that could send says so
  UniqueFd control = receiveDescriptor(channel.first.get(), stays ? 0 : MSG_DONTWAIT);
  if (!control) return {{}, EPIPE};
  if (stays) {
    Message outcome = receiveMessage(channel.first.get(), 0);
    if (outcome.text.size() != sizeof plan.error) return {{}, EPIPE};
    std::memcpy(&plan.error, outcome.text.data(), sizeof plan.error);
    if (plan.error) return {{}, plan.error};
  }
  return {std::move(control), 0};
}

} // namespace clotho
