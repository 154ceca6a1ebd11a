// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cluster.hpp"

#include "compiler/client/locate.hpp"

#include <llvm/Support/raw_ostream.h>

#include <cerrno>
#include <cstring>
#include <string>
#include <unistd.h>
#include <vector>

namespace clotho::tools {

// NOLINTBEGIN(concurrency-mt-unsafe): there is no other thread
int runInCluster(std::string devices, char** program) {
  const std::string node = findNode();
  std::string name = node, option = "--devices", mode = "run";
  std::vector<char*> arguments{name.data(), option.data(), devices.data(), mode.data()};
  while (*program)
    arguments.push_back(*program++);
  arguments.push_back(nullptr);
  if (node.empty())
    llvm::errs() << "error: there is no clotho-node beside the compiler\n";
  else if (execv(node.c_str(), arguments.data()) != 0)
    llvm::errs() << "error: cannot run " << node << ": " << std::strerror(errno) << '\n';
  return 1;
}
// NOLINTEND(concurrency-mt-unsafe)

} // namespace clotho::tools
