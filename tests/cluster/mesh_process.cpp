// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A node without devices, for tests of the network between nodes.
//   mesh-process ranks          a copy of several that a launcher has started: each sends each other one messages
//   mesh-process listen [HOST]  a service, which sends messages back; until standard input ends
//   mesh-process call HOSTS     joins services, sends messages, and says when one is lost
#include "base/mutex.hpp"
#include "node/join/cluster.hpp"
#include "node/join/token_file.hpp"

#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <poll.h>
#include <set>
#include <string>
#include <unistd.h>
#include <vector>

namespace clotho::node {
namespace {

constexpr std::size_t kPayload = 3 << 20;
constexpr std::chrono::seconds kPatience{20};

/// Bytes that each message carries.
Payload payload() {
  const auto owner = std::make_shared<std::vector<std::byte>>(kPayload);
  for (std::size_t i = 0; i < kPayload; ++i)
    (*owner)[i] = static_cast<std::byte>(i * 7 + (i >> 8));
  return {*owner, owner};
}

/// Counts what it hears, and sends questions back as answers.
class Hearer final : public Fabric::Receiver {
 public:
  /// Questions that have come earlier are answered now.
  void use(Fabric& fabric) EXCLUDES(mutex_) {
    std::vector<NodeId> early;
    {
      MutexLock lock(mutex_);
      fabric_ = &fabric;
      early.swap(early_);
    }
    for (const NodeId node : early)
      fabric.send(node, "answer", payload());
  }

  void joined(NodeId node, const std::string&) noexcept override {
    MutexLock lock(mutex_);
    nodes_.insert(node);
    changed_.notifyAll();
  }
  std::byte* placeFor(NodeId from, std::string_view message, std::size_t size) noexcept override {
    MutexLock lock(mutex_);
    std::vector<std::byte>& place = places_[{from, std::string(message)}];
    place.resize(size);
    return place.data();
  }
  void received(NodeId from, std::string_view message, std::size_t size) noexcept override {
    if (message == "done") {
      MutexLock lock(mutex_);
      ++ends_;
      changed_.notifyAll();
      return;
    }
    Fabric* fabric = nullptr;
    const Payload expected = payload();
    {
      MutexLock lock(mutex_);
      const auto place = places_.extract({from, std::string(message)});
      const bool isRight = size == kPayload && std::memcmp(place.mapped().data(), expected.bytes.data(), size) == 0;
      if (!isRight) std::puts("a damaged payload");
      ++(message == "question" ? questions_ : answers_);
      fabric = fabric_;
      if (message == "question" && !fabric) early_.push_back(from);
    }
    changed_.notifyAll();
    if (message == "question" && fabric) fabric->send(from, "answer", expected);
  }
  void lost(NodeId node) noexcept override {
    MutexLock lock(mutex_);
    nodes_.erase(node);
    ++losses_;
    changed_.notifyAll();
  }

  std::set<NodeId> nodes() EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    return nodes_;
  }
  /// Waits for so many questions and answers; false if they do not come.
  bool hears(std::size_t questions, std::size_t answers) EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    return changed_.waitFor(mutex_, kPatience,
                            [&]() NO_THREAD_SAFETY_ANALYSIS { return questions_ >= questions && answers_ >= answers; });
  }
  bool hearsEnds(std::size_t nodes) EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    return changed_.waitFor(mutex_, kPatience, [&]() NO_THREAD_SAFETY_ANALYSIS { return ends_ >= nodes; });
  }
  bool loses(std::size_t nodes) EXCLUDES(mutex_) {
    MutexLock lock(mutex_);
    return changed_.waitFor(mutex_, kPatience, [&]() NO_THREAD_SAFETY_ANALYSIS { return losses_ >= nodes; });
  }

 private:
  Mutex mutex_;
  CondVar changed_;
  Fabric* fabric_ GUARDED_BY(mutex_) = nullptr;
  std::vector<NodeId> early_ GUARDED_BY(mutex_);
  std::set<NodeId> nodes_ GUARDED_BY(mutex_);
  std::map<std::pair<NodeId, std::string>, std::vector<std::byte>> places_ GUARDED_BY(mutex_);
  std::size_t questions_ GUARDED_BY(mutex_) = 0, answers_ GUARDED_BY(mutex_) = 0, losses_ GUARDED_BY(mutex_) = 0,
                         ends_ GUARDED_BY(mutex_) = 0;
};

int fail(const std::string& why) {
  std::printf("%s\n", why.c_str());
  return EXIT_FAILURE;
}

/// Asks all nodes, and waits for their answers and as many questions.
bool askAll(Hearer& hearer, Cluster& cluster) {
  hearer.use(cluster.mesh());
  const std::set<NodeId> nodes = hearer.nodes();
  for (const NodeId node : nodes)
    cluster.mesh().send(node, "question", payload());
  return hearer.hears(0, nodes.size());
}

int beRank() {
  std::string why;
  const std::unique_ptr<Launcher> launcher = findLauncher(why);
  if (!launcher) return fail("no launcher; " + why);
  Hearer hearer;
  const std::unique_ptr<Cluster> cluster = Cluster::ofLauncher(*launcher, "", [&](Fabric&) { return &hearer; }, why);
  if (!cluster) return fail(why);
  const std::size_t others = launcher->size() - 1;
  if (hearer.nodes().size() != others) return fail("others have not joined");
  if (!askAll(hearer, *cluster) || !hearer.hears(others, others)) return fail("messages are missing");
  std::printf("rank %u of %u heard %zu\n", launcher->rank(), launcher->size(), others);
  std::fflush(stdout);
  // Rank 0 ends when all others have what they have asked for, and they end with it.
  if (launcher->rank() == 0) return hearer.hearsEnds(others) ? EXIT_SUCCESS : fail("others are not done");
  for (const NodeId node : hearer.nodes())
    cluster->mesh().send(node, "done");
  pollfd end{cluster->endOfFirst().get(), POLLIN, 0};
  return poll(&end, 1, static_cast<int>(std::chrono::milliseconds(kPatience).count())) == 1
             ? EXIT_SUCCESS
             : fail("rank 0 does not end");
}

int listen(const char* host) {
  std::string why;
  const std::optional<cluster::Token> token = tokenOfServices(why);
  Hearer hearer;
  const std::unique_ptr<Cluster> cluster = token ? Cluster::asService(
                                                       {host, 0}, *token, "", [&](Fabric&) { return &hearer; }, why)
                                                 : std::unique_ptr<Cluster>();
  if (!cluster) return fail(why);
  hearer.use(cluster->mesh());
  std::printf("%s\n", cluster->mesh().address().c_str());
  std::fflush(stdout);
  char byte;
  while (read(STDIN_FILENO, &byte, 1) > 0) {
  }
  return EXIT_SUCCESS;
}

int call(const char* hosts) {
  std::string why;
  const std::optional<cluster::Token> token = tokenOfServices(why);
  const auto services = parseHosts(hosts);
  if (!token || !services) return fail(why);
  Hearer hearer;
  const std::unique_ptr<Cluster> cluster =
      Cluster::ofServices(*services, *token, "", [&](Fabric&) { return &hearer; }, why);
  if (!cluster || !why.empty()) return fail(why);
  if (!askAll(hearer, *cluster)) return fail("answers are missing");
  std::puts("joined");
  std::fflush(stdout);
  if (!hearer.loses(1)) return fail("nothing is lost");
  std::puts("lost");
  std::fflush(stdout);
  return EXIT_SUCCESS;
}

} // namespace
} // namespace clotho::node

int main(int argc, char** argv) {
  using namespace clotho::node;
  std::signal(SIGPIPE, SIG_IGN);
  const std::string mode = argc > 1 ? argv[1] : "";
  int status = 2;
  if (mode == "ranks") status = beRank();
  if (mode == "listen") status = listen(argc > 2 ? argv[2] : "127.0.0.1");
  if (mode == "call" && argc > 2) status = call(argv[2]);
  std::fflush(nullptr);
  return status;
}
