// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "node/fabric/tcp_mesh.hpp"

#include "base/log.hpp"
#include "cluster/thread_latency.hpp"
#include "node/fabric/addresses.hpp"

#include <algorithm>
#include <arpa/inet.h>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <latch>
#include <new>
#include <poll.h>
#include <pthread.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <system_error>
#include <unistd.h>

namespace clotho::node {

namespace {

/// A thread that is awake looks at connections so often.
constexpr std::chrono::milliseconds kLooking{1};
/// Connections that have not shown the token; others wait at the socket.
constexpr int kMostStrangers = 32;
/// Time in which all links are closed at the end.
constexpr std::chrono::milliseconds kClosing{500};

std::string hostName() {
  char name[256] = {};
  return gethostname(name, sizeof name - 1) == 0 ? name : "another machine";
}

NodeId randomNumber() {
  const std::optional<cluster::Token> random = cluster::Token::make();
  NodeId result = 0;
  if (random) std::memcpy(&result, random->bytes().data(), sizeof result);
  return result;
}

/// Whether messages go by UCX, and not by the connections that have shown the token.
bool usesUcx() {
  const char* text = std::getenv("CLOTHO_CLUSTER_TRANSPORT"); // NOLINT(concurrency-mt-unsafe): before others start
  const std::string_view transport(text ? text : "");
  if (!transport.empty() && transport != "ucx" && transport != "tcp")
    CLOTHO_LOG(Device, Error, "CLOTHO_CLUSTER_TRANSPORT: '%s' is neither tcp nor ucx, and counts as tcp", text);
  return transport == "ucx";
}

std::optional<sockaddr_in> parseAddress(const std::string& text) {
  const std::optional<HostPort> parsed = parseHostPort(text);
  in_addr address{};
  if (!parsed || inet_pton(AF_INET, parsed->host.c_str(), &address) != 1) return std::nullopt;
  return socketAddress(address, parsed->port);
}

} // namespace

std::unique_ptr<Mesh> openMesh(const Mesh::Options& options, std::string& why) { return TcpMesh::open(options, why); }

TcpMesh::TcpMesh(const cluster::Token& token) : self_{.node = randomNumber(), .token = token, .host = hostName()} {}

std::unique_ptr<TcpMesh> TcpMesh::open(const Options& options, std::string& why) {
  std::unique_ptr<TcpMesh> mesh(new TcpMesh(options.token));
  if (usesUcx()) {
    mesh->worker_ = UcxWorker::create(options.interface, *mesh, why);
    if (!mesh->worker_) return nullptr;
    mesh->self_.worker = mesh->worker_.get();
    mesh->self_.workerAddress = mesh->worker_->address();
  }
  mesh->wake_ = aboveLowNumbers(makeFd([] { return eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK); }));
  if (options.listen) mesh->listener_ = listenAt(*options.listen);
  if (!mesh->wake_ || (options.listen && !mesh->listener_)) {
    why = "cannot listen: " + std::generic_category().message(errno);
    return nullptr;
  }
  if (mesh->self_.node == 0 || (mesh->worker_ && mesh->self_.workerAddress.empty())) {
    why = "the system lacks random numbers, or UCX an address";
    return nullptr;
  }
  if (mesh->listener_) mesh->self_.address = textOf(ownAddressOf(mesh->listener_.get()));
  return mesh;
}

void TcpMesh::start(Receiver& receiver) {
  self_.receiver = &receiver;
  thread_ = std::thread([this] { run(); });
}

TcpMesh::~TcpMesh() { stop(); }

void TcpMesh::stop() {
  if (!thread_.joinable()) return;
  isStopping_ = true;
  wake();
  thread_.join();
}

// --- Tasks of other threads ---

void TcpMesh::send(NodeId to, std::string_view message, Payload payload, Urgency urgency) noexcept {
  if (const std::shared_ptr<Outbox> outbox = outboxOf(to)) {
    if (outbox->send(message, payload, urgency)) wake();
    return;
  }
  if (!worker_) return;
  try {
    MutexLock lock(mutex_);
    messages_.push_back({to, std::string(message), std::move(payload)});
  } catch (const std::bad_alloc&) {
    unreachable_ = to; // it would miss this one
  }
  wake();
}

std::shared_ptr<Outbox> TcpMesh::outboxOf(NodeId node) noexcept {
  MutexLock lock(mutex_);
  const auto found = outboxes_.find(node);
  return found == outboxes_.end() ? nullptr : found->second;
}

void TcpMesh::drop(NodeId node) noexcept {
  post([this, node] {
    if (Peer* peer = find(node)) peer->close("it says what makes no sense");
  });
}

void TcpMesh::post(std::function<void()> task) {
  {
    MutexLock lock(mutex_);
    tasks_.push_back(std::move(task));
  }
  wake();
}

void TcpMesh::wake() noexcept {
  if (!isAsleep_.exchange(false)) return;
  const std::uint64_t one = 1;
  static_cast<void>(retryInterrupted([&] { return write(wake_.get(), &one, sizeof one); }));
}

std::vector<Mesh::Failure> TcpMesh::join(const std::vector<std::string>& addresses) {
  std::vector<std::string> reasons(addresses.size());
  std::latch left(static_cast<std::ptrdiff_t>(addresses.size()));
  for (std::size_t i = 0; i < addresses.size(); ++i)
    post([&, i] {
      const auto report = [&reasons, &left, i](const std::string& why) {
        reasons[i] = why;
        left.count_down();
      };
      const std::optional<sockaddr_in> address = parseAddress(addresses[i]);
      UniqueFd socket = address ? beginToConnect(*address) : UniqueFd();
      if (socket)
        peers_.push_back(std::make_unique<Peer>(std::move(socket), Peer::Part::Caller, self_, report));
      else
        report(address ? std::generic_category().message(errno) : "this is no address");
    });
  left.wait();
  std::vector<Failure> failures;
  for (std::size_t i = 0; i < addresses.size(); ++i)
    if (!reasons[i].empty()) failures.push_back({addresses[i], reasons[i]});
  return failures;
}

bool TcpMesh::meetEachOther() {
  std::atomic<bool> haveAllJoined{true};
  std::latch isOver(1);
  post([&] {
    Meet all;
    std::vector<Peer*> peers;
    for (const std::unique_ptr<Peer>& peer : peers_) {
      if (!peer->hasJoined() || peer->address().empty()) continue;
      peers.push_back(peer.get());
      all.nodes.push_back({peer->node(), peer->address()});
    }
    // Counted down by the last of those that hold it.
    const std::shared_ptr<void> whole(&isOver, [](void* latch) { static_cast<std::latch*>(latch)->count_down(); });
    for (Peer* peer : peers)
      peer->meet(all, [&haveAllJoined, whole](bool haveJoined) {
        if (!haveJoined) haveAllJoined = false;
      });
  });
  isOver.wait();
  return haveAllJoined;
}

std::vector<NodeId> TcpMesh::nodesAt(const std::vector<std::string>& addresses) {
  std::vector<NodeId> nodes;
  std::latch isOver(1);
  post([&] {
    for (const std::string& address : addresses)
      for (const std::unique_ptr<Peer>& peer : peers_)
        if (peer->hasJoined() && peer->address() == address) nodes.push_back(peer->node());
    isOver.count_down();
  });
  isOver.wait();
  return nodes;
}

// --- The thread ---

void TcpMesh::run() {
  pthread_setname_np(pthread_self(), "clotho-fabric");
  cluster::takeShortSlices();
  const std::chrono::microseconds pollTime = cluster::networkPollTime();
  Clock::time_point lastWork = Clock::now(), nextLook = lastWork;
  while (!isStopping_) {
    bool hasWorked = runTasks();
    if (worker_) hasWorked = worker_->progress() || hasWorked;
    const Clock::time_point now = Clock::now();
    if (worker_ ? now >= nextLook : pollTime.count() != 0) {
      hasWorked = look(0) || hasWorked;
      nextLook = now + kLooking;
    }
    if (hasWorked) lastWork = now;
    if (now - lastWork < pollTime) continue;
    isAsleep_ = true;
    if (!hasTasks() && (!worker_ || worker_->arm())) {
      if (look(static_cast<int>(Peer::kBeat.count()) / 2)) lastWork = Clock::now();
      nextLook = Clock::now() + kLooking;
    }
    isAsleep_ = false;
  }
  closeAll();
}

bool TcpMesh::hasTasks() {
  MutexLock lock(mutex_);
  return !messages_.empty() || !tasks_.empty() || isStopping_;
}

bool TcpMesh::runTasks() {
  std::vector<std::function<void()>> tasks;
  {
    MutexLock lock(mutex_);
    if (messages_.empty() && tasks_.empty()) return false;
    taken_.swap(messages_);
    tasks.swap(tasks_);
  }
  for (const std::function<void()>& task : tasks)
    task();
  for (const Message& message : taken_)
    if (Peer* peer = find(message.to); peer && peer->link() && peer->hasJoined())
      peer->link()->send(message.text, message.payload);
  taken_.clear();
  return true;
}

bool TcpMesh::look(int ms) {
  const bool mayAccept = Clock::now() >= nextAccept_ && hasRoomForStrangers();
  std::vector<pollfd>& fds = fds_;
  fds.assign({{worker_ ? worker_->descriptor() : -1, POLLIN, 0},
              {wake_.get(), POLLIN, 0},
              {mayAccept ? listener_.get() : -1, POLLIN, 0}});
  const std::size_t first = fds.size(), count = peers_.size();
  for (const std::unique_ptr<Peer>& peer : peers_)
    fds.push_back({peer->connection().descriptor(), peer->connection().events(), 0});
  const int found = poll(fds.data(), fds.size(), ms);
  const Clock::time_point now = Clock::now();
  if (found < 0 || (found == 0 && now < nextAdvance_)) return false;
  nextAdvance_ = now + kLooking;
  if (fds[1].revents != 0) {
    std::uint64_t times;
    static_cast<void>(read(wake_.get(), &times, sizeof times));
  }
  if (fds[2].revents != 0) acceptNodes();
  for (std::size_t i = 0; i < count; ++i)
    advance(*peers_[i], [&] { peers_[i]->connection().handle(fds[first + i].revents); });
  advancePeers();
  return found > 0;
}

/// Does a peer's work, of which a lack of memory is the end.
template <class Work> void TcpMesh::advance(Peer& peer, const Work& work) {
  try {
    work();
  } catch (const std::bad_alloc&) {
    peer.close("no memory");
  }
}

void TcpMesh::acceptNodes() {
  while (hasRoomForStrangers()) {
    UniqueFd socket(accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
    if (!socket) {
      // Without descriptors the call waits at the socket.
      if (errno != EAGAIN) nextAccept_ = Clock::now() + kLooking * 20;
      return;
    }
    peers_.push_back(
        std::make_unique<Peer>(aboveLowNumbers(std::move(socket)), Peer::Part::Called, self_, Peer::Outcome()));
  }
}

// Peers may be added meanwhile.
void TcpMesh::advancePeers() {
  const Clock::time_point now = Clock::now();
  const bool isToBeat = now >= nextBeat_;
  if (isToBeat) nextBeat_ = now + Peer::kBeat;
  for (std::size_t i = 0; i < peers_.size(); ++i) {
    advance(*peers_[i], [&, &peer = *peers_[i]] {
      if (peer.node() != 0 && peer.node() == unreachable_.load(std::memory_order_relaxed)) {
        unreachable_ = 0;
        peer.close("no memory");
      }
      if (isToBeat) peer.beat();
      peer.advance(*this);
    });
  }
  std::erase_if(peers_, [&](const std::unique_ptr<Peer>& peer) {
    if (!peer->isOver()) return false;
    MutexLock lock(mutex_);
    const auto found = outboxes_.find(peer->node());
    if (found != outboxes_.end() && found->second == peer->connection().outbox()) outboxes_.erase(found);
    return true;
  });
}

void TcpMesh::closeAll() {
  runTasks();
  listener_.reset();
  const Clock::time_point end = Clock::now() + kClosing;
  for (const std::unique_ptr<Peer>& peer : peers_)
    peer->leave();
  while (!peers_.empty() && Clock::now() < end) {
    advancePeers();
    if (worker_) worker_->progress();
  }
  // UCX still has links: they and the worker stay as long as the process.
  for (std::unique_ptr<Peer>& peer : peers_)
    static_cast<void>(peer.release());
  if (!std::exchange(peers_, {}).empty()) static_cast<void>(worker_.release());
}

int TcpMesh::strangers() const {
  return static_cast<int>(std::ranges::count_if(peers_, [](const auto& peer) { return peer->isStranger(); }));
}

/// The oldest stranger goes if all room is theirs and it says nothing.
bool TcpMesh::hasRoomForStrangers() {
  constexpr std::chrono::milliseconds kHaste{250};
  if (strangers() < kMostStrangers) return true;
  const auto oldest = std::ranges::find_if(peers_, [](const auto& peer) { return peer->isStranger(); });
  if ((*oldest)->age() < kHaste) return false;
  (*oldest)->close("it says nothing");
  return true;
}

Peer* TcpMesh::find(NodeId node) {
  const auto found = std::ranges::find_if(
      peers_, [&](const std::unique_ptr<Peer>& peer) { return peer->canBeHeard() && peer->node() == node; });
  return found == peers_.end() ? nullptr : found->get();
}

void TcpMesh::arrived(const ArrivedPart& part) noexcept {
  Peer* peer = find(part.header.from);
  if (!peer || !peer->link()) return;
  try {
    peer->link()->arrived(part);
  } catch (const std::bad_alloc&) {
    CLOTHO_LOG(Device, Error, "no memory for a message of another node");
    peer->close("no memory");
  }
}

bool TcpMesh::isKnown(const Peer& peer) {
  return std::ranges::any_of(peers_, [&](const std::unique_ptr<Peer>& other) {
    return other.get() != &peer && other->isIntroduced() && other->node() == peer.node();
  });
}

bool TcpMesh::hasJoined(NodeId node) {
  Peer* peer = find(node);
  return peer && peer->hasJoined();
}

void TcpMesh::joins(Peer& peer) {
  MutexLock lock(mutex_);
  outboxes_.insert_or_assign(peer.node(), peer.connection().outbox());
}

// Calls of several meetings at a time are limited, since each takes a descriptor.
void TcpMesh::call(const KnownNode& node) {
  const auto called = std::ranges::count_if(peers_, [](const auto& peer) { return peer->isCalled(); });
  if (hasJoined(node.node) || static_cast<std::size_t>(called) >= Peer::kMostMeeting) return;
  const std::optional<sockaddr_in> address = parseAddress(node.address);
  if (UniqueFd socket = address ? beginToConnect(*address) : UniqueFd())
    peers_.push_back(std::make_unique<Peer>(std::move(socket), Peer::Part::Caller, self_, Peer::Outcome()));
}

} // namespace clotho::node
