// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "compiler/backend/log_diagnostics.hpp"
#include "compiler/backend/stage.hpp"
#include "compiler/build_options.hpp"
#include "compiler/compiler.hpp"

#include <llvm/Support/Error.h>

#include <string>
#include <vector>

namespace llvm {
class Module;
} // namespace llvm

/// Interface of code generators, which turn portable modules into code for devices of one kind.
namespace clotho::compiler {

/// Input of a backend: the options of the build and the context to work in.
struct BackendRequest {
  const BuildOptions& options;
  const Target& target;
  bool optimise;
  CodeScope scope;                   ///< CodeScope::All if kernels of the module cannot be built one by one
  const LogDiagnostics& diagnostics; ///< Diagnostics of the module's context
  const Observer& observer;          ///< may be empty
  std::string& log;
  /// The build only warms up LLVM's tables, in each thread, for later builds; its result is not used.
  bool warmsUp = false;
  bool makesParts = false; ///< See BuildRequest::makesParts
  /// The linker may not open files but may write to the process's standard output, which is a pipe meanwhile.
  bool linksByStandardOutput = false;
};

/// Output of a backend for a portable module.
struct DeviceCode {
  std::vector<PrintfFormat> printfFormats;
  std::string object;      ///< empty: there is none, for reasons that the log gives, or since it is deferred
  bool isDeferred = false; ///< See BuildResult::isDeferred
};

class Backend {
 public:
  virtual ~Backend() = default;

  /// Generates code for a portable module to which builtins are linked, and consumes the module. Adds limits and facts
  /// to its kernels, whose `info` is known. One thread at a time.
  virtual llvm::Expected<DeviceCode> generate(llvm::Module& portable, std::vector<BuiltKernel>& kernels,
                                              const BackendRequest& request) = 0;
};

} // namespace clotho::compiler
