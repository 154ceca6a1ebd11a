// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>

namespace clotho::tools {

/// A node that this process becomes. Options that are empty are left to clotho-node.
struct ClusterCommand {
  std::string devices;   ///< of the node, as CLOTHO_DEVICES names them, or none
  std::string join;      ///< services, HOST:PORT with commas between
  std::string listen;    ///< a service's own address, HOST:PORT
  std::string interface; ///< the network for other machines

  /// The node of a program, which it starts. `program`: its name and arguments, null at the end. Returns only if that
  /// cannot be: the exit status.
  int run(char** program) const;
  /// A node for programs of other machines, until it gets a signal. Returns only if that cannot be: the exit status.
  int serve() const;

 private:
  int become(const char* mode, char** rest) const;
};

} // namespace clotho::tools
