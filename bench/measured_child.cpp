// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "measured_child.hpp"

#include <stdexcept>
#include <sys/wait.h>
#include <unistd.h>

namespace bench {

double measureInChild(const std::function<double()>& measure) {
  int ends[2];
  if (pipe(ends) != 0) throw std::runtime_error("pipe");
  const pid_t child = fork();
  if (child == 0) {
    double result = -1;
    try {
      result = measure();
    } catch (...) {
    }
    _exit(write(ends[1], &result, sizeof result) == sizeof result ? 0 : 1);
  }
  close(ends[1]);
  double result = -1;
  const bool isRead = child > 0 && read(ends[0], &result, sizeof result) == sizeof result;
  close(ends[0]);
  if (child > 0) waitpid(child, nullptr, 0);
  if (!isRead || result < 0) throw std::runtime_error("a measurement in a child has failed");
  return result;
}

} // namespace bench
