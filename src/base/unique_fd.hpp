// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <cerrno>
#include <fcntl.h>
#include <iterator>
#include <sys/stat.h>
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
    // After EINTR the descriptor is closed on Linux: a second close would hit what another thread has opened since.
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

inline bool isStandardStream(int fd) { return fd >= 0 && fd <= STDERR_FILENO; }

/// Takes the numbers of closed standard streams while it lives. The system gives the lowest free number to whatever is
/// opened, and the application's threads may write to a number that they take for a standard stream, or put another
/// file there. Writing to what is there meanwhile fails like writing to a closed stream.
class StandardStreamsTaken {
 public:
  StandardStreamsTaken() {
    if (areOpen()) return;
    while (count_ < std::size(taken_)) {
      const int fd = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);
      if (!isStandardStream(fd)) {
        UniqueFd unneeded(fd);
        return;
      }
      taken_[count_++] = fd;
    }
  }
  ~StandardStreamsTaken() {
    const int savedErrno = errno;
    for (unsigned i = 0; i < count_; ++i)
      if (isOurs(taken_[i])) close(taken_[i]);
    errno = savedErrno;
  }
  StandardStreamsTaken(const StandardStreamsTaken&) = delete;
  StandardStreamsTaken& operator=(const StandardStreamsTaken&) = delete;

 private:
  static bool areOpen() {
    for (int fd = 0; fd <= STDERR_FILENO; ++fd)
      if (fcntl(fd, F_GETFD) < 0) return false;
    return true;
  }
  /// The application may have closed or replaced it. What has the number then is not ours to close.
  static bool isOurs(int fd) {
    struct stat root, there;
    return stat("/", &root) == 0 && fstat(fd, &there) == 0 && root.st_dev == there.st_dev &&
           root.st_ino == there.st_ino;
  }

  int taken_[8];
  unsigned count_ = 0;
};

/// So often a call is repeated whose result has got the number of a standard stream that was closed just before.
inline constexpr int kMostAttempts = 16;

/// A descriptor that `make` returns, clear of the standard streams. `make` may be called several times.
template <class Make> UniqueFd makeFd(Make&& make) {
  UniqueFd low[kMostAttempts];
  for (UniqueFd& each : low) {
    const StandardStreamsTaken streams;
    each.reset(retryInterrupted(make));
    if (!isStandardStream(each.get())) return std::move(each);
  }
  errno = EMFILE;
  return {};
}

struct FdPair {
  UniqueFd first, second;
  explicit operator bool() const { return first && second; }
};

/// Two descriptors, for calls that fill an array and return 0.
template <class Make> FdPair makeFdPair(Make&& make) {
  FdPair low[kMostAttempts];
  for (FdPair& each : low) {
    const StandardStreamsTaken streams;
    int fds[2];
    if (retryInterrupted([&] { return make(fds); }) != 0) return {};
    each = {UniqueFd(fds[0]), UniqueFd(fds[1])};
    if (!isStandardStream(fds[0]) && !isStandardStream(fds[1])) return std::move(each);
  }
  errno = EMFILE;
  return {};
}

/// Moves a descriptor that is kept out of the low numbers that programs like to dup2 onto.
inline UniqueFd aboveLowNumbers(UniqueFd fd) {
  constexpr int kMinimum = 64;
  if (!fd || fd.get() >= kMinimum) return fd;
  const int moved = fcntl(fd.get(), F_DUPFD_CLOEXEC, kMinimum);
  return moved < 0 ? std::move(fd) : UniqueFd(moved);
}

} // namespace clotho
