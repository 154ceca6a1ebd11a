// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "node/server.hpp"

#include "base/log.hpp"
#include "base/overloaded.hpp"
#include "cluster/frames.hpp"
#include "node/program_link.hpp"
#include "node/serve_link.hpp"

#include <new>
#include <sys/syscall.h>
#include <system_error>
#include <thread>
#include <unistd.h>
#include <utility>

namespace clotho::node {

namespace {

using cluster::kPatienceMs;

constexpr const char* kNoMessages = "the node has no memory for messages";

/// A descriptor of the process at the other end, which may leave copies of the socket to its children.
UniqueFd programOf(int socket) {
  return UniqueFd(static_cast<int>(syscall(SYS_pidfd_open, cluster::peerOf(socket).process, 0)));
}

std::string hostName() {
  char name[256] = {};
  return gethostname(name, sizeof name - 1) == 0 ? name : "this machine";
}

/// A session has one allocation of a device with memory of its own.
cluster::DeviceDescription describe(Device& device) {
  cluster::DeviceDescription result{hostName(), device.properties(), device.claims(), device.memory() != nullptr};
  if (result.hasOwnMemory) result.properties.globalMemorySize = result.properties.maxAllocationSize;
  return result;
}

/// The bytes of an answer.
template <class Answer> std::string encoded(const Answer& answer) {
  ByteWriter out;
  FieldWriter{out}(answer);
  return out.take();
}

} // namespace

Server::Server(const cluster::Token& token, std::vector<Ref<Device>> devices)
    : token_(token), devices_(std::move(devices)), usage_(devices_.size()),
      others_(
          hostName(), ownDevices(),
          [this](NodeId from, Inquiry&& inquiry) { return answerNode(from, std::move(inquiry)); },
          [this](std::uint64_t number) { return sessionOf(number); }) {}

void Server::accept(UniqueFd connection) {
  if (!cluster::peerOf(connection.get()).isOfSameUser) return;
  strangers_.fetch_add(1, std::memory_order_relaxed);
  try {
    std::thread([this, fd = std::move(connection)]() mutable { serve(std::move(fd)); }).detach();
    return;
  } catch (const std::system_error&) {
    CLOTHO_LOG(Device, Error, "no thread for a program's connection");
  } catch (const std::bad_alloc&) {
    CLOTHO_LOG(Device, Error, "no memory for a program's connection");
  }
  strangers_.fetch_sub(1, std::memory_order_relaxed);
}

void Server::serve(UniqueFd connection) noexcept {
  const cluster::Verdict verdict = cluster::admit(connection.get(), token_);
  strangers_.fetch_sub(1, std::memory_order_relaxed);
  if (verdict != cluster::Verdict::Welcome) return;
  try {
    std::optional<cluster::Question> question =
        cluster::receiveFields<cluster::Question>(connection.get(), kPatienceMs);
    if (!question) return;
    std::visit(Overloaded{[&](const cluster::ListDevices& list) { answer(connection.get(), list); },
                          [&](const cluster::OpenSession& open) { answer(std::move(connection), open); },
                          [&](cluster::BuildProgram& build) { answer(connection.get(), std::move(build)); },
                          [&](const cluster::AskStatus& ask) { answer(connection.get(), ask); }},
               *question);
  } catch (const std::bad_alloc&) {
    CLOTHO_LOG(Device, Error, "no memory to answer a program");
  }
}

cluster::DeviceList Server::ownDevices() const {
  cluster::DeviceList list;
  for (const Ref<Device>& device : devices_) {
    list.devices.push_back(describe(*device));
    list.devices.back().number = static_cast<std::uint32_t>(list.devices.size() - 1);
  }
  return list;
}

void Server::answer(int connection, const cluster::ListDevices&) {
  cluster::DeviceList list = ownDevices();
  for (cluster::DeviceDescription& device : others_.roster().devices())
    list.devices.push_back(std::move(device));
  cluster::sendFields(connection, list, kPatienceMs);
}

// --- Sessions ---

void Server::prepare(const cluster::OpenSession& question, cluster::SessionOpened& opened,
                     std::unique_ptr<Memory>& memory) {
  if (question.device >= devices_.size()) {
    opened.why = "there is no such device";
    return;
  }
  // The program asks for whole pages.
  constexpr std::uint64_t kPage = 4096;
  const std::uint64_t most = describe(*devices_[question.device]).properties.globalMemorySize;
  if (question.windowSize > most && question.windowSize - most >= kPage) {
    opened.why = "the device has less memory";
    return;
  }
  if (DeviceMemory* own = devices_[question.device]->memory())
    memory = std::make_unique<Memory>(*own, question.window, question.windowSize);
  else
    memory = std::make_unique<Memory>(question.window, question.windowSize);
  if (memory->isReserved()) {
    opened.window = memory->window();
    return;
  }
  opened.why = "the node cannot have this memory, or these addresses";
  opened.wantsOtherAddresses = true;
}

std::uint64_t Server::nextSession() {
  MutexLock lock(mutex_);
  return ++lastSession_;
}

/// Lists a session, which builds find, as long as it is served.
class Server::Listed {
 public:
  Listed(Server& server, Session& session) : server_(server), number_(session.peers().name().number) {
    MutexLock lock(server_.mutex_);
    server_.sessions_.emplace(number_, &session);
  }
  ~Listed() {
    MutexLock lock(server_.mutex_);
    server_.sessions_.erase(number_);
  }
  Listed(const Listed&) = delete;
  Listed& operator=(const Listed&) = delete;

 private:
  Server& server_;
  const std::uint64_t number_;
};

void Server::answer(UniqueFd connection, const cluster::OpenSession& question) {
  if (const std::optional<Roster::Where> where = others_.roster().find(question.device))
    return openRemote(std::move(connection), question, *where);
  const int socket = connection.get();
  std::unique_ptr<Memory> memory;
  cluster::LinkEnds link = cluster::makeLink();
  cluster::SessionOpened opened{.why = link.own.area ? "" : kNoMessages};
  if (opened.why.empty()) prepare(question, opened, memory);
  if (!opened.why.empty()) {
    cluster::sendFields(socket, opened, kPatienceMs);
    return;
  }
  link.own.socket = std::move(connection);
  link.own.peerProcess = programOf(socket);
  auto ring = std::make_unique<RingLink>(std::move(link.own));
  cluster::Link& own = ring->link();
  opened.session = nextSession();
  const auto session =
      Ref<Session>::adopt(new Session(*devices_[question.device], std::move(ring), std::move(memory),
                                      {.number = opened.session}, &others_.peers(), &usage_[question.device]));
  const Listed listed(*this, *session);
  if (cluster::sendFields(socket, opened, kPatienceMs) && sendMessage(socket, ".", link.area.get())) {
    link = {}; // the program has its descriptors
    // Messages come one behind the other, or after a command that the program waits for: then its thread has to run
    // first, and on few processors it cannot while this one looks for messages.
    constexpr std::chrono::microseconds kPollTime{20};
    serveLink(
        own, kPollTime, [&](std::string_view message) { return session->receive(message); },
        [&] {
          session->awaitEnds([](const void* link) { return !static_cast<const cluster::Link*>(link)->isEmpty(); },
                             &own);
        });
  }
  session->end();
}

void Server::openRemote(UniqueFd connection, const cluster::OpenSession& question, const Roster::Where& where) {
  const int socket = connection.get();
  cluster::LinkEnds link = cluster::makeLink();
  const std::uint64_t session = nextSession();
  Questions::Reply reply{.why = kNoMessages};
  if (link.own.area)
    reply =
        others_.ask(where.node, OpenRemote{session, where.node, {where.device, question.window, question.windowSize}});
  auto opened = reply.as<cluster::SessionOpened>();
  if (!opened) opened = {.why = reply.bytes ? "the device's node says what makes no sense" : reply.why};
  opened->session = session;
  opened->node = where.node;
  if (!opened->why.empty()) {
    cluster::sendFields(socket, *opened, kPatienceMs);
    return;
  }
  link.own.socket = std::move(connection);
  link.own.peerProcess = programOf(socket);
  const std::shared_ptr<Relay> relay = others_.add(where, session, std::move(link.own));
  if (!relay) return;
  if (!cluster::sendFields(socket, *opened, kPatienceMs) || !sendMessage(socket, ".", link.area.get()))
    return others_.leave(where.node, session);
  link.area.reset(); // the program has it
  others_.serve(*relay);
}

Ref<Session> Server::sessionOf(std::uint64_t number) {
  MutexLock lock(mutex_);
  const auto found = sessions_.find(number);
  return found == sessions_.end() ? Ref<Session>() : Ref<Session>(*found->second);
}

// --- Programs ---

std::string Server::build(Session& session, const cluster::BuildProgram& question) {
  auto program = std::make_shared<Program>();
  const cluster::ProgramBuilt built = programs_.build(session.device(), question, *program);
  if (built.state == cluster::ProgramBuilt::State::Done) session.keep(question.program, std::move(program));
  return encoded(built);
}

std::string Server::build(const cluster::BuildProgram& question) {
  if (const NodeId node = others_.nodeOf(question.session)) {
    Questions::Reply reply = others_.ask(node, question);
    return reply.bytes ? std::move(*reply.bytes) : encoded(cluster::ProgramBuilt{.log = reply.why + '\n'});
  }
  const Ref<Session> session = sessionOf(question.session);
  return session ? build(*session, question) : std::string();
}

// A module that the node lacks comes with the same question once more.
void Server::answer(int connection, cluster::BuildProgram question) {
  for (;;) {
    const std::string answer = build(question);
    if (answer.empty() || !sendFrame(connection, answer, /*watch=*/-1, kPatienceMs)) return;
    const auto built = cluster::decode<cluster::ProgramBuilt>(answer);
    if (!built || built->state != cluster::ProgramBuilt::State::NoModule) return;
    std::optional<cluster::Question> again = cluster::receiveFields<cluster::Question>(connection, kPatienceMs);
    auto* next = again ? std::get_if<cluster::BuildProgram>(&*again) : nullptr;
    if (!next || next->session != question.session) return;
    question = std::move(*next);
  }
}

// --- Status ---

cluster::NodeStatus Server::status() const {
  cluster::NodeStatus result{.host = hostName(),
                             .sentBytes = others_.sent().bytes.load(),
                             .receivedBytes = others_.received().bytes.load(),
                             .sentMessages = others_.sent().messages.load(),
                             .receivedMessages = others_.received().messages.load()};
  for (std::size_t i = 0; i < devices_.size(); ++i)
    result.devices.push_back({devices_[i]->properties().name, usage_[i].sessions.load(), usage_[i].commands.load()});
  return result;
}

void Server::answer(int connection, const cluster::AskStatus&) {
  cluster::ClusterStatus all;
  all.nodes.push_back(status());
  // All are asked before the first answer is waited for.
  std::vector<std::pair<std::string, std::uint64_t>> asked;
  for (const auto& [node, host] : others_.roster().nodes())
    asked.emplace_back(host, others_.pose(node, cluster::AskStatus{}));
  for (const auto& [host, question] : asked) {
    auto each = others_.await(question).as<cluster::NodeStatus>();
    if (!each) continue;
    each->host = host;
    all.nodes.push_back(std::move(*each));
  }
  cluster::sendFields(connection, all, kPatienceMs);
}

// --- For other nodes ---

std::string Server::answerNode(NodeId from, Inquiry&& inquiry) {
  if (const auto* build = std::get_if<cluster::BuildProgram>(&inquiry)) {
    const Ref<Session> session = others_.guests().find(from, build->session);
    return session ? this->build(*session, *build) : std::string();
  }
  if (std::holds_alternative<cluster::AskStatus>(inquiry)) return encoded(status());
  const auto& [number, self, open] = std::get<OpenRemote>(inquiry);
  cluster::SessionOpened opened{.session = number};
  std::shared_ptr<const GuestPart> part = others_.guests().reserve(from, open.windowSize);
  if (!part) return {}; // the node is gone
  std::unique_ptr<Memory> memory;
  if (part->isWithin())
    prepare(open, opened, memory);
  else
    opened.why = "the device's node has no room for more sessions of this one";
  if (opened.why.empty()) {
    const bool isOpen = others_.guests().open(*others_.fabric(), {from, self, number}, std::move(part), others_.peers(),
                                              *devices_[open.device], usage_[open.device], std::move(memory));
    if (!isOpen) opened.why = "the session is there already";
  }
  return encoded(opened);
}

} // namespace clotho::node
