// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "kernel_case.hpp"

#include <memory>
#include <optional>
#include <string>

namespace bench {

/// An implementation of a kernel's work: an OpenCL platform, or a C++ compiler's code.
class Contender {
 public:
  Contender() = default;
  virtual ~Contender() = default;
  Contender(const Contender&) = delete;
  Contender& operator=(const Contender&) = delete;

  /// Gets everything ready; `problem` lives until the next call.
  virtual void prepare(const KernelCase& what, const Problem& problem) = 0;
  /// Starts with the problem's own data again.
  virtual void reset() = 0;
  /// Does so many iterations and waits for them.
  virtual void run(int iterations) = 0;
  virtual std::vector<std::byte> read(int buffer) = 0;
  /// Makes the code anew, runs one iteration with it, and returns how long both took in milliseconds; nothing where
  /// there is nothing to make at run time.
  virtual std::optional<double> rebuild(int number) = 0;
  /// The log of the last build; empty if the code's compiler keeps none.
  virtual std::string log() const { return {}; }
  /// Lets go of the problem.
  virtual void drop() = 0;
};

/// The first platform of this process, from source, or from SPIR-V that the command `clotho` at this path makes of it.
std::unique_ptr<Contender> openClContender(const std::string& spirvTool = {});
/// The first GPU, with the code that compileForCuda has left in this folder.
std::unique_ptr<Contender> cudaContender(const std::string& folder);
/// The C++ versions in the library of `compiler`.
std::unique_ptr<Contender> hostContender(const std::string& compiler);

/// The C++ compilers whose libraries are there, the first for reference.
std::vector<std::string> hostCompilers();

} // namespace bench
