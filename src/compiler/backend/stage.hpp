// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "compiler/compiler.hpp"

#include <llvm/ADT/StringRef.h>
#include <llvm/Support/FormatVariadic.h>
#include <llvm/Support/raw_ostream.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <functional>
#include <vector>

namespace llvm {
class Module;
class PassInstrumentationCallbacks;
} // namespace llvm

namespace clotho::compiler {

/// Stages whose result a tool may print.
enum class Stage { Portable, Lowered, Optimised, Object };

/// Called with the callbacks of each pass manager before its passes run.
using PassObserver = std::function<void(llvm::PassInstrumentationCallbacks&)>;

struct VectorisationReport;

/// Hooks for tools that look at a build; programs are then not divided among threads.
struct Observer {
  /// Called after each stage with the module, and after the last stage with the generated code.
  std::function<void(Stage, llvm::Module&, llvm::StringRef)> stage;
  PassObserver passes;
  /// Called with what became of each kernel, if the build's options ask for a report.
  std::function<void(const VectorisationReport&)> report;

  explicit operator bool() const { return stage || passes || report; }
  void operator()(Stage done, llvm::Module& module, llvm::StringRef code) const {
    if (stage) stage(done, module, code);
  }
};

/// Notes how long each stage took. If CLOTHO_TIME is set, prints that to stderr.
class StageTimer {
  using Clock = std::chrono::steady_clock;

 public:
  void done(const char* stage) {
    const auto now = Clock::now();
    const auto inMs = [&](Clock::time_point begin) {
      return std::chrono::duration<double, std::milli>(now - begin).count();
    };
    // Stages may contain others that are noted already.
    if (stages_ != nullptr) stages_->push_back({stage, inMs(std::max(last_, noted_)) * 1e-3});
    noted_ = now;
    if (wanted_) llvm::errs() << llvm::formatv("clotho: {0,-12} {1:f3} ms\n", stage, inMs(last_));
    last_ = Clock::now();
  }

  /// Gets the stages of this thread's builds while it lives.
  class Collector {
   public:
    explicit Collector(std::vector<BuildStage>& stages) { stages_ = &stages; }
    ~Collector() { stages_ = nullptr; }
    Collector(const Collector&) = delete;
    Collector& operator=(const Collector&) = delete;
  };

 private:
  static bool isWanted() {
    // Read once, by the building thread, before any other thread exists.
    static const bool wanted = std::getenv("CLOTHO_TIME") != nullptr; // NOLINT(concurrency-mt-unsafe)
    return wanted;
  }

  static inline thread_local std::vector<BuildStage>* stages_ = nullptr;
  static inline thread_local Clock::time_point noted_; ///< the end of the last stage in that list
  bool wanted_ = isWanted();
  Clock::time_point last_ = Clock::now();
};

} // namespace clotho::compiler
