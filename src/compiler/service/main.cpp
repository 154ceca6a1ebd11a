// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The compiler process. libclotho starts it with a control socket; started by hand, it reports whether it works.
#include "base/thread_affinity.hpp"
#include "compiler/client/channel.hpp"
#include "compiler/client/locate.hpp"
#include "compiler/client/protocol.hpp"
#include "compiler/service/make_core.hpp"
#include "compiler/service/server.hpp"

#include <cstdio>
#include <cstdlib>
#include <string_view>

namespace {

using namespace clotho;
using namespace clotho::service;

std::string ownPath() { return pathOfCode(reinterpret_cast<const void*>(&ownPath)); }

int serve() {
  UniqueFd control(kControlFd);
  fcntl(kControlFd, F_SETFD, FD_CLOEXEC);
  std::string self = ownPath();
  leaveSurroundings();
  Hello hello;
  std::unique_ptr<Core> core = makeCore(self, hello.reason);
  if (!core) {
    sendMessage(control.get(), serialise(hello));
    return EXIT_FAILURE;
  }
  Server server(*core, std::move(control), usableProcessors());
  server.run();
  // No client needs the running builds any more. They end with this process, which has nothing to clean up.
  _exit(EXIT_SUCCESS);
}

int checkInstallation() {
  std::string why;
  std::unique_ptr<Core> core = makeCore(ownPath(), why);
  if (!core) {
    std::fprintf(stderr, "clotho-compiler: %s\n", why.c_str());
    return EXIT_FAILURE;
  }
  BuildRequest request;
  request.source = "__kernel void check(__global int* p) { p[0] = 1; }\n";
  request.workingDirectory = "/";
  BuildResult result = core->build(request);
  if (result.status != BuildStatus::Success) {
    std::fprintf(stderr, "clotho-compiler: a simple kernel does not build\n%s", result.log.c_str());
    return EXIT_FAILURE;
  }
  std::puts("clotho-compiler works; it is started by libclotho when a program needs it");
  return EXIT_SUCCESS;
}

} // namespace

int main(int argc, char** argv) {
  if (argc == 2 && std::string_view(argv[1]) == "--serve") return serve();
  if (argc == 1) return checkInstallation();
  std::fprintf(stderr, "usage: clotho-compiler\n");
  return EXIT_FAILURE;
}
