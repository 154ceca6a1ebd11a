// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/service/child.hpp"

#include "base/options.hpp"
#include "compiler/client/channel.hpp"
#include "compiler/client/protocol.hpp"
#include "compiler/service/sandbox.hpp"

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <linux/capability.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

namespace clotho::service {

namespace {

constexpr rlim_t kMemory = rlim_t{8} << 30;

enum ExitStatus { kAnswered = 0, kBadRequest = 3, kNotAnswered = 4, kOrphan = 5 };

/// Limit of CPU time for builds that would never end: macros can be made to expand without bound.
rlim_t cpuSeconds() { return options().buildCpuSeconds != 0 ? rlim_t{options().buildCpuSeconds} : RLIM_INFINITY; }

rlim_t lowered(__rlimit_resource resource, rlim_t wanted) {
  rlimit limit;
  return getrlimit(resource, &limit) == 0 ? std::min(limit.rlim_cur, wanted) : wanted;
}

/// Lowers a limit permanently: code in the child cannot raise it. `grace`: distance from the soft limit to the hard
/// one, at which SIGKILL is sent.
void lowerLimit(__rlimit_resource resource, rlim_t wanted, rlim_t grace = 0) {
  rlimit limit;
  if (getrlimit(resource, &limit) != 0) return;
  limit.rlim_cur = lowered(resource, wanted);
  if (limit.rlim_cur < limit.rlim_max - std::min(limit.rlim_max, grace)) limit.rlim_max = limit.rlim_cur + grace;
  setrlimit(resource, &limit);
}

/// Address space that the process has reserved so far; with sanitizers that is terabytes.
rlim_t addressSpaceInUse() {
  UniqueFd file(open("/proc/self/statm", O_RDONLY | O_CLOEXEC));
  char text[64] = {};
  if (!file || read(file.get(), text, sizeof text - 1) <= 0) return 0;
  return static_cast<rlim_t>(std::strtoull(text, nullptr, 10)) * static_cast<rlim_t>(sysconf(_SC_PAGESIZE));
}

/// Drops root's capabilities except that of reading files of other owners: include folders may be any user's.
void dropCapabilities() {
  __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
  __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3] = {};
  if (syscall(SYS_capget, &header, data) != 0) return;
  constexpr __u32 kKeep = __u32{1} << CAP_DAC_READ_SEARCH;
  data[0] = {data[0].effective & kKeep, data[0].permitted & kKeep, 0};
  data[1] = {};
  syscall(SYS_capset, &header, data);
}

std::string tailOf(int output) {
  constexpr off_t kTail = 4096;
  struct stat status;
  if (output < 0 || fstat(output, &status) != 0 || status.st_size <= 0) return {};
  off_t begin = std::max<off_t>(0, status.st_size - kTail);
  std::string text(static_cast<std::size_t>(status.st_size - begin), '\0');
  ssize_t got = pread(output, text.data(), text.size(), begin);
  text.resize(static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
  if (begin > 0) text.erase(0, std::min(text.find('\n'), text.size() - 1) + 1); // the rest of a line
  if (!text.empty() && text.back() != '\n') text += '\n';
  return text;
}

} // namespace

void enterChild(Core& core, pid_t server, int output) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != server) _exit(kOrphan); // it died before it could be asked to take this child along
  sigset_t none;
  sigemptyset(&none);
  pthread_sigmask(SIG_SETMASK, &none, nullptr);
  if (output >= 0) dup2(output, STDERR_FILENO);

  lowerLimit(RLIMIT_CORE, 0);
  lowerLimit(RLIMIT_CPU, cpuSeconds(), 5);
  lowerLimit(RLIMIT_AS, addressSpaceInUse() + kMemory);
  lowerLimit(RLIMIT_FSIZE, kMemory);
  dropCapabilities();
  if (core.acceptSandbox()) enterSandbox();
}

std::uint64_t wallSeconds() { return options().buildSeconds; }

void serveRequest(Core& core, int request) {
  std::optional<std::string> bytes = receiveFrame(request);
  // A client that has gone needs no answer; for one that speaks another version, the server answers.
  std::optional<BuildRequest> parsed = bytes ? parseRequest(*bytes) : std::nullopt;
  if (!parsed) _exit(kBadRequest);
  bytes.reset();
  BuildResult result = core.build(*parsed);
  _exit(sendFrame(request, serialise(result)) ? kAnswered : kNotAnswered);
}

void serveSpare(Core& core, int handOff) {
  if (!sendMessage(handOff, "warm")) _exit(kOrphan);
  Message message = receiveMessage(handOff, 0);
  if (!message.fd) _exit(kOrphan);
  close(handOff);
  serveRequest(core, message.fd.get());
}

std::string crashReport(int status, int output, bool ranOut) {
  std::string text;
  if (ranOut) {
    text = "the build was stopped: it took longer than the " + std::to_string(wallSeconds()) + " seconds that it may";
  } else if (WIFSIGNALED(status)) {
    int signal = WTERMSIG(status);
    const char* name = sigabbrev_np(signal);
    std::string known = name ? "SIG" + std::string(name) : "signal " + std::to_string(signal);
    if (signal == SIGXCPU)
      text = "the build was stopped: it used more than the " + std::to_string(lowered(RLIMIT_CPU, cpuSeconds())) +
             " seconds of processor time that it may";
    else if (signal == SIGKILL || signal == SIGTERM)
      text = "the compiler was killed (" + known + ") while building this program";
    else
      text = "the compiler crashed (" + known + ") while building this program";
  } else if (WEXITSTATUS(status) == kBadRequest) {
    text = "the compiler did not understand the request: libclotho and clotho-compiler may be of different versions";
  } else {
    text = "the compiler ended (status " + std::to_string(WEXITSTATUS(status)) + ") while building this program";
  }
  return text + "\n" + tailOf(output);
}

} // namespace clotho::service
