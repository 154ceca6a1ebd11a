// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "node/server.hpp"

#include "base/log.hpp"
#include "base/overloaded.hpp"
#include "cluster/frames.hpp"

#include <new>
#include <sys/syscall.h>
#include <system_error>
#include <thread>
#include <unistd.h>

namespace clotho::node {

namespace {

using cluster::kPatienceMs;

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

} // namespace

Server::Server(const cluster::Token& token, std::vector<Ref<Device>> devices)
    : token_(token), devices_(std::move(devices)) {}

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
                          [&](cluster::BuildProgram& build) { answer(connection.get(), std::move(build)); }},
               *question);
  } catch (const std::bad_alloc&) {
    CLOTHO_LOG(Device, Error, "no memory to answer a program");
  }
}

void Server::answer(int connection, const cluster::ListDevices&) {
  cluster::DeviceList list;
  for (const Ref<Device>& device : devices_)
    list.devices.push_back(describe(*device));
  cluster::sendFields(connection, list, kPatienceMs);
}

const char* Server::prepare(const cluster::OpenSession& question, std::unique_ptr<Memory>& memory,
                            cluster::LinkEnds& link) {
  if (question.device >= devices_.size()) return "there is no such device";
  // The program asks for whole pages.
  constexpr std::uint64_t kPage = 4096;
  const std::uint64_t most = describe(*devices_[question.device]).properties.globalMemorySize;
  if (question.windowSize > most && question.windowSize - most >= kPage) return "the device has less memory";
  if (DeviceMemory* own = devices_[question.device]->memory())
    memory = std::make_unique<Memory>(*own, question.windowSize);
  else
    memory = std::make_unique<Memory>(question.window, question.windowSize);
  if (!memory->isReserved()) return "the node cannot have this memory, or these addresses";
  if (!link.own.area) return "the node has no memory for messages";
  return "";
}

/// Lists a session, which builds find, as long as it is served.
class Server::Listed {
 public:
  Listed(Server& server, Session& session) : server_(server) {
    MutexLock lock(server_.mutex_);
    number_ = ++server_.lastSession_;
    server_.sessions_.emplace(number_, &session);
  }
  ~Listed() {
    MutexLock lock(server_.mutex_);
    server_.sessions_.erase(number_);
  }
  Listed(const Listed&) = delete;
  Listed& operator=(const Listed&) = delete;
  std::uint64_t number() const { return number_; }

 private:
  Server& server_;
  std::uint64_t number_ = 0;
};

void Server::answer(UniqueFd connection, const cluster::OpenSession& question) {
  const int socket = connection.get();
  std::unique_ptr<Memory> memory;
  cluster::LinkEnds link = cluster::makeLink();
  cluster::SessionOpened opened{.why = prepare(question, memory, link)};
  if (!opened.why.empty()) {
    cluster::sendFields(socket, opened, kPatienceMs);
    return;
  }
  opened.window = memory->window();
  link.own.socket = std::move(connection);
  link.own.peerProcess = UniqueFd(static_cast<int>(syscall(SYS_pidfd_open, cluster::peerOf(socket).process, 0)));
  const auto session =
      Ref<Session>::adopt(new Session(*devices_[question.device], std::move(link.own), std::move(memory)));
  const Listed listed(*this, *session);
  opened.session = listed.number();
  if (!cluster::sendFields(socket, opened, kPatienceMs) || !sendMessage(socket, ".", link.area.get())) return;
  link = {}; // the program has its descriptors
  session->serve();
}

Ref<Session> Server::sessionOf(std::uint64_t number) {
  MutexLock lock(mutex_);
  const auto found = sessions_.find(number);
  return found == sessions_.end() ? Ref<Session>() : Ref<Session>(*found->second);
}

// A module that the node lacks comes with the same question once more.
void Server::answer(int connection, cluster::BuildProgram question) {
  const Ref<Session> session = sessionOf(question.session);
  if (!session) return;
  for (;;) {
    auto program = std::make_shared<Program>();
    cluster::ProgramBuilt built = programs_.build(session->device(), question, *program);
    const bool isAskedAgain = built.state == cluster::ProgramBuilt::State::NoModule;
    if (built.state == cluster::ProgramBuilt::State::Done) session->keep(question.program, std::move(program));
    if (!cluster::sendFields(connection, built, kPatienceMs) || !isAskedAgain) return;
    std::optional<cluster::Question> again = cluster::receiveFields<cluster::Question>(connection, kPatienceMs);
    auto* next = again ? std::get_if<cluster::BuildProgram>(&*again) : nullptr;
    if (!next || next->session != question.session) return;
    question = std::move(*next);
  }
}

} // namespace clotho::node
