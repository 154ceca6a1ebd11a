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

/// What is wanted of the passes of a build. Passes have the names that passes.def and LLVM's opt have for them.
struct PassWatchOptions {
  std::vector<std::string> before, after; ///< passes around which the IR is printed
  bool afterAll = false;
  std::vector<std::string> skip; ///< passes and steps that are left out, wherever they would run
  std::optional<int> limit;      ///< so many skippable passes are run, and all of them are counted aloud
  bool times = false;            ///< how long each pass takes, said when the watch ends
};

/// The names in a list with commas between.
std::vector<std::string> passNamesIn(llvm::StringRef list);

/// Looks at the passes of a build while they run, and keeps some from running. LLVM has global options for this; they
/// are of no use here, for lld sets them back whenever it links. The passes of code generation proper are not seen.
/// For one build at a time, of one thread.
class PassWatch {
 public:
  /// Writes to `out`. An error names a pass that does not exist, or one to be skipped that code needs.
  static llvm::Expected<std::unique_ptr<PassWatch>> create(const PassWatchOptions& options, llvm::raw_ostream& out);

  ~PassWatch();

  /// From now on this sees the passes of the managers that have these callbacks.
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
