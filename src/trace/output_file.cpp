// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "trace/output_file.hpp"

#include "base/error.hpp"
#include "base/file_size_limit.hpp"
#include "base/log.hpp"

#include <cerrno>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

namespace clotho::trace {

namespace {

constexpr std::string_view kBegin = "[\n", kEmpty = "[\n]\n";

std::string expanded(std::string_view path) {
  std::string result;
  for (std::size_t i = 0; i < path.size(); ++i) {
    if (path.substr(i, 2) == "%p") {
      result += std::to_string(getpid());
      ++i;
    } else {
      result += path[i];
    }
  }
  return result;
}

UniqueFd openForWriting(const std::string& path) {
  UniqueFd file = makeFd([&] { return open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC | O_NOCTTY, 0666); });
  return aboveLowNumbers(std::move(file));
}

/// False if another process has it. Devices may have several users.
bool claim(const UniqueFd& file) {
  struct stat about{};
  if (fstat(file.get(), &about) != 0 || !S_ISREG(about.st_mode)) return true;
  return flock(file.get(), LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK;
}

} // namespace

OutputFile::OutputFile(std::string_view path) : path_(expanded(path)), file_(openForWriting(path_)) {
  if (file_ && !claim(file_)) {
    path_ += "." + std::to_string(getpid());
    file_ = openForWriting(path_);
    if (file_) claim(file_);
  }
  const bool isOpen = file_ && (ftruncate(file_.get(), 0) == 0 || errno == EINVAL); // devices have no length
  // A trace without events is valid, too, until the first ones take the place of its end.
  if (!isOpen || !write(kEmpty, 0)) {
    const int reason = errno;
    CLOTHO_LOG(Runtime, Error, "no trace: %s cannot be written (error %d)", path_.c_str(), reason);
    throw Error{CL_OUT_OF_RESOURCES, "the file of the trace cannot be written"};
  }
  end_ = kBegin.size();
}

bool OutputFile::append(std::string_view events, std::string_view last) noexcept {
  if (hasFailed_) return false;
  // The text that takes the place of the old end is longer than it, unless there are no events at all.
  if (!write(events, end_) || !write(last, end_ + events.size())) {
    const int reason = errno;
    CLOTHO_LOG(Runtime, Error, "the trace ends early: writing to %s failed (error %d)", path_.c_str(), reason);
    hasFailed_ = true;
    return false;
  }
  end_ += events.size();
  return true;
}

bool OutputFile::write(std::string_view text, std::uint64_t at) noexcept {
  if (!isWithinFileSizeLimit(at + text.size())) {
    errno = EFBIG;
    return false;
  }
  while (!text.empty()) {
    const ssize_t written =
        retryInterrupted([&] { return pwrite(file_.get(), text.data(), text.size(), static_cast<off_t>(at)); });
    if (written <= 0) return false;
    text.remove_prefix(static_cast<std::size_t>(written));
    at += static_cast<std::uint64_t>(written);
  }
  return true;
}

} // namespace clotho::trace
