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

/// What trials have found out, kept in the folder of builds: a file for each program, driver and processor. Files are
/// replaced by rename; where two processes write at once, what one of them has found is lost and found again. Files
/// that are damaged or of another version of the driver are as if they were not there. Thread-safe: the object holds
/// nothing but a name.
class TuningRecords {
 public:
  /// One process in so many tries again what is known, as does each once it is so old, in s.
  static constexpr std::uint32_t kStarts = 32;
  static constexpr std::uint64_t kOldAge = std::uint64_t{14} * 24 * 60 * 60;
  static constexpr std::size_t kMostCodes = 256; ///< of a program; the oldest go first

  struct File {
    std::string processor;    ///< for people
    std::uint32_t starts = 0; ///< processes that have begun with it
    std::vector<TunedCode> codes;

    bool operator==(const File&) const = default;
  };

  /// The folder's path is absolute; empty: nothing is kept.
  explicit TuningRecords(std::string folder) : folder_(std::move(folder)) {}

  /// What a new process is to begin with: nothing, if it is to try again.
  TuningRecord start(const BuildKey& program) const;
  /// One more process has begun with the record. False if there is none, or the folder takes no files.
  bool countStart(const BuildKey& program) const;
  void keep(const BuildKey& program, std::string_view processor, const TunedCode& code) const;

  /// All that can be read.
  std::vector<File> all() const;
  /// Deletes all, also what cannot be read; how many files there were.
  std::size_t clear() const;

  static std::string encode(const BuildKey& program, const File& file);
  /// Nothing where the bytes are not such a file. Without `program` of any.
  static std::optional<File> decode(const BuildKey* program, std::string_view bytes);

 private:
  const std::string folder_;
};

} // namespace clotho
