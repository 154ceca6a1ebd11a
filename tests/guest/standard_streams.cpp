// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A host has closed standard streams, and its threads log to them or open them anew at any time. Whenever the driver is
// given one of their numbers, that happens here at once: builds work all the same, and none stays open.
// usage: logs|opens|dups
#include "guest.hpp"

#include <cstdarg>
#include <cstring>
#include <dlfcn.h>
#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

namespace {

enum class Host { Logs, Opens, Dups } host = Host::Logs;
int other = -1; // a file of the host's
int given = 0;  // how often the driver was given such a number

template <class Function> Function* next(const char* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

/// What another thread of the host's does with the number between two calls of the driver's.
int meddle(int fd) {
  if (fd < 0 || fd > 1 || other < 0) return fd;
  ++given;
  if (host == Host::Logs) {
    [[maybe_unused]] const ssize_t written = write(fd, "a line of the host's log\n", 25);
  } else if (host == Host::Opens) {
    close(fd);
    next<int(int, const char*, int, ...)>("openat")(AT_FDCWD, "/dev/zero", O_RDWR | O_CLOEXEC);
  } else {
    dup3(other, fd, O_CLOEXEC);
  }
  return fd;
}

/// The host is done with what it has put there.
void restore() {
  if (host == Host::Logs) return;
  for (int fd : {0, 1}) {
    struct stat mine{}, there{};
    const bool isOpen = fstat(fd, &there) == 0;
    fstat(other, &mine);
    if (isOpen && there.st_rdev == mine.st_rdev) close(fd);
  }
}

bool isClosed(int fd) { return fcntl(fd, F_GETFD) == -1; }

} // namespace

extern "C" {
__attribute__((visibility("default"))) int memfd_create(const char* name, unsigned flags) noexcept {
  return meddle(next<int(const char*, unsigned)>("memfd_create")(name, flags));
}
__attribute__((visibility("default"))) int open(const char* path, int flags, ...) {
  return meddle(next<int(int, const char*, int, ...)>("openat")(AT_FDCWD, path, flags));
}
__attribute__((visibility("default"))) int openat(int folder, const char* path, int flags, ...) {
  std::va_list arguments;
  va_start(arguments, flags);
  const mode_t mode = (flags & O_CREAT) != 0 ? va_arg(arguments, mode_t) : 0;
  va_end(arguments);
  return meddle(next<int(int, const char*, int, ...)>("openat")(folder, path, flags, mode));
}
__attribute__((visibility("default"))) int socketpair(int domain, int type, int protocol, int* ends) noexcept {
  const int status = next<int(int, int, int, int*)>("socketpair")(domain, type, protocol, ends);
  if (status == 0) meddle(ends[0]), meddle(ends[1]);
  return status;
}
__attribute__((visibility("default"))) ssize_t recvmsg(int socket, msghdr* message, int flags) {
  const ssize_t got = next<ssize_t(int, msghdr*, int)>("recvmsg")(socket, message, flags);
  cmsghdr* const header = got < 0 ? nullptr : CMSG_FIRSTHDR(message);
  if (header == nullptr || header->cmsg_type != SCM_RIGHTS) return got;
  int fd = -1;
  std::memcpy(&fd, CMSG_DATA(header), sizeof fd);
  meddle(fd);
  return got;
}
}

int main(int argc, char** argv) {
  REQUIRE(argc == 2);
  alarm(100);
  if (std::strcmp(argv[1], "opens") == 0) host = Host::Opens;
  if (std::strcmp(argv[1], "dups") == 0) host = Host::Dups;
  const int zero = open("/dev/zero", O_RDWR | O_CLOEXEC);
  close(0);
  close(1);
  other = zero;
  const guest::Session session;
  restore();
  for (int i = 0; i < 3; ++i) {
    const std::string source = guest::freshSource();
    // The second time it is found in the process, with a cache of files in that.
    guest::computeSomething(session, i, source);
    restore();
    guest::computeSomething(session, i, source);
    restore();
  }
  cl_program program = guest::build(session.context, session.device, guest::freshSource().c_str(), "-g");
  cl_kernel kernel = guest::kernel(program, "add");
  restore();
  std::fprintf(stderr, "%d descriptors had such numbers\n", given);
  REQUIRE(given > 0);
  REQUIRE(isClosed(0) && isClosed(1));
  clReleaseKernel(kernel);
  clReleaseProgram(program);
  return 0;
}
