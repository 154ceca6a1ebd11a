// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "compiler/client/build_key.hpp"
#include "compiler/tuned_code.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace clotho {

/// Results of trials, stored in the folder of builds: a file for each program, driver and processor. Files are replaced
/// by rename; if two processes write at once, one result is lost and will be found again. Files that are damaged or of
/// another version are ignored. Thread-safe: the object holds only a name.
class TuningRecords {
 public:
  /// One process in kStarts repeats the trials, and each does if they are older than kOldAge, in seconds.
  static constexpr std::uint32_t kStarts = 32;
  static constexpr std::uint64_t kOldAge = std::uint64_t{14} * 24 * 60 * 60;
  static constexpr std::size_t kMostCodes = 256; ///< Most codes of a program; the oldest go first

  struct File {
    std::string processor;    ///< Name for people to read
    std::uint32_t starts = 0; ///< Number of processes that have begun with it
    std::vector<TunedCode> codes;

    bool operator==(const File&) const = default;
  };

  /// `folder`: absolute path; empty: nothing is stored.
  explicit TuningRecords(std::string folder) : folder_(std::move(folder)) {}

  /// The record that a new process begins with: empty if it is to repeat the trials.
  TuningRecord start(const BuildKey& program) const;
  /// Counts one more process that has begun with the record. False if there is none, or the folder takes no files.
  bool countStart(const BuildKey& program) const;
  void keep(const BuildKey& program, std::string_view processor, const TunedCode& code) const;

  /// All readable records.
  std::vector<File> all() const;
  /// Deletes all records, also unreadable ones; returns the number of files.
  std::size_t clear() const;

  static std::string encode(const BuildKey& program, const File& file);
  /// Nothing if the bytes are not such a file. `program`: null: of any program.
  static std::optional<File> decode(const BuildKey* program, std::string_view bytes);

 private:
  const std::string folder_;
};

} // namespace clotho
