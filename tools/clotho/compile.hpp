// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <optional>
#include <string>
#include <vector>

/// `clotho compile`: what the driver does with a program's source or SPIR-V, without the driver.
struct CompileCommand {
  std::string input;
  std::string output;
  std::vector<std::string> specConstants; ///< of SPIR-V: ID=VALUE
  std::string options;
  std::string emit = "so";
  std::string cpu;
  std::string gpu; ///< if any, the target instead of a CPU
  std::string dataFolder;
  std::string kernel;        ///< the only one to build
  std::string version;       ///< of it: the text of a CodeVersion, or empty
  std::string scope = "all"; ///< name of a CodeScope
  bool validate = false;     ///< say what the validator of SPIR-V thinks of the input
  unsigned repeat = 1;
  std::string printBefore, printAfter; ///< names of passes, with commas between them
  bool printAfterAll = false;
  std::string skipPasses; ///< likewise
  std::optional<int> bisectLimit;
  bool timePasses = false;
  std::string page, remarks; ///< files that a report is written to beside the text
};
int compile(const CompileCommand& command);

/// `clotho report`: of the same build only the log, with what the vectoriser did to each kernel.
int report(const CompileCommand& command);

/// `clotho tuned`: lists what trials have found out in this user's programs, or deletes it.
int tuned(bool clears);
