// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/service/sandbox.hpp"

#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <fcntl.h>
#include <initializer_list>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <vector>

namespace clotho::service {

namespace {

#if defined(__x86_64__)
constexpr std::uint32_t kArchitecture = AUDIT_ARCH_X86_64;
#elif defined(__aarch64__)
constexpr std::uint32_t kArchitecture = AUDIT_ARCH_AARCH64;
#else
constexpr std::uint32_t kArchitecture = 0; // no filter for others
#endif

/// The last system call in these lists, in the numbers that all architectures share. Newer calls fail as nonexistent,
/// so that the C library works without them.
constexpr std::uint32_t kLastKnown = 462;

/// Calls that are allowed with any arguments, frequent ones first.
constexpr std::uint32_t kAllowed[] = {
    // Memory and threads.
    SYS_mmap,
    SYS_munmap,
    SYS_mprotect,
    SYS_madvise,
    SYS_brk,
    SYS_mremap,
    SYS_futex,
    SYS_sched_yield,
    SYS_set_robust_list,
    SYS_rseq,
    SYS_set_tid_address,
    SYS_sched_getaffinity,
    SYS_membarrier,
    SYS_mincore,
    SYS_exit,
    SYS_exit_group,
    SYS_getpid,
    SYS_gettid,
    SYS_getppid,
    SYS_getsid,
    SYS_getcpu,
    SYS_restart_syscall,
    // Open files.
    SYS_read,
    SYS_write,
    SYS_pread64,
    SYS_pwrite64,
    SYS_readv,
    SYS_writev,
    SYS_preadv,
    SYS_lseek,
    SYS_fstat,
    SYS_close,
    SYS_close_range,
    SYS_dup,
    SYS_dup3,
    SYS_pipe2,
    SYS_memfd_create,
    SYS_ftruncate,
    SYS_fadvise64,
    SYS_ppoll,
    SYS_recvmsg,
    SYS_recvfrom,
    SYS_sendmsg,
    SYS_shutdown,
    // Lookups of files.
    SYS_newfstatat,
    SYS_statx,
    SYS_statfs,
    SYS_fstatfs,
    SYS_faccessat,
    SYS_faccessat2,
    SYS_readlinkat,
    SYS_getdents64,
    SYS_getcwd,
    // Signals to itself, time, and queries about itself.
    SYS_rt_sigaction,
    SYS_rt_sigprocmask,
    SYS_rt_sigreturn,
    SYS_sigaltstack,
    SYS_clock_gettime,
    SYS_clock_getres,
    SYS_clock_nanosleep,
    SYS_nanosleep,
    SYS_gettimeofday,
    SYS_getrandom,
    SYS_getrusage,
    SYS_times,
    SYS_sysinfo,
    SYS_uname,
    SYS_getuid,
    SYS_geteuid,
    SYS_getgid,
    SYS_getegid,
    SYS_umask,
    SYS_get_mempolicy,
#if defined(__x86_64__)
    SYS_arch_prctl,
    SYS_stat,
    SYS_lstat,
    SYS_access,
    SYS_readlink,
    SYS_getdents,
    SYS_poll,
    SYS_pipe,
    SYS_dup2,
    SYS_time,
    SYS_getrlimit,
    SYS_setrlimit,
#endif
};

/// Builds a seccomp filter. Each part either answers or leaves the call to the next part, so that no jump is long.
class Filter {
 public:
  Filter() {
    load(offsetof(seccomp_data, arch));
    jump(BPF_JEQ, kArchitecture, 1, 0);
    refuse(EPERM);
    load(offsetof(seccomp_data, nr));
  }

  void allow(std::uint32_t call) {
    jump(BPF_JEQ, call, 0, 1);
    answer(SECCOMP_RET_ALLOW);
  }
  void refuse(std::uint32_t call, int error) {
    jump(BPF_JEQ, call, 0, 1);
    refuse(error);
  }
  void refuseAbove(std::uint32_t call, int error) {
    jump(BPF_JGT, call, 0, 1);
    refuse(error);
  }
  /// Allows the call if none of the bits is set in the argument.
  void allowWithout(std::uint32_t call, unsigned argument, std::uint32_t bits) { allowByBits(call, argument, bits, 0); }
  /// Allows the call if at least one of the bits is set in the argument.
  void allowWith(std::uint32_t call, unsigned argument, std::uint32_t bits) { allowByBits(call, argument, bits, 1); }
  void allowOneOf(std::uint32_t call, unsigned argument, std::initializer_list<std::uint32_t> values) {
    jump(BPF_JEQ, call, 0, static_cast<std::uint8_t>(2 + 2 * values.size()));
    load(argumentAt(argument));
    for (std::uint32_t value : values) {
      jump(BPF_JEQ, value, 0, 1);
      answer(SECCOMP_RET_ALLOW);
    }
    refuse(EPERM);
  }
  void allowNull(std::uint32_t call, unsigned argument) {
    jump(BPF_JEQ, call, 0, 6);
    load(argumentAt(argument));
    jump(BPF_JEQ, 0, 0, 3);
    load(argumentAt(argument) + 4);
    jump(BPF_JEQ, 0, 0, 1);
    answer(SECCOMP_RET_ALLOW);
    refuse(EPERM);
  }
  void refuseOthers() { refuse(EPERM); }

  bool install() {
    sock_fprog program{static_cast<unsigned short>(code_.size()), code_.data()};
    // Without mitigations against speculation for filtered processes, which take a tenth of the time: a build has no
    // secrets that its own source cannot read.
    constexpr unsigned kSpeculate = 4; // SECCOMP_FILTER_FLAG_SPEC_ALLOW
    return syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, kSpeculate, &program) == 0 ||
           syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program) == 0;
  }

 private:
  static std::uint32_t argumentAt(unsigned argument) {
    static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__);
    return static_cast<std::uint32_t>(offsetof(seccomp_data, args) + argument * sizeof(std::uint64_t));
  }
  void allowByBits(std::uint32_t call, unsigned argument, std::uint32_t bits, std::uint8_t wanted) {
    jump(BPF_JEQ, call, 0, 4);
    load(argumentAt(argument));
    jump(BPF_JSET, bits, wanted == 1 ? 0 : 1, wanted == 1 ? 1 : 0);
    answer(SECCOMP_RET_ALLOW);
    refuse(EPERM);
  }
  void load(std::size_t offset) { code_.push_back(BPF_STMT(BPF_LD | BPF_W | BPF_ABS, static_cast<__u32>(offset))); }
  void jump(unsigned kind, std::uint32_t value, std::uint8_t ifTrue, std::uint8_t ifFalse) {
    code_.push_back(BPF_JUMP(static_cast<__u16>(BPF_JMP | BPF_K | kind), value, ifTrue, ifFalse));
  }
  void answer(std::uint32_t what) { code_.push_back(BPF_STMT(BPF_RET | BPF_K, what)); }
  void refuse(int error) { answer(SECCOMP_RET_ERRNO | static_cast<std::uint32_t>(error)); }

  std::vector<sock_filter> code_;
};

void filterCalls() {
  if (kArchitecture == 0) return;
  Filter filter;
  filter.refuseAbove(kLastKnown, ENOSYS);
  for (std::uint32_t call : kAllowed)
    filter.allow(call);
  constexpr auto kWriting =
      static_cast<std::uint32_t>(O_ACCMODE | O_CREAT | O_TRUNC | O_APPEND | (O_TMPFILE & ~O_DIRECTORY));
  filter.allowWithout(SYS_openat, 2, kWriting);
#if defined(SYS_open)
  filter.allowWithout(SYS_open, 1, kWriting);
#endif
  // Their flags are in memory, which a filter cannot read; the C library falls back to other calls.
  filter.refuse(SYS_openat2, ENOSYS);
  filter.refuse(SYS_clone3, ENOSYS);
  filter.allowWith(SYS_clone, 0, CLONE_THREAD);
  const auto self = static_cast<std::uint32_t>(getpid());
  filter.allowOneOf(SYS_tgkill, 0, {self});
  filter.allowOneOf(SYS_kill, 0, {self});
  filter.allowOneOf(SYS_prlimit64, 0, {0, self});
  constexpr std::uint32_t kNameMemory = 0x53564d41; // PR_SET_VMA, which allocators call
  filter.allowOneOf(SYS_prctl, 0, {PR_SET_NAME, PR_GET_NAME, PR_GET_NO_NEW_PRIVS, PR_GET_DUMPABLE, kNameMemory});
  filter.allowOneOf(SYS_fcntl, 1, {F_GETFD, F_SETFD, F_GETFL, F_SETFL, F_DUPFD, F_DUPFD_CLOEXEC, F_GET_SEALS});
  filter.allowOneOf(SYS_ioctl, 1, {TCGETS, TIOCGWINSZ, FIONREAD});
  filter.allowNull(SYS_sendto, 4);
  filter.refuseOthers();
  filter.install();
}

/// Landlock's ruleset, which headers of older systems lack wholly or partly.
struct Ruleset {
  std::uint64_t files, network, scopes;
};

/// Creates and enters a ruleset that handles all kinds of writing and allows none.
void restrictFiles() {
  constexpr long kCreateRuleset = 444, kRestrictSelf = 446;
  constexpr unsigned kAskVersion = 1;
  const long version = syscall(kCreateRuleset, nullptr, 0, kAskVersion);
  if (version < 1) return;
  constexpr std::uint64_t kExecute = 1, kWrite = 2, kRemoveAndMake = 0x1ff0; // bits 4 to 12
  constexpr std::uint64_t kMove = 1 << 13, kTruncate = 1 << 14, kDevices = 1 << 15;
  Ruleset rules{kExecute | kWrite | kRemoveAndMake, 0, 0};
  std::size_t size = sizeof rules.files;
  if (version >= 2) rules.files |= kMove;
  if (version >= 3) rules.files |= kTruncate;
  if (version >= 4) {
    rules.network = 3; // bind and connect of TCP
    size += sizeof rules.network;
  }
  if (version >= 5) rules.files |= kDevices;
  if (version >= 6) {
    rules.scopes = 3; // abstract sockets, signals to others
    size += sizeof rules.scopes;
  }
  const long file = syscall(kCreateRuleset, &rules, size, 0);
  if (file < 0) return;
  syscall(kRestrictSelf, file, 0);
  close(static_cast<int>(file));
}

} // namespace

void enterSandbox() {
  // Without this, only root may use Landlock or seccomp.
  prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
  // The filter comes last, since it forbids further restrictions.
  restrictFiles();
  filterCalls();
}

std::string sandboxObstacle() {
  if (kArchitecture == 0) return "there is no filter for this architecture";
  std::uint32_t wanted = SECCOMP_RET_ERRNO;
  if (syscall(SYS_seccomp, SECCOMP_GET_ACTION_AVAIL, 0, &wanted) == 0) return {};
  std::array<char, 128> buffer;
  return "the system has no seccomp filters: " + std::string(strerror_r(errno, buffer.data(), buffer.size()));
}

} // namespace clotho::service
