// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/client/subreaper.hpp"

#include "base/uninstrumented.hpp"

#include <cstdint>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace clotho {

namespace {

struct Range {
  std::uintptr_t begin, end;
};

CLOTHO_UNINSTRUMENTED std::uintptr_t readHex(const char*& at) noexcept {
  std::uintptr_t value = 0;
  for (;; ++at) {
    if (*at >= '0' && *at <= '9')
      value = value * 16 + static_cast<std::uintptr_t>(*at - '0');
    else if (*at >= 'a' && *at <= 'f')
      value = value * 16 + static_cast<std::uintptr_t>(*at - 'a' + 10);
    else
      return value;
  }
}

/// The range of a line of /proc/self/maps if it is writable, private and not backed by a file; otherwise empty.
CLOTHO_UNINSTRUMENTED Range ownMemory(const char* line) noexcept {
  // Format: begin-end perms offset major:minor inode path.
  Range range{};
  range.begin = readHex(line);
  if (*line++ != '-') return {};
  range.end = readHex(line);
  if (*line++ != ' ' || line[0] != 'r' || line[1] != 'w' || line[2] == 'x' || line[3] != 'p') return {};
  for (int blanks = 0; blanks < 3; ++line) {
    if (*line == '\0') return {};
    blanks += *line == ' ';
  }
  return line[0] == '0' && (line[1] == ' ' || line[1] == '\0') ? range : Range{};
}

/// Releases pages that only this copy would keep. The mappings stay, so that later reads find zeros.
CLOTHO_UNINSTRUMENTED void forgetMemory(Range stack) noexcept {
  long file = syscall(SYS_openat, AT_FDCWD, "/proc/self/maps", O_RDONLY | O_CLOEXEC);
  if (file < 0) return;
  char buffer[2048], line[128];
  unsigned length = 0;
  for (long size; (size = syscall(SYS_read, file, buffer, sizeof buffer)) > 0;)
    for (long i = 0; i < size; ++i) {
      if (buffer[i] != '\n') {
        if (length < sizeof line - 1) line[length++] = buffer[i];
        continue;
      }
      line[length] = '\0';
      length = 0;
      Range range = ownMemory(line);
      // The system merges adjacent mappings, so the stack may be part of the range.
      const Range parts[] = {{range.begin, range.end < stack.begin ? range.end : stack.begin},
                             {range.begin > stack.end ? range.begin : stack.end, range.end}};
      for (const Range& part : parts)
        if (part.begin < part.end) syscall(SYS_madvise, part.begin, part.end - part.begin, MADV_DONTNEED);
    }
}

} // namespace

bool orphansComeBack() noexcept {
  int asked = 0;
  return getpid() == 1 || (prctl(PR_GET_CHILD_SUBREAPER, &asked) == 0 && asked != 0);
}

CLOTHO_UNINSTRUMENTED void keep(pid_t server, const void* stack, std::size_t stackSize) noexcept {
  syscall(SYS_prctl, PR_SET_NAME, "clotho-reaper", 0, 0, 0);
  syscall(SYS_setpgid, 0, 0);
  syscall(SYS_chdir, "/");
  auto begin = reinterpret_cast<std::uintptr_t>(stack);
  forgetMemory({begin, begin + stackSize});
#if defined(SYS_close_range)
  if (syscall(SYS_close_range, 0u, ~0u, 0u) != 0)
#endif
    for (int fd = 0; fd < 65536; ++fd)
      syscall(SYS_close, fd);
  syscall(SYS_wait4, server, nullptr, 0, nullptr);
  for (;;)
    syscall(SYS_exit_group, 0);
}

} // namespace clotho
