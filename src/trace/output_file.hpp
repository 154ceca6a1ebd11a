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
  /// Creates the file or takes the place of an old one. In `path` %p stands for the number of the process. If another
  /// process is writing to the file, the number is appended to the name. Throws Error if the file cannot be made.
  explicit OutputFile(std::string_view path);

  /// Appends events, one a line, each with a comma behind it, and `last`, the event that ends the array until more is
  /// appended. False from the first failure on, which is logged.
  bool append(std::string_view events, std::string_view last) noexcept;
  /// Closes the descriptor only, in a forked child.
  void close() noexcept { file_.reset(); }

  const std::string& path() const noexcept { return path_; }
  std::uint64_t size() const noexcept { return end_; }

 private:
  bool write(std::string_view text, std::uint64_t at) noexcept;

  std::string path_;
  UniqueFd file_;
  std::uint64_t end_ = 0; ///< where the next event goes
  bool hasFailed_ = false;
};

} // namespace clotho::trace
