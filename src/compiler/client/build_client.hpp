// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "base/options.hpp"
#include "compiler/client/build_key.hpp"
#include "compiler/client/disk_cache.hpp"
#include "compiler/client/local.hpp"
#include "compiler/client/memory_cache.hpp"
#include "compiler/client/remote.hpp"
#include "compiler/client/tuning_records.hpp"
#include "compiler/compiler.hpp"

#include <atomic>
#include <memory>
#include <string>
#include <sys/types.h>

namespace clotho {

struct ClientConfig {
  std::string compiler; ///< executable, or with `inProcess` shared library
  bool inProcess = false;
  Environment environment = copyOfEnvironment(); ///< Environment of the compiler process
  std::string cacheFolder;                       ///< empty: none
  std::uint64_t cacheBytes = std::uint64_t{1} << 30;
  std::size_t memoryCacheBytes = std::size_t{64} << 20;

  static ClientConfig fromOptions(const Options& options);
  static ClientConfig fromEnvironment() { return fromOptions(options()); }
};

/// Looks builds up in this process's cache and in the cache on disk, then asks the compiler. Thread-safe. A forked
/// child starts with a new state, since inherited locks, sockets and the compiler process belong to the parent.
class BuildClient {
 public:
  explicit BuildClient(ClientConfig config);
  ~BuildClient();

  std::shared_ptr<const BuildResult> build(const BuildRequest& request);
  void start();

  /// See Compiler.
  TuningRecord tuned(const BuildRequest& program);
  void countTunedStart(const BuildRequest& program);
  void keepTuned(const BuildRequest& program, const TunedCode& code);

 private:
  /// The state of one process.
  struct State {
    State(const ClientConfig& config, pid_t owner);
    BuildResult compile(const BuildRequest& request, const std::string& identity);
    std::string identity() const;

    const pid_t owner;
    const bool inProcess;
    const std::string builtins, runtime; ///< what the compiler puts into objects
    const std::string localIdentity;     ///< a loaded library stays what it was
    RemoteCompiler remote;
    LocalCompiler local;
    MemoryCache memory;
    DiskCache disk;
    TuningRecords tuning;
  };
  State& state();

  const ClientConfig config_;
  std::atomic<State*> state_;
};

} // namespace clotho
