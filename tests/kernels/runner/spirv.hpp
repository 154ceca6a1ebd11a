// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <filesystem>
#include <map>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

/// The producer knows of itself that it cannot translate the program.
struct NotProduced : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Another program that makes SPIR-V of tests' sources, or a program binary.
class Producer {
 public:
  /// `command` is called with three arguments more: the source's file, the build options, the file to write.
  explicit Producer(std::vector<std::string> command) : command_(std::move(command)) {}
  /// Throws NotProduced if the command ends with the status 77, and std::runtime_error, with what the producer says, if
  /// it fails otherwise.
  std::string spirvOf(const std::filesystem::path& source, const std::string& options) const;

 private:
  std::vector<std::string> command_;
};

/// The cases that a producer's SPIR-V cannot pass, through no fault of the driver: lines of "<test>", "<kernel>",
/// "<text in the options>", and "<reason>", with a tab between two; - stands for any kernel and any options.
class KnownFaults {
 public:
  KnownFaults() = default;
  explicit KnownFaults(const std::filesystem::path& file);
  /// Whether a case is listed. `test` is the file's path without its ending.
  bool has(const std::string& test, const std::string& kernel, const std::string& options) const;

 private:
  struct Fault {
    std::string test, kernel, options;
  };
  std::vector<Fault> faults_;
};
