// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cerrno>
#include <fcntl.h>
#include <unistd.h>
#include <utility>

namespace clotho {

/// Owns a file descriptor.
class UniqueFd {
 public:
  UniqueFd() = default;
  explicit UniqueFd(int fd) : fd_(fd) {}
  UniqueFd(UniqueFd&& other) noexcept : fd_(other.release()) {}
  UniqueFd& operator=(UniqueFd&& other) noexcept {
    reset(other.release());
    return *this;
  }
  ~UniqueFd() { reset(); }

  int get() const { return fd_; }
  explicit operator bool() const { return fd_ >= 0; }
  int release() { return std::exchange(fd_, -1); }
  void reset(int fd = -1) {
    // After EINTR the descriptor is closed on Linux: a second close would hit somebody else's.
    int old = std::exchange(fd_, fd);
    if (old < 0) return;
    int savedErrno = errno;
    close(old);
    errno = savedErrno;
  }

 private:
  int fd_ = -1;
};

/// Repeats a system call that a signal handler of the application interrupts.
template <class Call> auto retryInterrupted(Call&& call) {
  for (;;) {
    auto result = call();
    if (result >= 0 || errno != EINTR) return result;
  }
}

/// Moves a descriptor out of the range 0 to 2, where a program that closed its standard streams would take it for one,
/// and out of the low numbers that programs like to dup2 onto.
inline UniqueFd aboveStandardStreams(UniqueFd fd) {
  constexpr int kMinimum = 64;
  if (!fd || fd.get() >= kMinimum) return fd;
  int moved = fcntl(fd.get(), F_DUPFD_CLOEXEC, kMinimum);
  if (moved < 0) moved = fcntl(fd.get(), F_DUPFD_CLOEXEC, 3);
  return UniqueFd(moved);
}

} // namespace clotho
