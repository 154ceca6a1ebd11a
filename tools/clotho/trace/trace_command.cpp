// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "trace/trace_command.hpp"

#include "trace/machine_speed.hpp"
#include "trace/trace_file.hpp"
#include "trace/trace_page.hpp"

#include <llvm/Support/Format.h>
#include <llvm/Support/raw_ostream.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <unistd.h>

namespace clotho::tools {

// NOLINTBEGIN(concurrency-mt-unsafe): there is no other thread
int TraceCommand::run(char** program) const {
  setenv("CLOTHO_TRACE", output.c_str(), 1);
  if (counts) setenv("CLOTHO_TRACE_COUNTERS", "1", 1);
  execvp(program[0], program);
  llvm::errs() << "error: cannot run " << program[0] << ": " << std::strerror(errno) << '\n';
  return 1;
}
// NOLINTEND(concurrency-mt-unsafe)

int TraceCommand::show() const {
  TraceFiles trace;
  for (const std::string& file : files)
    if (llvm::Error error = trace.read(file)) {
      llvm::errs() << "error: " << llvm::toString(std::move(error)) << '\n';
      return 1;
    }
  if (page.empty()) {
    llvm::outs() << trace.summary();
    const MachineSpeed speed = measureMachine();
    llvm::outs() << llvm::format("\nthis machine, measured now: %.1f GB/s from and to memory, %.0f GFLOP/s of float\n",
                                 speed.gigabytes, speed.gflops);
    return 0;
  }
  std::error_code error;
  llvm::raw_fd_ostream out(page, error);
  if (!error) {
    out << tracePage(trace, measureMachine());
    out.close();
    error = out.error();
  }
  if (error) {
    llvm::errs() << "error: cannot write " << page << ": " << error.message() << '\n';
    out.clear_error();
    return 1;
  }
  return 0;
}

} // namespace clotho::tools
