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

/// What turns portable modules into code for devices of one kind.
namespace clotho::compiler {

/// What a build wants of a backend, and what it gives it to work with.
struct BackendRequest {
  const BuildOptions& options;
  const Target& target;
  bool optimise;
  CodeScope scope;                   ///< All where kernels of the module cannot be built one by one
  const LogDiagnostics& diagnostics; ///< of the module's context
  const Observer& observer;          ///< may be empty
  std::string& log;
  /// The build is made for nothing but to find LLVM's tables made the next time, in each thread.
  bool warmsUp = false;
  /// The linker may open no file, but may write to the process's standard output, which is made a pipe meanwhile.
  bool linksByStandardOutput = false;
};

/// What a portable module has become.
struct DeviceCode {
  std::vector<PrintfFormat> printfFormats;
  std::string object;      ///< empty: there is none, for reasons that the log gives, or since it is deferred
  bool isDeferred = false; ///< as of BuildResult
};

class Backend {
 public:
  virtual ~Backend() = default;

  /// Code of a portable module to which builtins are linked; the module is used up. Of its kernels, whose `info` is
  /// known, it adds the limits and the facts. Used by one thread at a time.
  virtual llvm::Expected<DeviceCode> generate(llvm::Module& portable, std::vector<BuiltKernel>& kernels,
                                              const BackendRequest& request) = 0;
};

} // namespace clotho::compiler
