// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "base/unique_fd.hpp"

#include <cstdint>
#include <string>
#include <string_view>

namespace clotho::trace {

/// The file of a trace: an array of JSON that is complete after each `append`, so that a process which is killed leaves
/// a file that can be loaded. Not thread-safe.
class OutputFile {
 public:
  /// Opens or creates the file, which other processes may do, too, until one takes it. In `path` %p stands
  /// for the number of the process. Throws Error if the file cannot be made.
  explicit OutputFile(std::string_view path);

  /// Makes it the file of this process, in the place of an old trace. If another process has taken the file since it
  /// was opened, this one's number is appended to the name. False from the first failure on, which is logged.
  bool take() noexcept;
  /// Appends events, one a line, each with a comma behind it, and `last`, the event that ends the array until more is
  /// appended. Takes the file first. False from the first failure on, which is logged.
  bool append(std::string_view events, std::string_view last) noexcept;
  /// Removes the file if it is new and no process has taken it.
  void removeIfEmpty() noexcept;
  /// Closes the descriptor only, in a forked child.
  void close() noexcept { file_.reset(); }

  const std::string& path() const noexcept { return path_; }
  std::uint64_t size() const noexcept { return end_; }

 private:
  /// The names and the length of the file, and when it was last written to.
  struct Version {
    std::int64_t names = 0, bytes = 0, seconds = 0, nanoseconds = 0;
    bool operator==(const Version&) const = default;
  };

  bool open() noexcept;
  /// Makes it the file of this process.
  bool begin() noexcept;
  void logFailure() noexcept;
  bool isAnothers() const noexcept;
  Version version() const noexcept;
  bool write(std::string_view text, std::uint64_t at) noexcept;

  std::string path_;
  UniqueFd file_;
  Version opened_; ///< when it was opened
  bool isTaken_ = false;
  std::uint64_t end_ = 0; ///< where the next event goes
  bool hasFailed_ = false;
};

} // namespace clotho::trace
