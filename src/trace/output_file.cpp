// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "trace/output_file.hpp"

#include "base/error.hpp"
#include "base/file_size_limit.hpp"
#include "base/log.hpp"

#include <cerrno>
#include <fcntl.h>
#include <new>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

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

/// Only these have a length, and are for one process alone.
bool isRegular(const UniqueFd& file) {
  struct stat about{};
  return fstat(file.get(), &about) == 0 && S_ISREG(about.st_mode);
}

} // namespace

OutputFile::OutputFile(std::string_view path) : path_(expanded(path)) {
  // A device cannot be another process's, so it is tried at once.
  if (open() && (isRegular(file_) || begin())) return;
  logFailure();
  throw Error{CL_OUT_OF_RESOURCES, "the file of the trace cannot be written"};
}

bool OutputFile::open() noexcept {
  file_ = makeFd([&] { return ::open(path_.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC | O_NOCTTY, 0666); });
  file_ = aboveLowNumbers(std::move(file_));
  if (!file_) return false;
  opened_ = version();
  return true;
}

OutputFile::Version OutputFile::version() const noexcept {
  struct stat about{};
  if (fstat(file_.get(), &about) != 0) return {};
  return {static_cast<std::int64_t>(about.st_nlink), about.st_size, about.st_mtim.tv_sec, about.st_mtim.tv_nsec};
}

/// Whether another process writes to the file, has done so since it was opened, or has removed it.
bool OutputFile::isAnothers() const noexcept {
  if (flock(file_.get(), LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) return true;
  return version() != opened_;
}

/// Makes it an array without events, which is a valid trace.
bool OutputFile::begin() noexcept {
  if (isRegular(file_)) {
    if (isAnothers()) {
      try {
        path_ += "." + std::to_string(getpid());
      } catch (const std::bad_alloc&) {
        errno = ENOMEM;
        return false;
      }
      if (!open()) return false;
      flock(file_.get(), LOCK_EX | LOCK_NB);
    }
    if (ftruncate(file_.get(), 0) != 0) return false;
  }
  if (!write(kEmpty, 0)) return false;
  end_ = kBegin.size();
  isTaken_ = true;
  return true;
}

bool OutputFile::take() noexcept {
  if (hasFailed_) return false;
  if (isTaken_ || begin()) return true;
  logFailure();
  return false;
}

void OutputFile::logFailure() noexcept {
  const int reason = errno;
  hasFailed_ = true;
  CLOTHO_LOG(Runtime, Error, "no trace: %s cannot be written (error %d)", path_.c_str(), reason);
}

void OutputFile::removeIfEmpty() noexcept {
  if (isRegular(file_) && opened_.bytes == 0 && !isTaken_ && !isAnothers()) unlink(path_.c_str());
}

bool OutputFile::append(std::string_view events, std::string_view last) noexcept {
  if (!take()) return false;
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
