// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Runs a program with devices of other nodes, which are all in this process.
//   clotho-several-nodes [--nodes N] [--delay MICROSECONDS] [--lose MILLISECONDS] [--part MILLISECONDS]
//                         [--bytes MOST] PROGRAM ARGUMENTS
// N counts the program's own node, which has no devices. Messages between nodes take as long as --delay says. --lose
// cuts the last node off that time after the start, and --part cuts the last two off from each other, but not from the
// program's own. The exit status is the program's, or 3 if more bytes than --bytes
// says were payloads to the program's own node or from it.
#include "several_nodes.hpp"

#include "base/handles.hpp"
#include "base/options.hpp"
#include "cluster/handshake.hpp"
#include "node/child_program.hpp"
#include "node/serving.hpp"
#include "runtime/devices.hpp"

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <thread>
#include <unistd.h>

namespace clotho {
const cl_icd_dispatch* const kDispatch = nullptr; // no application has a handle of this process's objects
} // namespace clotho

namespace {

using namespace clotho;
using namespace clotho::node;

int run(int argc, char** argv) {
  std::size_t nodes = 2;
  std::chrono::microseconds delay{0};
  std::chrono::milliseconds lose{0}, part{0};
  std::uint64_t most = ~std::uint64_t{0};
  int first = 1;
  for (; first + 1 < argc && std::strncmp(argv[first], "--", 2) == 0; first += 2) {
    const long value = std::strtol(argv[first + 1], nullptr, 10);
    if (std::strcmp(argv[first], "--nodes") == 0) nodes = static_cast<std::size_t>(value);
    if (std::strcmp(argv[first], "--delay") == 0) delay = std::chrono::microseconds(value);
    if (std::strcmp(argv[first], "--bytes") == 0) most = static_cast<std::uint64_t>(value);
    if (std::strcmp(argv[first], "--lose") == 0) lose = std::chrono::milliseconds(value);
    if (std::strcmp(argv[first], "--part") == 0) part = std::chrono::milliseconds(value);
  }
  if (first >= argc || nodes < 2) return 2;
  std::vector<std::string> environment = environmentForPrograms();
  const Inherited inherited{.descriptors = InheritedDescriptors()};
  const UniqueFd signals = takeSignals(inherited.signals);
  setenv("CLOTHO_DEVICES", "cpu", 1);
  for (const char* variable : {"CLOTHO_CLUSTER", "CLOTHO_CLUSTER_TOKEN", "CLOTHO_CPU_DEVICES"})
    unsetenv(variable);
  const std::optional<cluster::Token> token = cluster::Token::make(), name = cluster::Token::make();
  if (!token || !name) return EXIT_FAILURE;
  const std::string node = name->text().substr(0, 32);
  const UniqueFd listener = cluster::listenAs(node);
  // Its threads use it to the end.
  static auto* const all = new node::test::SeveralNodes(*token, makeDevices(makeHostDevices()), nodes);
  if (!all->gateway().waitForNodes(nodes - 1, std::chrono::seconds(20))) return EXIT_FAILURE;
  all->fabric().setDelay(delay);
  const pid_t program = startProgram(argv + first, std::move(environment), node, *token, inherited);
  if (!listener || program == 0) return EXIT_FAILURE;
  using node::test::SeveralNodes;
  if (lose.count() != 0)
    std::thread([lose, nodes] {
      std::this_thread::sleep_for(lose);
      all->fabric().lose(SeveralNodes::idOf(nodes - 1));
    }).detach();
  if (part.count() != 0)
    std::thread([part, nodes] {
      std::this_thread::sleep_for(part);
      all->fabric().cut(SeveralNodes::idOf(nodes - 2), SeveralNodes::idOf(nodes - 1));
    }).detach();
  const int status = serve(listener, signals, all->gateway(), {.program = program});
  std::uint64_t bytes = 0;
  for (std::size_t i = 1; i < nodes; ++i)
    bytes += all->fabric().payloadBytes(SeveralNodes::idOf(0), SeveralNodes::idOf(i)) +
             all->fabric().payloadBytes(SeveralNodes::idOf(i), SeveralNodes::idOf(0));
  std::fprintf(stderr, "clotho-several-nodes: %llu messages, %llu bytes of payloads, %llu at the program's node\n",
               static_cast<unsigned long long>(all->fabric().messages()),
               static_cast<unsigned long long>(all->fabric().payloadBytes()), static_cast<unsigned long long>(bytes));
  if (status == 0 && bytes > most) return 3;
  return status;
}

} // namespace

int main(int argc, char** argv) {
  const int status = run(argc, argv);
  std::fflush(nullptr);
  _exit(status); // threads may run what destructors would take from them
}
