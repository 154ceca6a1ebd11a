// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cluster.hpp"

#include "compiler/client/locate.hpp"

#include <llvm/Support/raw_ostream.h>

#include <cerrno>
#include <cstring>
#include <unistd.h>
#include <utility>
#include <vector>

namespace clotho::tools {

int ClusterCommand::run(char** program) const { return become("run", program); }

int ClusterCommand::serve() const {
  char* none = nullptr;
  return become("service", &none);
}

// NOLINTBEGIN(concurrency-mt-unsafe): there is no other thread
int ClusterCommand::become(const char* mode, char** rest) const {
  const std::string node = findNode();
  if (node.empty()) {
    llvm::errs() << "error: there is no clotho-node beside the compiler\n";
    return 1;
  }
  std::vector<const char*> arguments{node.c_str()};
  const std::pair<const char*, const std::string&> options[] = {
      {"--devices", devices}, {"--join", join}, {"--listen", listen}, {"--interface", interface}};
  for (const auto& [name, value] : options)
    if (!value.empty()) arguments.insert(arguments.end(), {name, value.c_str()});
  arguments.push_back(mode);
  while (*rest)
    arguments.push_back(*rest++);
  arguments.push_back(nullptr);
  execv(node.c_str(), const_cast<char**>(arguments.data()));
  llvm::errs() << "error: cannot run " << node << ": " << std::strerror(errno) << '\n';
  return 1;
}
// NOLINTEND(concurrency-mt-unsafe)

} // namespace clotho::tools
