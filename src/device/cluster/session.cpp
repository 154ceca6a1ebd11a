// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "device/cluster/session.hpp"

#include "base/clock.hpp"
#include "base/error.hpp"
#include "base/log.hpp"
#include "base/overloaded.hpp"
#include "base/signals_blocked.hpp"
#include "base/spin.hpp"
#include "cluster/frames.hpp"
#include "device/cluster/host_copies.hpp"

#include <algorithm>
#include <chrono>
#include <new>
#include <pthread.h>
#include <sched.h>
#include <sys/socket.h>

namespace clotho::cluster {

namespace {

/// After more looks than these without a sign the node counts as gone: two seconds, or as much more as looks are late.
constexpr unsigned kMostBeatsMissed = 6;
/// Most predecessors in one message, far less than a ring takes.
constexpr std::size_t kMostPredecessors = 4096;
/// How long a thread that waits receives by itself, where there are processors for it.
constexpr std::chrono::microseconds kHelpTime{200};

LogLevel levelOf(Reported::Level level) {
  switch (level) {
  case Reported::Level::Error: break;
  case Reported::Level::Warn: return LogLevel::Warn;
  case Reported::Level::Info: return LogLevel::Info;
  }
  return LogLevel::Error;
}

/// Writes a message; whether a ring takes it.
bool encode(const ToNode& message, ByteWriter& out) {
  FieldWriter{out}(message);
  return out.bytes().size() <= Link::kMost;
}

} // namespace

Session::Session(NodeClient client, NodeClient::Opened opened, PeerGroup* group, const Window* window, std::string name)
    : client_(std::move(client)), node_(opened.node), session_(opened.session), group_(group), window_(window),
      name_(std::move(name)), link_(Side::Host, std::move(opened.parts)),
      helpTime_(hasFewProcessors() ? kSpinTime : kHelpTime), place_(group ? group->add(*this) : 0) {}

Session::~Session() {
  if (hasPeers()) group_->remove(place_);
}

void Session::start() {
  pthread_attr_t attributes;
  check(pthread_attr_init(&attributes) == 0, CL_OUT_OF_RESOURCES, "no thread for a node's answers");
  pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
  const SignalsBlocked blocked;
  pthread_t thread;
  const int error = pthread_create(&thread, &attributes, threadMain, this);
  pthread_attr_destroy(&attributes);
  check(error == 0, CL_OUT_OF_RESOURCES, "no thread for a node's answers");
  pthread_setname_np(thread, "clotho-cluster");
}

// --- Sending ---

/// No end of a marker is awaited here. It fails if one of its predecessors passes a failure, and hands that on. As long
/// as there are markers that the command does not follow yet, the node is told of no ends, so that it forgets no
/// failure of theirs.
class Session::Gathering {
 public:
  /// Throws bad_alloc.
  Gathering(Session& session, RunCommand& command) {
    std::vector<Predecessor>& after = command.after;
    if (after.size() <= kMostPredecessors) return;
    gatherings_ = {&session.gatherings_, countDown};
    session.gatherings_.fetch_add(1, std::memory_order_relaxed); // before the link is locked for the first marker
    while (after.size() > kMostPredecessors) {
      const auto first = after.end() - static_cast<std::ptrdiff_t>(kMostPredecessors);
      RunCommand marker{.queue = command.queue, .after{first, after.end()}, .work = RunNothing{}};
      after.erase(first, after.end());
      after.push_back({.number = session.sendUnawaited(std::move(marker)), .passesFailure = true});
    }
  }

 private:
  using Count = std::atomic<std::uint32_t>;
  static void countDown(Count* count) noexcept { count->fetch_sub(1, std::memory_order_relaxed); }

  std::unique_ptr<Count, void (*)(Count*)> gatherings_{nullptr, countDown};
};

std::uint64_t Session::endsToTell() const noexcept {
  return gatherings_.load(std::memory_order_relaxed) != 0 ? 0 : endsHandled_.load(std::memory_order_acquire);
}

// Without memory a message that the ring has no room for is not sent either, although its end is awaited by then. The
// session may be lost before that is taken back: then it has been ended.
template <class Fill> bool Session::sendAwaited(const Awaited& awaited, Fill&& fill, cl_int& failure) noexcept {
  std::uint64_t awaitedAs = 0;
  failure = CL_OUT_OF_RESOURCES;
  try {
    link_.send([&](ByteWriter& out) {
      const std::uint64_t number = nextNumber();
      const ToNode* message = fill(number);
      if (message == nullptr || !encode(*message, out) || !await(number, awaited)) return false;
      awaitedAs = number;
      return true;
    });
  } catch (const std::bad_alloc&) {
    failure = CL_OUT_OF_HOST_MEMORY;
    return awaitedAs != 0 && !take(awaitedAs);
  }
  return awaitedAs != 0;
}

void Session::run(Node& node, std::uint32_t queue, Work work, WorkList& ready) noexcept {
  RunCommand command{.queue = queue, .work = std::move(work)};
  try {
    Followed after;
    node.forEachIssuedPredecessor(
        [&](std::uint64_t ticket, bool passesFailure) { after.emplace_back(ticket, passesFailure); });
    if (!follow(command, after)) return node.complete(CL_OUT_OF_RESOURCES, ready);
    const Gathering gathering(*this, command);
    send(node, std::move(command), /*isTransfer=*/false, ready);
  } catch (const std::bad_alloc&) {
    node.complete(CL_OUT_OF_HOST_MEMORY, ready);
  }
}

// The link is locked from the moment at which the command's successors can see its ticket until it is sent: they come
// behind it.
bool Session::send(Node& node, RunCommand command, bool isTransfer, WorkList& ready) noexcept {
  cl_int failure = CL_OUT_OF_HOST_MEMORY;
  bool isSent = false;
  try {
    ToNode message = std::move(command);
    bool isToFail = false;
    const auto fill = [&](std::uint64_t number) -> const ToNode* {
      const std::uint64_t endsHandled = endsToTell();
      isToFail = !isTransfer && node.isToFail();
      if (isToFail) return nullptr;
      std::get_if<RunCommand>(&message)->number = number;
      std::get_if<RunCommand>(&message)->endsHandled = endsHandled;
      if (isTransfer || node.isStreamed()) node.issued(Ticket{place_, number}.value(), ready);
      return &message;
    };
    isSent = sendAwaited(&node, fill, failure);
    if (isToFail) failure = CL_COMPLETE;
  } catch (const std::bad_alloc&) {
    isSent = false;
  }
  if (!isSent) node.complete(failure, ready);
  return isSent;
}

// A session that is lost tells of no end. What passes no failure need not wait for it. Without memory to ask for an end
// the command fails, since it must not run too early.
bool Session::follow(RunCommand& command, const Followed& after) {
  for (const auto& [value, passesFailure] : after) {
    const Ticket ticket = Ticket::of(value);
    if (ticket.place == place_) {
      command.after.push_back({.number = ticket.number, .passesFailure = passesFailure});
      continue;
    }
    Session& other = group_->at(ticket.place);
    const std::uint64_t edge = lastEdge_.fetch_add(1, std::memory_order_relaxed) + 1;
    if (other.tell(TellEnd{ticket.number, peer(), edge}))
      command.after.push_back({.number = edge, .passesFailure = passesFailure, .peer = other.peer()});
    else if (passesFailure || !other.isLost())
      return false;
  }
  return true;
}

// The sender waits for its own predecessors alone, and the receiver for all others: bytes move when both are ready.
// Nothing is sent to the sender before the receiver's predecessors are told of it: a sender waits for its receiver.
void Session::receive(Node& node, std::uint32_t queue, const ReceiveBytes& bytes, const Source& source,
                      const Followed& after, WorkList& ready) noexcept {
  Session& from = source.session;
  try {
    const std::uint64_t edge = lastEdge_.fetch_add(1, std::memory_order_relaxed) + 1;
    RunCommand sending{.queue = queue, .work = SendBytes{source.address, bytes.size, peer(), edge}};
    RunCommand receiving{.queue = queue, .work = bytes};
    auto& work = *std::get_if<ReceiveBytes>(&receiving.work);
    work.from = from.peer();
    work.edge = edge;
    Followed here, there;
    for (const auto& each : after)
      (Ticket::of(each.first).place == from.place_ ? there : here).push_back(each);
    if (!follow(receiving, here)) return node.complete(CL_OUT_OF_RESOURCES, ready);
    const Gathering ofReceiving(*this, receiving);
    from.follow(sending, there);
    const Gathering ofSending(from, sending);
    if (from.sendUnawaited(std::move(sending), &node, source.owner) == 0)
      return node.complete(node.isToFail() ? CL_COMPLETE : CL_OUT_OF_RESOURCES, ready);
    // The sender would wait for ever. It learns of a session that is lost.
    if (!send(node, std::move(receiving), /*isTransfer=*/true, ready)) link_.close();
  } catch (const std::bad_alloc&) {
    node.complete(CL_OUT_OF_HOST_MEMORY, ready);
  }
}

std::uint64_t Session::sendUnawaited(RunCommand command, const Node* part, const Ref<Object>& kept) {
  if (isLost()) return 0;
  std::uint64_t sent = 0;
  ToNode message = std::move(command);
  try {
    link_.send([&](ByteWriter& out) {
      if (isLost()) return false;
      auto* const run = std::get_if<RunCommand>(&message);
      run->endsHandled = endsToTell();
      if (part && part->isToFail()) return false;
      const std::uint64_t number = run->number = nextNumber();
      if (!encode(message, out) || (kept && !await(number, kept))) return false;
      sent = number;
      return true;
    });
  } catch (const std::bad_alloc&) {
    if (sent != 0) take(sent);
    throw;
  }
  return sent;
}

bool Session::run(const Piece& piece, std::uint32_t queue, const RunCopy& copy, cl_int& failure) noexcept {
  ToNode message = RunCommand{.queue = queue, .work = copy};
  const auto fill = [&](std::uint64_t number) -> const ToNode* {
    std::get_if<RunCommand>(&message)->number = number;
    std::get_if<RunCommand>(&message)->endsHandled = endsToTell();
    return &message;
  };
  return sendAwaited(piece, fill, failure);
}

// In a forked child a thread of the parent's may have locked what is locked here, so a lost session looks first.
bool Session::tell(const ToNode& message) noexcept {
  if (isLost()) return false;
  bool isSent = false;
  try {
    link_.send([&](ByteWriter& out) {
      isSent = !isLost() && encode(message, out);
      return isSent;
    });
  } catch (const std::bad_alloc&) {
    isSent = false;
  }
  return isSent;
}

bool Session::askLocalSize(const ChooseLocalSize& question, std::array<std::uint64_t, 3>& local,
                           std::chrono::milliseconds patience) noexcept {
  if (isLost()) return false;
  LocalSizeAnswer answer;
  ToNode message = question;
  std::uint64_t asked = 0;
  const auto fill = [&](std::uint64_t number) -> const ToNode* {
    std::get_if<ChooseLocalSize>(&message)->question = asked = number;
    return &message;
  };
  cl_int failure = CL_SUCCESS;
  if (!sendAwaited(&answer, fill, failure)) return false;
  const auto isOver = [](const void* context) {
    return static_cast<const LocalSizeAnswer*>(context)->state.load(std::memory_order_acquire) !=
           LocalSizeAnswer::kOpen;
  };
  help(isOver, &answer);
  const auto end = std::chrono::steady_clock::now() + patience;
  bool isAwaited = true;
  while (!isOver(&answer)) {
    const std::chrono::nanoseconds left = end - std::chrono::steady_clock::now();
    if (isAwaited && left.count() <= 0) {
      isAwaited = false;
      if (take(asked)) return false; // else another thread is about to give the answer
    }
    Parking::wait(answer.state, LocalSizeAnswer::kOpen, isAwaited ? left.count() : -1);
  }
  local = answer.local;
  return answer.state.load(std::memory_order_acquire) == LocalSizeAnswer::kAnswered;
}

std::optional<ProgramBuilt> Session::build(BuildProgram question, const std::string& module, std::string& why) {
  if (isLost()) return std::nullopt;
  const UniqueFd fd = client_.connect(why);
  if (!fd) return std::nullopt;
  {
    MutexLock lock(mutex_);
    if (isLost()) return std::nullopt;
    builds_.push_back(fd.get());
  }
  question.session = session_;
  const auto askOnce = [&]() -> std::optional<ProgramBuilt> {
    if (!sendFields(fd.get(), Question(question), /*patienceMs=*/-1)) return std::nullopt;
    return receiveFields<ProgramBuilt>(fd.get(), /*patienceMs=*/-1);
  };
  std::optional<ProgramBuilt> built;
  try {
    built = askOnce();
    if (built && built->state == ProgramBuilt::State::NoModule) {
      question.hasModule = true;
      question.module = module;
      built = askOnce();
    }
  } catch (const std::bad_alloc&) {
    built.reset();
  }
  MutexLock lock(mutex_);
  std::erase(builds_, fd.get());
  if (!built) why = "the node does not answer any more";
  return built;
}

// --- What is under way ---

bool Session::await(std::uint64_t number, const Awaited& awaited) {
  MutexLock lock(mutex_);
  if (isLost()) return false;
  awaited_.emplace(number, awaited);
  return true;
}

std::optional<Session::Awaited> Session::take(std::uint64_t number) noexcept {
  MutexLock lock(mutex_);
  const auto found = awaited_.find(number);
  if (found == awaited_.end()) return std::nullopt;
  Awaited awaited = std::move(found->second);
  awaited_.erase(found);
  return awaited;
}

Session::Asked Session::takeQuestion(std::uint64_t number, LocalSizeAnswer*& answer) noexcept {
  MutexLock lock(mutex_);
  const auto found = awaited_.find(number);
  if (found == awaited_.end()) return Asked::No;
  auto* const* asked = std::get_if<LocalSizeAnswer*>(&found->second);
  if (!asked) return Asked::Damage;
  answer = *asked;
  awaited_.erase(found);
  return Asked::Yes;
}

Node* Session::nodeOf(std::uint64_t number) noexcept {
  MutexLock lock(mutex_);
  const auto found = awaited_.find(number);
  if (found == awaited_.end()) return nullptr;
  if (const auto* piece = std::get_if<Piece>(&found->second)) return piece->node;
  const auto* node = std::get_if<Node*>(&found->second);
  return node ? *node : nullptr;
}

void Session::end(const Awaited& awaited, const Ended& end, WorkList& list) noexcept {
  const auto status = std::min<cl_int>(static_cast<cl_int>(end.status), CL_COMPLETE);
  std::visit(Overloaded{[&](Node* node) {
                          if (end.ended != 0) node->setTimes(end.started, end.ended);
                          node->complete(status, list);
                        },
                        [&](const Piece& piece) { piece.copies->ended(*piece.node, piece.slot, end, list); },
                        [&](LocalSizeAnswer* answer) {
                          answer->state.store(LocalSizeAnswer::kLost, std::memory_order_release);
                          Parking::wakeAll(answer->state);
                        },
                        [](const Ref<Object>&) {}},
             awaited);
}

// A thread that is about to send finds out under the same lock. One that receives may be at a command that is ended
// here.
void Session::lose(const char* why) noexcept {
  std::unordered_map<std::uint64_t, Awaited> over;
  {
    MutexLock lock(mutex_);
    if (isLost_.exchange(true, std::memory_order_acq_rel)) return;
    over.swap(awaited_);
    for (const int build : builds_)
      shutdown(build, SHUT_RDWR);
  }
  if (why) CLOTHO_LOG(Device, Error, "the device '%s' is lost: %s", name_.c_str(), why);
  link_.close();
  if (hasPeers()) group_->lost(*this);
  while (isReceiving_.exchange(true, std::memory_order_acquire))
    sched_yield();
  WorkList list;
  for (const auto& [number, awaited] : over)
    end(awaited, {.status = static_cast<std::uint32_t>(CL_OUT_OF_RESOURCES)}, list);
  isReceiving_.store(false, std::memory_order_release);
  list.run();
}

void Session::leaveInChild() noexcept {
  isLost_.store(true, std::memory_order_release);
  link_.closeCopies();
}

// --- Receiving ---

bool Session::handle(std::string_view bytes, WorkList& list) noexcept {
  try {
    std::optional<ToHost> message = decode<ToHost>(bytes);
    if (!message) return false;
    bool isSound = true;
    std::visit(Overloaded{[&](const Ended& end) {
                            if (const std::optional<Awaited> awaited = take(end.number)) this->end(*awaited, end, list);
                            endsHandled_.fetch_add(1, std::memory_order_release);
                          },
                          [&](Reported& report) {
                            if (Node* node = nodeOf(report.number))
                              node->report(std::move(report.text), levelOf(report.level));
                          },
                          [&](const Printed& printed) {
                            if (Node* node = nodeOf(printed.number)) node->print(printed.text);
                          },
                          [&](const LocalSizeChosen& chosen) {
                            LocalSizeAnswer* answer = nullptr;
                            const Asked asked = takeQuestion(chosen.question, answer);
                            isSound = asked != Asked::Damage;
                            if (asked != Asked::Yes) return;
                            std::ranges::copy(chosen.local, answer->local.begin());
                            answer->state.store(LocalSizeAnswer::kAnswered, std::memory_order_release);
                            Parking::wakeAll(answer->state);
                          }},
               *message);
    return isSound;
  } catch (const std::bad_alloc&) {
    return false;
  }
}

bool Session::receive() noexcept {
  if (link_.isEmpty() || isReceiving_.exchange(true, std::memory_order_acquire)) return false;
  bool isAny = false, isSound = true;
  while (isSound && !isLost()) {
    WorkList list;
    RingReader::Found found = RingReader::Found::Damage;
    try {
      found = link_.receive(message_);
    } catch (const std::bad_alloc&) {
      // A message that cannot be received is as good as damaged: the command's end would never be known.
    }
    if (found == RingReader::Found::Nothing) break;
    isSound = found == RingReader::Found::Message && handle(message_, list);
    isAny = true;
    list.run();
  }
  isReceiving_.store(false, std::memory_order_release);
  if (!isSound) lose("its node's messages make no sense");
  return isAny;
}

// The last thread that helps leaves the ring to the session's thread. None yields its processor: where others compute,
// that would cost it a slice of time.
void Session::help(Helping::Condition over, const void* context) noexcept {
  if (isLost() || over(context) || !helping_.isWorthwhile()) return; // in a forked child the ring is the parent's
  if (helpers_.fetch_add(1, std::memory_order_acq_rel) == 0) link_.disarm();
  auto lastReceived = std::chrono::steady_clock::now();
  bool hasReceived = false;
  while (!over(context) && !isLost()) {
    const auto now = std::chrono::steady_clock::now();
    if (receive()) {
      lastReceived = now;
      hasReceived = true;
    } else if (now - lastReceived > helpTime_) {
      break;
    } else {
      pauseCpu();
    }
  }
  helping_.note(hasReceived || over(context));
  if (helpers_.fetch_sub(1, std::memory_order_acq_rel) == 1) link_.arm();
}

void* Session::threadMain(void* session) {
  static_cast<Session*>(session)->receiveAll();
  return nullptr;
}

void Session::receiveAll() noexcept {
  takeShortSlices();
  beat_ = link_.area().nodeBeat().load(std::memory_order_relaxed);
  lookedAt_ = hostTime();
  std::chrono::steady_clock::time_point lastReceived{};
  while (!isLost()) {
    bool isBurst = false; // the next message is likely to come while this thread polls
    while (receive()) {
      const auto now = std::chrono::steady_clock::now();
      isBurst = now - lastReceived < kSpinTime;
      lastReceived = now;
    }
    const bool isAlone = helpers_.load(std::memory_order_acquire) == 0;
    if (isAlone && isBurst) {
      spinUntil([](const void* link) { return !static_cast<const Link*>(link)->isEmpty(); }, &link_);
      if (!link_.isEmpty()) continue;
    }
    if (link_.sleep(kBeatMs, isAlone) == Link::Woken::ByEnd) {
      while (receive()) {
      } // what it has sent before its end
      lose(link_.isClosed() ? "its node takes no messages"
           : node_ != 0     ? "its node is gone, or out of reach"
                            : "its node has ended");
    }
    checkBeat();
  }
}

// By this thread's own steps: if the whole machine stood still, neither has moved.
void Session::checkBeat() noexcept {
  const std::uint64_t now = hostTime();
  if (now - lookedAt_ < std::uint64_t{kBeatMs} * 1'000'000) return;
  lookedAt_ = now;
  const std::uint64_t beat = link_.area().nodeBeat().load(std::memory_order_relaxed);
  missed_ = beat == beat_ ? missed_ + 1 : 0;
  beat_ = beat;
  if (missed_ > kMostBeatsMissed) lose("its node stands still");
}

} // namespace clotho::cluster
