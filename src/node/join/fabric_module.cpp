// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "node/join/fabric_module.hpp"

#include "compiler/client/locate.hpp"

#include <cstdlib>
#include <dlfcn.h>

namespace clotho::node {

namespace {

struct Setting {
  const char *variable, *value;
};

/// UCX is not to handle this process's faults, to replace its memory functions, or to write to the program's output.
/// Of several sockets that are ready at once its 1.13 may have closed the later ones when it comes to them: it is to
/// take one at a time.
constexpr Setting kAlways[] = {{"UCX_HANDLE_ERRORS", "none"}, {"UCX_DEBUG_SIGNO", "0"}, {"UCX_TCP_MAX_POLL", "1"}};
/// The user may choose these. With TCP, parts of messages are copied to UCX's memory, of which one piece has room for a
/// part: when a node is lost, UCX 1.13 completes sends from the caller's memory twice.
constexpr Setting kUnlessChosen[] = {{"UCX_ZCOPY_THRESH", "inf"},     {"UCX_TCP_TX_SEG_SIZE", "80k"},
                                     {"UCX_TCP_RX_SEG_SIZE", "128k"}, {"UCX_MEM_MMAP_HOOK_MODE", "none"},
                                     {"UCX_LOG_FILE", "stderr"},      {"UCX_LOG_LEVEL", "fatal"},
                                     {"UCX_VFS_ENABLE", "n"},         {"UCX_WARN_UNUSED_ENV_VARS", "n"}};

} // namespace

const FabricModule* FabricModule::load(std::string& why) {
  static FabricModule module;
  if (module.openMesh_) return &module;
  // NOLINTBEGIN(concurrency-mt-unsafe): as the header asks
  for (const Setting& setting : kAlways)
    setenv(setting.variable, setting.value, /*overwrite=*/1);
  for (const Setting& setting : kUnlessChosen)
    setenv(setting.variable, setting.value, /*overwrite=*/0);
  const std::string path = findFabricModule();
  void* library = path.empty() ? nullptr : dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    const char* error = path.empty() ? "there is no libclotho-fabric.so" : dlerror();
    why = "networks cannot be used: " + std::string(error ? error : "");
    return nullptr;
  }
  // NOLINTEND(concurrency-mt-unsafe)
  module.openPmix_ = reinterpret_cast<OpenPmix*>(dlsym(library, "clothoOpenPmix"));
  module.openMesh_ = reinterpret_cast<OpenMesh*>(dlsym(library, "clothoOpenMesh"));
  if (module.openMesh_ && module.openPmix_) return &module;
  why = "networks cannot be used: " + path + " is of another version";
  module.openMesh_ = nullptr;
  return nullptr;
}

} // namespace clotho::node
