// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// clotho-node: devices of this machine for programs of this user, and the way to other machines' devices
// (docs/architecture/device-cluster.md).
//   clotho-node [OPTIONS] run PROGRAM ARGUMENTS
//       starts a program that has them, and ends with it. Copies of one job (mpirun, srun) are nodes of each other:
//       the first one starts the program, the others end with the first one
//   clotho-node [OPTIONS] serve NAME
//       for programs that know the name and the token, which is in the environment; until standard input ends
//   clotho-node [OPTIONS] service
//       for nodes of other machines, until it gets a signal
//   clotho-node [OPTIONS] attend
//       for the program that has started it; the two have a socket, descriptor kControlFd
// Options:
//   --devices LIST    as CLOTHO_DEVICES, or none; default cpu, but none for nodes that join others
//   --join HOSTS      services to join, for run and attend: HOST:PORT with commas between
//   --listen HOST:PORT    own address of a service
//   --interface NAME  network for other machines; default CLOTHO_CLUSTER_INTERFACE, or that on the way to them
#include "base/handles.hpp"
#include "base/options.hpp"
#include "cluster/handshake.hpp"
#include "compiler/client/channel.hpp"
#include "compiler/client/protocol.hpp"
#include "node/child_program.hpp"
#include "node/join/cluster.hpp"
#include "node/join/token_file.hpp"
#include "node/server.hpp"
#include "node/serving.hpp"
#include "runtime/devices.hpp"

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <string>
#include <string_view>
#include <unistd.h>
#include <utility>
#include <vector>

namespace clotho {
/// No application has a handle of this process's objects.
const cl_icd_dispatch* const kDispatch = nullptr;
} // namespace clotho

// NOLINTBEGIN(concurrency-mt-unsafe): there is no other thread that changes the environment
namespace clotho::node {
namespace {

constexpr int kUsageError = 2, kCannotRun = 127;

struct Arguments {
  std::string devices{}, join{}, listen{}, interface{};
  std::string mode{};
  char** rest = nullptr; ///< behind the mode, null at the end
};

void complain(const std::string& what) { std::fprintf(stderr, "clotho-node: %s\n", what.c_str()); }

/// This process's own choice of devices. What the program's are to be stays in the program's environment.
void setOwnOptions(const std::string& devices) {
  setenv("CLOTHO_DEVICES", devices.c_str(), /*overwrite=*/1);
  for (const char* variable : {"CLOTHO_CLUSTER", "CLOTHO_CLUSTER_TOKEN", "CLOTHO_CPU_DEVICES", "CLOTHO_SERVING"})
    unsetenv(variable);
  static_cast<void>(options());
}

/// The server lives to the end of the process, since its threads use it.
Server& makeServer(const cluster::Token& token, const Arguments& arguments) {
  setOwnOptions(arguments.devices);
  const bool hasDevices = arguments.devices != "none";
  static auto* const server =
      new Server(token, hasDevices ? makeDevices(makeHostDevices()) : std::vector<Ref<Device>>());
  return *server;
}

/// The server's part in a fabric.
Cluster::Attach attach(Server& server) {
  return [&server](Fabric& fabric) {
    server.use(fabric);
    return &server.receiver();
  };
}

/// Serves until the end, and leaves the cluster then. The exit status.
int serveIn(std::unique_ptr<Cluster> cluster, const UniqueFd& listener, const UniqueFd& signals, Server& server,
            const Ending& ending) {
  const int status = serve(listener, signals, server, ending);
  Cluster::leave(std::move(cluster));
  return status;
}

/// Joins the services of --join. Null if none joins; `why` says what is amiss, also if some do.
std::unique_ptr<Cluster> joinServices(const Arguments& arguments, const std::optional<cluster::Token>& token,
                                      Server& server, std::string& why) {
  const std::optional<std::vector<HostPort>> services = parseHosts(arguments.join);
  if (!services) {
    why = "'" + arguments.join + "' is no list of HOST:PORT";
    return nullptr;
  }
  if (!token) return nullptr;
  auto cluster = Cluster::ofServices(*services, *token, arguments.interface, attach(server), why);
  if (cluster) server.arrange(cluster->nodes());
  return cluster;
}

/// A node as programs of this machine find it.
struct LocalName {
  std::optional<cluster::Token> token = cluster::Token::make();
  std::string name{};
  UniqueFd listener{};

  /// Whether programs can find it.
  bool listen() {
    const std::optional<cluster::Token> random = cluster::Token::make();
    if (!token || !random) return false;
    name = random->text().substr(0, 32);
    listener = cluster::listenAs(name);
    if (!listener) complain(std::string("cannot be reached: ") + std::strerror(errno));
    return static_cast<bool>(listener);
  }
};

int runProgram(const Arguments& arguments) {
  std::vector<std::string> environment = environmentForPrograms();
  const Inherited inherited{.descriptors = InheritedDescriptors(launcherDescriptor())};
  const UniqueFd signals = takeSignals(inherited.signals);
  if (!signals) return EXIT_FAILURE;
  LocalName local;
  if (!local.token) return EXIT_FAILURE;
  std::string why;
  const bool joins = !arguments.join.empty();
  const std::optional<cluster::Token> ofServices = joins ? tokenOfServices(why) : std::nullopt;
  Server& server = makeServer(*local.token, arguments);
  std::unique_ptr<Cluster> cluster;
  if (joins) {
    cluster = joinServices(arguments, ofServices, server, why);
  } else if (const std::unique_ptr<Launcher> launcher = findLauncher(why)) {
    hideLauncher(environment);
    cluster = Cluster::ofLauncher(*launcher, arguments.interface, attach(server), why);
    if (cluster) server.arrange(cluster->nodes());
  }
  const bool isFirst = !cluster || cluster->rank() == 0;
  if (!why.empty() || (isFirst && !local.listen())) {
    if (!why.empty()) complain(why);
    Cluster::leave(std::move(cluster));
    return EXIT_FAILURE;
  }
  if (!isFirst) {
    const int end = cluster->endOfFirst().get();
    return serveIn(std::move(cluster), {}, signals, server, {.event = end});
  }
  const pid_t program = startProgram(arguments.rest, std::move(environment), local.name, *local.token, inherited);
  if (program == 0) {
    complain(std::string(arguments.rest[0]) + ": " + std::strerror(errno));
    Cluster::leave(std::move(cluster));
    return kCannotRun;
  }
  return serveIn(std::move(cluster), local.listener, signals, server, {.program = program});
}

int serveAs(const Arguments& arguments) {
  const char* secret = std::getenv("CLOTHO_CLUSTER_TOKEN");
  const std::optional<cluster::Token> token = cluster::Token::parse(secret ? secret : "");
  const UniqueFd signals = takeSignals(InheritedSignals()), listener = cluster::listenAs(arguments.rest[0]);
  if (!token || !listener || !signals) {
    complain("no token of 64 hexadecimal digits, or the name is in use");
    return EXIT_FAILURE;
  }
  Server& server = makeServer(*token, arguments);
  std::puts("ready");
  std::fflush(stdout);
  return serve(listener, signals, server, {.input = STDIN_FILENO});
}

int runService(const Arguments& arguments) {
  const UniqueFd signals = takeSignals(InheritedSignals(), /*isService=*/true);
  const bool isNamed = !arguments.listen.empty(), hasInterface = !arguments.interface.empty();
  std::optional<HostPort> listen = HostPort{hasInterface ? "" : "localhost"};
  if (isNamed) listen = parseHostPort(arguments.listen);
  std::string why = "'" + arguments.listen + "' is not HOST:PORT";
  const std::optional<cluster::Token> token = listen ? tokenOfServices(why) : std::nullopt;
  const std::optional<cluster::Token> ofPrograms = cluster::Token::make();
  if (!token || !signals || !ofPrograms) {
    complain(why);
    return EXIT_FAILURE;
  }
  Server& server = makeServer(*ofPrograms, arguments);
  std::unique_ptr<Cluster> cluster = Cluster::asService(*listen, *token, arguments.interface, attach(server), why);
  if (!cluster) {
    complain(why);
    return EXIT_FAILURE;
  }
  std::printf("listens at %s\n", cluster->mesh().address().c_str());
  std::fflush(stdout);
  return serveIn(std::move(cluster), {}, signals, server, {});
}

/// Tells the program the node's name and token, or nothing and what is amiss.
int attendProgram(const Arguments& arguments) {
  const UniqueFd control(kControlFd);
  fcntl(kControlFd, F_SETFD, FD_CLOEXEC);
  const UniqueFd signals = takeSignals(InheritedSignals());
  std::string why;
  const std::optional<cluster::Token> ofServices = tokenOfServices(why);
  LocalName local;
  const auto refuse = [&] {
    sendMessage(control.get(), "\n" + why);
    return EXIT_FAILURE;
  };
  if (!ofServices || !local.token || !signals) return refuse();
  Server& server = makeServer(*local.token, arguments);
  std::unique_ptr<Cluster> cluster = joinServices(arguments, ofServices, server, why);
  if (!cluster || !local.listen()) {
    Cluster::leave(std::move(cluster));
    return refuse();
  }
  sendMessage(control.get(), local.name + " " + local.token->text() + "\n" + why);
  return serveIn(std::move(cluster), local.listener, signals, server, {.input = control.get()});
}

/// Nothing if they make no sense.
std::optional<Arguments> parse(int argc, char** argv) {
  Arguments result;
  const std::pair<std::string_view, std::string*> known[] = {{"--devices", &result.devices},
                                                             {"--join", &result.join},
                                                             {"--listen", &result.listen},
                                                             {"--interface", &result.interface}};
  int next = 1;
  for (; next + 1 < argc && argv[next][0] == '-'; next += 2) {
    std::string* value = nullptr;
    for (const auto& [name, place] : known)
      if (name == argv[next]) value = place;
    if (!value) return std::nullopt;
    *value = argv[next + 1];
  }
  if (next >= argc) return std::nullopt;
  result.mode = argv[next];
  result.rest = argv + next + 1;
  if (const char* network = std::getenv("CLOTHO_CLUSTER_INTERFACE"); network && result.interface.empty())
    result.interface = network;
  if (result.devices.empty()) result.devices = result.join.empty() ? "cpu" : "none";
  return result;
}

int run(int argc, char** argv) {
  const std::optional<Arguments> arguments = parse(argc, argv);
  const std::string mode = arguments ? arguments->mode : "";
  const bool hasRest = arguments && *arguments->rest;
  if (mode == "run" && hasRest) return runProgram(*arguments);
  if (mode == "serve" && hasRest) return serveAs(*arguments);
  if (mode == "service" && !hasRest) return runService(*arguments);
  if (mode == "attend" && !hasRest) return attendProgram(*arguments);
  std::fprintf(stderr, "usage: clotho-node [OPTIONS] run PROGRAM ARGUMENTS\n"
                       "       clotho-node [OPTIONS] serve NAME\n"
                       "       clotho-node [OPTIONS] service\n"
                       "       clotho-node [OPTIONS] attend\n"
                       "options: --devices LIST, --join HOST:PORT,..., --listen HOST:PORT, --interface NAME\n");
  return kUsageError;
}

} // namespace
} // namespace clotho::node
// NOLINTEND(concurrency-mt-unsafe)

int main(int argc, char** argv) {
  const int status = clotho::node::run(argc, argv);
  // Threads may run what destructors would take from them.
  std::fflush(nullptr);
  _exit(status);
}
