// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <llvm/ADT/Any.h>
#include <llvm/ADT/StringSet.h>
#include <llvm/IR/OptBisect.h>
#include <llvm/IR/PassTimingInfo.h>
#include <llvm/Support/Error.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace llvm {
class PassInstrumentationCallbacks;
class raw_ostream;
} // namespace llvm

namespace clotho::compiler {

/// Options for observing the passes of a build. Passes have the names of passes.def and of LLVM's opt.
struct PassWatchOptions {
  std::vector<std::string> before, after; ///< passes around which the IR is printed
  bool afterAll = false;
  std::vector<std::string> skip; ///< passes and steps that are left out, wherever they would run
  std::optional<int> limit;      ///< so many skippable passes are run, and all of them are counted aloud
  bool times = false;            ///< how long each pass takes, said when the watch ends
};

/// Splits a comma-separated list.
std::vector<std::string> passNamesIn(llvm::StringRef list);

/// Observes the passes of a build while they run, and skips some. LLVM's global options for this are of no use here,
/// since lld resets them whenever it links. Passes of code generation are not observed. For one build at a time, on one
/// thread.
class PassWatch {
 public:
  /// Writes to `out`. Fails for a pass that does not exist, or for a required pass that is to be skipped.
  static llvm::Expected<std::unique_ptr<PassWatch>> create(const PassWatchOptions& options, llvm::raw_ostream& out);

  ~PassWatch();

  /// Observes the passes of managers with these callbacks from now on.
  void attach(llvm::PassInstrumentationCallbacks& callbacks);

 private:
  PassWatch(const PassWatchOptions& options, llvm::raw_ostream& out);
  bool mayRun(llvm::StringRef name, const llvm::Any& unit) const;
  void print(llvm::StringRef when, llvm::StringRef name, const llvm::Any& unit);

  llvm::raw_ostream& out_;
  llvm::StringSet<> before_, after_, skip_;
  bool afterAll_;
  llvm::OptBisect limit_;
  std::optional<llvm::TimePassesHandler> times_;
};

} // namespace clotho::compiler
