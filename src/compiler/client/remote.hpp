// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "base/mutex.hpp"
#include "compiler/client/spawn.hpp"
#include "compiler/compiler.hpp"

#include <memory>
#include <string>

namespace clotho {

/// The compiler process as seen from the application: started at the first build, and again if it has died.
/// Thread-safe; no lock is held during a build. Valid in one process only: a forked child makes an object of its own.
class RemoteCompiler {
 public:
  /// `path` is the executable; empty if none was found. `environment` is the application's: servers are started with it
  /// on any thread, at any time.
  RemoteCompiler(std::string path, Environment environment);
  ~RemoteCompiler();

  /// `identity` identifies the version of the compiler on disk: a process that was started from another one is
  /// replaced.
  BuildResult build(const BuildRequest& request, const std::string& identity);
  void start(const std::string& identity) EXCLUDES(mutex_);
  const std::string& path() const { return path_; }

 private:
  class Server;

  struct Connection {
    std::shared_ptr<Server> server;
    bool fresh = false;          ///< started for this request
    bool hasLibraryPath = false; ///< started with the application's LD_LIBRARY_PATH
  };
  Connection connect(const std::string& identity, std::string& why) EXCLUDES(mutex_);
  bool mayNeedLibraryPath(Server& server) EXCLUDES(mutex_);
  BuildResult neverBegan(Server& server) const;
  static void noteStart(Server& server);
  void drop(const std::shared_ptr<Server>& server) EXCLUDES(mutex_);

  const std::string path_;
  const Environment environment_;
  Mutex mutex_;
  std::shared_ptr<Server> server_ GUARDED_BY(mutex_);
  bool keepsLibraryPath_ GUARDED_BY(mutex_) = false; ///< the compiler has not started without the application's
};

} // namespace clotho
