// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/client/remote.hpp"

#include "base/log.hpp"
#include "compiler/client/channel.hpp"
#include "compiler/client/protocol.hpp"

#include <cstring>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <utility>

namespace clotho {

namespace {

/// Error text in English: looking up a translation would read the environment, which other threads may change.
std::string errorText(int error) {
  const char* text = strerrordesc_np(error);
  return text ? text : "error " + std::to_string(error);
}

BuildResult failed(BuildStatus status, std::string log) {
  BuildResult result;
  result.status = status;
  result.log = std::move(log);
  result.log += '\n';
  return result;
}

} // namespace

/// A connection to one compiler process.
class RemoteCompiler::Server {
 public:
  Server(UniqueFd control, std::string version) : version_(std::move(version)), control_(std::move(control)) {
    known_ = identify(identity_);
  }
  ~Server() {
    // A program that turns into a daemon closes all descriptors. If the number is in use again, the descriptor belongs
    // to the application.
    if (!stillOurs()) control_.release();
  }

  const std::string& version() const { return version_; }
  int control() const { return control_.get(); }

  bool stillOurs() const {
    Identity now;
    return known_ && identify(now) && now.device == identity_.device && now.inode == identity_.inode;
  }

  bool alive() const {
    if (!stillOurs()) return false;
    pollfd fd{control_.get(), 0, 0};
    return retryInterrupted([&] { return poll(&fd, 1, 0); }) == 0;
  }

  /// The server's message about its start. Read when the server is no longer used.
  Hello hello() EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    if (asked_) return hello_;
    asked_ = true;
    if (!stillOurs()) {
      hello_.ready = true;
      return hello_;
    }
    Message message = receiveMessage(control_.get(), MSG_DONTWAIT);
    if (message.kind == Message::Kind::Text)
      if (auto hello = parseHello(message.text)) hello_ = *hello;
    return hello_;
  }

 private:
  struct Identity {
    dev_t device = 0;
    ino_t inode = 0;
  };
  bool identify(Identity& identity) const {
    struct stat status;
    if (fstat(control_.get(), &status) != 0) return false;
    identity = {status.st_dev, status.st_ino};
    return true;
  }

  const std::string version_;
  UniqueFd control_;
  Identity identity_;
  bool known_ = false;
  Mutex mutex_;
  bool asked_ GUARDED_BY(mutex_) = false;
  Hello hello_ GUARDED_BY(mutex_);
};

RemoteCompiler::RemoteCompiler(std::string path, Environment environment)
    : path_(std::move(path)), environment_(std::move(environment)) {}
RemoteCompiler::~RemoteCompiler() = default;

RemoteCompiler::Connection RemoteCompiler::connect(const std::string& identity, std::string& why) {
  MutexLock lock(mutex_);
  if (server_ && server_->version() == identity && server_->alive()) return {server_, false, keepsLibraryPath_};
  server_.reset();
  if (path_.empty()) {
    why = "no clotho-compiler was found; set CLOTHO_COMPILER to its path";
    return {};
  }
  SpawnedServer spawned = spawnServer(path_, environment_, keepsLibraryPath_);
  if (!spawned.control) {
    why = "the compiler " + path_ + " could not be started: " + errorText(spawned.error);
    return {};
  }
  CLOTHO_LOG(Compiler, Info, "started %s", path_.c_str());
  server_ = std::make_shared<Server>(std::move(spawned.control), identity);
  return {server_, true, keepsLibraryPath_};
}

void RemoteCompiler::start(const std::string& identity) {
  std::string why;
  if (!connect(identity, why).server) CLOTHO_LOG(Compiler, Warn, "%s", why.c_str());
}

void RemoteCompiler::drop(const std::shared_ptr<Server>& server) {
  MutexLock lock(mutex_);
  if (server_ == server) server_.reset();
}

BuildResult RemoteCompiler::build(const BuildRequest& request, const std::string& identity) {
  std::string bytes = serialise(request);
  constexpr int kMaxAttempts = 4;
  for (int attempt = 1;; ++attempt) {
    std::string why;
    auto [server, fresh, hasLibraryPath] = connect(identity, why);
    if (!server) return failed(BuildStatus::Unavailable, std::move(why));
    FdPair pair = makeSocketPair(SOCK_STREAM);
    if (!pair) return failed(BuildStatus::Failure, "no socket for the compiler could be made: " + errorText(errno));

    bool accepted = false;
    if (sendMessage(server->control(), "build", pair.second.get())) {
      pair.second.reset();
      int stream = pair.first.get(), watch = server->control();
      // The answer is read in any case: a server that could not read the request has answered, too.
      sendFrame(stream, bytes, watch);
      accepted = receiveAccepted(stream, watch);
      if (accepted)
        if (auto answer = receiveFrame(stream, watch))
          if (auto result = parseResult(*answer)) {
            if (fresh) noteStart(*server);
            return *std::move(result);
          }
    }
    // A child's death is reported by its server, so this was the server's own. Its socket may seem open for a moment,
    // until a child that it had just forked has closed its copy.
    drop(server);
    if (Hello hello = server->hello(); hello.version != kProtocolVersion)
      return failed(BuildStatus::Unavailable, "the compiler " + path_ + " is of another version than libclotho (" +
                                                  std::to_string(hello.version) + ", not " +
                                                  std::to_string(kProtocolVersion) + "): install both together");
    if (accepted) return failed(BuildStatus::Failure, "the compiler process died while building this program");
    if (fresh && !hasLibraryPath && mayNeedLibraryPath(*server)) continue;
    if (fresh || attempt == kMaxAttempts) return neverBegan(*server);
    // The server had died since the last build, so it is replaced silently.
  }
}

/// Logs the message of a server that works, once.
void RemoteCompiler::noteStart(Server& server) {
  if (Hello hello = server.hello(); hello.ready && !hello.reason.empty())
    CLOTHO_LOG(Compiler, Warn, "builds are not confined: %s", hello.reason.c_str());
}

/// Whether a compiler that ended silently should be started again with the application's LD_LIBRARY_PATH: if Clotho was
/// found through it, the compiler's libraries may be, too.
bool RemoteCompiler::mayNeedLibraryPath(Server& server) {
  const Hello hello = server.hello();
  if (hello.ready || !hello.reason.empty()) return false;
  if (!hasVariable(environment_, "LD_LIBRARY_PATH")) return false;
  MutexLock lock(mutex_);
  keepsLibraryPath_ = true;
  return true;
}

/// The error for a request that a newly started compiler did not accept.
BuildResult RemoteCompiler::neverBegan(Server& server) const {
  Hello hello = server.hello();
  if (hello.ready) return failed(BuildStatus::Failure, "the compiler process died before it could build this program");
  if (!hello.reason.empty()) return failed(BuildStatus::Unavailable, "the compiler cannot work: " + hello.reason);
  return failed(BuildStatus::Unavailable,
                "the compiler " + path_ + " ended while it was starting; run it by hand to see why");
}

} // namespace clotho
