// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "base/mutex.hpp"
#include "compiler/compiler.hpp"
#include "compiler/tuned_code.hpp"
#include "device/device.hpp"
#include "runtime/versions/loaded_code.hpp"

#include <atomic>
#include <memory>
#include <vector>

namespace clotho {

class Program;
class SpecialisedKernel;

/// Owns all code of a program's kernels that is built because of launches: versions for what launches have in common,
/// other widths, and the trials that decide between them. Says which code a launch runs, has builds made in the
/// background when launches have shown that they pay, and records for other processes what trials have found out.
/// Thread-safe.
class Specialiser {
 public:
  explicit Specialiser(Program& program);
  ~Specialiser();
  Specialiser(const Specialiser&) = delete;
  Specialiser& operator=(const Specialiser&) = delete;

  /// Scope of the request that names a program's tuning record.
  static constexpr CodeScope kTuningScope = CodeScope::Needed;

  /// A launch of a kernel.
  struct Launched {
    Device& device;
    const BuildResult& built;    ///< of the program for the device
    const DeviceKernel& general; ///< code of that build or of a larger scope
    CodeScope scope;             ///< of versions
    const TuningRecord* tuned;   ///< what is known of the build from earlier processes; null: nothing
    CodeVersion version;         ///< what the launch has in common with others; no width
    double items;
    bool mayTry; ///< it may run code that is on trial, and so another from launch to launch
  };
  /// Code for the launch; `general` if there is nothing better. `last` is what a launch of the same kernel object has
  /// found, or null: launches that have the same in common find theirs by it without a lock.
  LoadedCode codeFor(const Launched& launched, std::atomic<SpecialisedKernel*>& last) EXCLUDES(mutex_);

 private:
  static constexpr unsigned kMostOfAKernel = 8; ///< versions for any values of arguments

  SpecialisedKernel* find(const Launched& launched, const CodeVersion& version) EXCLUDES(mutex_);
  SpecialisedKernel* findOrMake(const Launched& launched, const CodeVersion& version) REQUIRES(mutex_);
  void build(SpecialisedKernel& version, const Launched& launched) noexcept;
  void buildWidth(SpecialisedKernel& version, const Launched& launched) noexcept;
  void recall(SpecialisedKernel& version, const Launched& launched) noexcept;
  void countStart(const Launched& launched) noexcept;
  void recordNews(SpecialisedKernel& version, const Launched& launched) noexcept;
  /// Runs `work(request)`, with a request for the program in this scope, on a thread for builds. The program lives
  /// until then. False if there is no memory.
  template <class Work> bool inBackground(Device& device, CodeScope scope, Work work) noexcept;

  Program& program_;
  std::atomic<bool> isStartCounted_{false}; ///< TuningRecords::countStart
  Mutex mutex_;
  std::vector<std::unique_ptr<SpecialisedKernel>> all_ GUARDED_BY(mutex_);
};

} // namespace clotho
