// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <llvm/ADT/StringRef.h>
#include <llvm/Support/FormatVariadic.h>
#include <llvm/Support/raw_ostream.h>

#include <chrono>
#include <cstdlib>
#include <functional>

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

/// If CLOTHO_TIME is set, prints to stderr how long each stage took.
class StageTimer {
 public:
  void done(const char* stage) {
    if (!wanted_) return;
    const auto now = std::chrono::steady_clock::now();
    llvm::errs() << llvm::formatv("clotho: {0,-12} {1:f3} ms\n", stage,
                                  std::chrono::duration<double, std::milli>(now - last_).count());
    last_ = std::chrono::steady_clock::now();
  }

 private:
  static bool isWanted() {
    // Read once, by the building thread, before any other thread exists.
    static const bool wanted = std::getenv("CLOTHO_TIME") != nullptr; // NOLINT(concurrency-mt-unsafe)
    return wanted;
  }

  bool wanted_ = isWanted();
  std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
};

} // namespace clotho::compiler
