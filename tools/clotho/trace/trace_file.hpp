// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <llvm/Support/Error.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

/// The part of `clotho trace` that reads the files which the driver writes (src/trace).
namespace clotho::tools {

/// A line of the timeline: a thread, or a part of a queue.
struct Track {
  std::string process, name;
  bool isQueue = false;
};

/// Times are in ns from the beginning of the earliest file.
struct Slice {
  std::uint32_t track = 0;
  std::uint32_t name = 0; ///< index of TraceFiles::names
  std::uint64_t begin = 0, length = 0;
  // Numbers of commands:
  std::uint64_t queued = 0;           ///< ns before the beginning
  std::optional<std::uint64_t> items; ///< of a launch
  std::optional<double> flops, bytes;
  std::int64_t error = 0;
  std::uint32_t cycles = 0, instructions = 0, misses = 0; ///< in thousands
  std::string note;                                       ///< version of the kernel, or what a build or a wait is of
};

/// A dependency by a wait list, between two commands by their indices in TraceFiles::slices.
struct Dependency {
  std::size_t from = 0, to = 0;
};

/// One or several traces, such as those of a program's processes.
class TraceFiles {
 public:
  /// Reads one more file. Lines that are cut, as in the file of a killed program, are left out.
  llvm::Error read(const std::string& path);

  const std::vector<Track>& tracks() const { return tracks_; }
  const std::vector<Slice>& slices() const { return slices_; }
  const std::vector<std::string>& names() const { return names_; }
  /// Those of which both commands are in the files.
  const std::vector<Dependency>& dependencies() const { return dependencies_; }
  std::uint64_t lost() const { return lost_; }
  /// The tables that the driver prints.
  std::string summary() const;

 private:
  std::uint32_t nameOf(llvm::StringRef text);

  std::vector<Track> tracks_;
  std::vector<Slice> slices_;
  std::vector<std::string> names_;
  std::vector<Dependency> dependencies_;
  std::map<std::string, std::uint32_t, std::less<>> nameNumbers_;
  std::optional<std::uint64_t> clock_; ///< of the first file's beginning
  std::uint64_t lost_ = 0;
};

} // namespace clotho::tools
