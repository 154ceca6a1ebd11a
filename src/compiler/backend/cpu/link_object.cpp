// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/backend/cpu/link_object.hpp"

#include "base/file_size_limit.hpp"
#include "base/unique_fd.hpp"

#include <lld/Common/CommonLinkerContext.h>
#include <lld/Common/Driver.h>
#include <llvm/ADT/ScopeExit.h>
#include <llvm/ADT/SmallVector.h>
#include <llvm/Support/Errc.h>
#include <llvm/Support/raw_ostream.h>

#include <fcntl.h>
#include <optional>
#include <sys/mman.h>
#include <thread>
#include <unistd.h>

LLD_HAS_DRIVER(elf)

namespace clotho::compiler {
namespace {

llvm::Error systemError(const char* what) {
  return llvm::createStringError(std::error_code(errno, std::generic_category()), what);
}

std::string descriptorPath(int descriptor) { return "/proc/self/fd/" + std::to_string(descriptor); }

void readAll(int descriptor, std::string& out) {
  char buffer[1 << 16];
  for (;;) {
    const ssize_t got = ::read(descriptor, buffer, sizeof buffer);
    if (got > 0)
      out.append(buffer, static_cast<std::size_t>(got));
    else if (got == 0 || errno != EINTR)
      return;
  }
}

/// Redirects the standard output for the lifetime of the object.
class RedirectedOutput {
 public:
  explicit RedirectedOutput(int to) : before_(::fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1)) {
    worked_ = ::dup2(to, STDOUT_FILENO) >= 0;
  }
  RedirectedOutput(const RedirectedOutput&) = delete;
  RedirectedOutput& operator=(const RedirectedOutput&) = delete;
  ~RedirectedOutput() {
    // Closes the copy of the pipe's end, since the reader waits until the last one is closed.
    if (before_ < 0) {
      ::close(STDOUT_FILENO);
      return;
    }
    ::dup2(before_, STDOUT_FILENO);
    ::close(before_);
  }
  bool worked() const { return worked_; }

 private:
  int before_;
  bool worked_;
};

} // namespace

llvm::Expected<MemoryFile> MemoryFile::create(llvm::StringRef contents) {
  if (!isWithinFileSizeLimit(contents.size()))
    return llvm::createStringError("a file in memory would be larger than files may be (RLIMIT_FSIZE)");
  const int descriptor = makeFd([] { return ::memfd_create("clotho", MFD_CLOEXEC); }).release();
  if (descriptor < 0) return systemError("cannot make a file in memory");
  MemoryFile file(descriptor);
  while (!contents.empty()) {
    const ssize_t written = ::write(descriptor, contents.data(), contents.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return systemError("cannot write a file in memory");
    contents = contents.drop_front(static_cast<std::size_t>(written));
  }
  return file;
}

MemoryFile::~MemoryFile() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

std::string MemoryFile::path() const { return descriptorPath(descriptor_); }

llvm::Expected<std::string> linkSharedObject(llvm::ArrayRef<std::string> inputPaths, LinkOutput how) {
  // lld replaces a regular file by renaming, which does not work for a memory file, but writes directly to a pipe.
  FdPair ends = makeFdPair([](int* fds) { return ::pipe2(fds, O_CLOEXEC); });
  if (!ends) return systemError("cannot make a pipe");
  std::optional<RedirectedOutput> redirected;
  if (how == LinkOutput::StandardOutput) redirected.emplace(ends.second.get());
  const std::string output = redirected && redirected->worked() ? "-" : descriptorPath(ends.second.get());

  llvm::SmallVector<const char*, 24> args = {
      "ld.lld",           "-shared", "--threads=1", "-z", "defs",          "--gc-sections",          "--build-id=none",
      "--hash-style=gnu", "-z",      "noexecstack", "-z", "separate-code", "--no-undefined-version", "-o",
      output.c_str()};
  for (const std::string& path : inputPaths)
    args.push_back(path.c_str());

  std::string object;
  std::thread reader(readAll, ends.first.get(), std::ref(object));
  std::string messages;
  llvm::raw_string_ostream log(messages);
  const bool ok = lld::elf::link(args, llvm::nulls(), log, /*exitEarly=*/false, /*disableOutput=*/false);
  lld::CommonLinkerContext::destroy();
  redirected.reset();
  ends.second.reset();
  reader.join();
  if (!ok || object.empty()) return llvm::createStringError("the linker failed: " + messages);
  return object;
}

} // namespace clotho::compiler
