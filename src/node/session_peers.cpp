// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "node/session_peers.hpp"

#include "base/error.hpp"
#include "node/remote_command.hpp"

#include <algorithm>
#include <new>
#include <string>
#include <utility>
#include <variant>

namespace clotho::node {

namespace {

/// Parts of one command that the fabric has at a time: enough to keep it busy.
constexpr std::size_t kMostUnderWay = 2;
} // namespace

class SessionPeers::End final : public clotho::Node {
 public:
  End() : Node(/*deviceQueue=*/nullptr, work_, state_, /*isTimed=*/false) {}
  void report(std::string, LogLevel) noexcept override {}

 private:
  ~End() override = default;
  Command work_;
  DeviceState state_;
};

struct SessionPeers::Part {
  Part(SessionPeers& owner, const PeerEdge& name, Ref<RemoteCommand> sender, Ref<MemoryView> bytes)
      : peers(owner), edge(name), command(std::move(sender)), memory(std::move(bytes)) {}
  // The last part ends the command, whose end says that the memory is not used any more.
  ~Part() {
    memory = nullptr;
    peers.partSent(edge);
  }
  Part(const Part&) = delete;
  Part& operator=(const Part&) = delete;

  SessionPeers& peers; ///< of the command's session
  const PeerEdge edge;
  const Ref<RemoteCommand> command;
  Ref<MemoryView> memory;
};

void SessionPeers::Early::note(const PeerEdge& edge, cl_int status) {
  constexpr std::size_t kMost = std::size_t{1} << 16;
  order_.push_back(edge);
  statuses_[edge] = status;
  if (order_.size() > 2 * kMost) std::erase_if(order_, [&](const PeerEdge& each) { return !statuses_.contains(each); });
  while (statuses_.size() > kMost) {
    statuses_.erase(order_.front());
    order_.pop_front();
  }
}

std::optional<cl_int> SessionPeers::Early::take(const PeerEdge& edge) noexcept {
  const auto found = statuses_.find(edge);
  if (found == statuses_.end()) return std::nullopt;
  const cl_int status = found->second;
  statuses_.erase(found);
  return status;
}

void SessionPeers::Early::forget(std::uint64_t session) noexcept {
  std::erase_if(statuses_, [&](const auto& each) { return each.first.session == session; });
}

void SessionPeers::Queue::start(clotho::Node& node, WorkList& ready) noexcept {
  peers_.start(static_cast<RemoteCommand&>(node), ready);
}

void SessionPeers::tell(const cluster::PeerSession& to, const PeerMessage& message, Payload payload) noexcept {
  if (router_) router_->send(name_, to, message, std::move(payload));
}

// --- Order ---

// A node that is lost after it was noted is told of (forgetNode). One that was lost before is not.
void SessionPeers::meet(RemoteCommand& command, const cluster::PeerSession& peer) {
  bool isNew = false;
  {
    MutexLock lock(mutex_);
    isNew = nodes_.emplace(peer.session, peer.node).second;
    if (!isNew && unreported_.erase(peer.session) == 0) return;
  }
  if (isNew && router_ && router_->reaches(name_, peer.node)) return;
  command.report("the device's node does not reach that of another one", LogLevel::Error);
  forget(peer.session);
}

void SessionPeers::follow(RemoteCommand& command, const cluster::PeerSession& peer, std::uint64_t number,
                          bool passesFailure) {
  meet(command, peer);
  const PeerEdge edge{peer.session, number};
  cl_int status = CL_COMPLETE;
  {
    MutexLock lock(mutex_);
    if (const std::optional<cl_int> known = early_.take(edge)) {
      status = *known;
    } else if (isOver_ || lost_.contains(edge.session)) {
      status = CL_OUT_OF_RESOURCES;
    } else {
      check(!awaited_.contains(edge), CL_INVALID_VALUE, "an edge that another command follows");
      const auto end = Ref<End>::adopt(new End);
      end->holdItself();
      awaited_[edge] = end;
      command.dependOn(*end, passesFailure);
      return;
    }
  }
  if (status < 0 && passesFailure) command.giveUp(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
}

void SessionPeers::tellEnd(const cluster::PeerSession& to, std::uint64_t edge, std::uint32_t status) noexcept {
  tell(to, {.kind = PeerMessage::Kind::Ended, .from = name_.number, .edge = edge, .status = status});
}

void SessionPeers::commandEnded(const PeerEdge& edge, cl_int status) {
  Ref<clotho::Node> end;
  {
    MutexLock lock(mutex_);
    if (isOver_ || lost_.contains(edge.session)) return;
    const auto found = awaited_.find(edge);
    if (found == awaited_.end()) return early_.note(edge, status);
    end = std::move(found->second);
    awaited_.erase(found);
  }
  end->complete(status);
}

// --- Bytes ---

void SessionPeers::prepare(Moves& moves, const PeerEdge& edge, Move move, Early& early) {
  check(!moves.contains(edge), CL_INVALID_VALUE, "an edge that is in use");
  if (const std::optional<cl_int> known = early.take(edge)) {
    move.isPeerReady = *known == CL_COMPLETE;
    move.failure = *known;
  }
  if (isOver_ || lost_.contains(edge.session)) move.failure = CL_OUT_OF_RESOURCES;
  moves.emplace(edge, std::move(move));
}

void SessionPeers::prepareSend(RemoteCommand& command, const cluster::SendBytes& send, std::span<std::byte> bytes,
                               Ref<MemoryView> memory) {
  meet(command, send.to);
  const PeerEdge edge{send.to.session, send.edge};
  MutexLock lock(mutex_);
  prepare(sends_, edge, {Ref<RemoteCommand>(command), send.to, bytes, std::move(memory)}, earlyForSends_);
  command.setMove({edge, /*isSend=*/true});
}

void SessionPeers::prepareReceive(RemoteCommand& command, const cluster::ReceiveBytes& receive,
                                  std::span<std::byte> bytes, Ref<MemoryView> memory) {
  meet(command, receive.from);
  const PeerEdge edge{receive.from.session, receive.edge};
  MutexLock lock(mutex_);
  prepare(receives_, edge, {Ref<RemoteCommand>(command), receive.from, bytes, std::move(memory)}, earlyForReceives_);
  command.setMove({edge, /*isSend=*/false});
}

// Another thread may end it as soon as it counts as started, so it has begun then. The other side may be ready for few
// bytes later than they come to it, and says so then all the same.
void SessionPeers::start(RemoteCommand& command, WorkList& ready) noexcept {
  const Ref<RemoteCommand> kept(command);
  const auto [edge, isSend] = command.move();
  cl_int failure = CL_OUT_OF_RESOURCES, status = CL_COMPLETE;
  cluster::PeerSession peer;
  Ref<RemoteCommand> over;
  {
    MutexLock lock(mutex_);
    Moves& moves = isSend ? sends_ : receives_;
    const auto found = moves.find(edge);
    if (found != moves.end()) failure = found->second.failure;
    if (failure == CL_COMPLETE) {
      Move& move = found->second;
      peer = move.peer;
      if (isSend && !move.isPeerReady) move.isPeerReady = takeEarlyCredit(edge, move.bytes.size());
      command.begin();
      move.isStarted = true;
      if (!isSend) over = takeEarlyBytes(edge, status);
    }
  }
  if (failure != CL_COMPLETE) return command.complete(failure, ready);
  if (isSend) return sendParts(edge);
  tell(peer, {.kind = PeerMessage::Kind::Ready, .from = name_.number, .edge = edge.edge});
  if (over) over->complete(status, ready);
}

// Without memory for the account they go when the other side is ready.
bool SessionPeers::takeEarlyCredit(const PeerEdge& edge, std::size_t size) noexcept {
  try {
    return earlyCredit_.take(edge, size);
  } catch (const std::bad_alloc&) {
    return false;
  }
}

Ref<RemoteCommand> SessionPeers::takeEarlyBytes(const PeerEdge& edge, cl_int& status) noexcept {
  const auto found = receives_.find(edge);
  if (found == receives_.end() || !found->second.isStarted || !earlyBytes_.haveCome(edge)) return {};
  if (!earlyBytes_.moveTo(edge, found->second.bytes)) status = CL_OUT_OF_RESOURCES;
  Ref<RemoteCommand> over = std::move(found->second.command);
  receives_.erase(found); // and with it what keeps the memory
  return over;
}

bool SessionPeers::takePart(const PeerEdge& edge, PeerMessage& message, cluster::PeerSession& to, Payload& payload,
                            Ref<RemoteCommand>& over) {
  MutexLock lock(mutex_);
  const auto found = sends_.find(edge);
  if (found == sends_.end()) return false;
  Move& move = found->second;
  move.isSending = false;
  if (move.isDone()) {
    over = std::move(move.command);
    sends_.erase(found);
    return false;
  }
  if (move.moved == move.bytes.size() || move.underWay >= kMostUnderWay) return false;
  const std::span<std::byte> part = move.bytes.subspan(move.moved, std::min(kPart, move.bytes.size() - move.moved));
  payload = {part, std::make_shared<const Part>(*this, edge, move.command, move.memory)};
  message = {
      .kind = PeerMessage::Kind::Bytes, .from = name_.number, .edge = edge.edge, .offset = move.moved, .status = 0};
  to = move.peer;
  move.moved += part.size();
  ++move.underWay;
  move.isSending = true;
  return true;
}

// The fabric may let a part go at once, which then does not send the next one by itself.
void SessionPeers::sendParts(const PeerEdge& edge) noexcept {
  {
    MutexLock lock(mutex_);
    const auto found = sends_.find(edge);
    if (found == sends_.end() || !found->second.isStarted || !found->second.isPeerReady || found->second.isSending)
      return;
    found->second.isSending = true;
  }
  Ref<RemoteCommand> over;
  cl_int status = CL_COMPLETE;
  try {
    PeerMessage message;
    cluster::PeerSession to;
    Payload payload;
    while (takePart(edge, message, to, payload, over))
      tell(to, message, std::move(payload));
  } catch (const std::bad_alloc&) {
    MutexLock lock(mutex_);
    if (const auto found = sends_.find(edge); found != sends_.end()) over = found->second.command;
    status = CL_OUT_OF_HOST_MEMORY;
  }
  if (over) over->complete(status);
}

void SessionPeers::partSent(const PeerEdge& edge) noexcept {
  {
    MutexLock lock(mutex_);
    const auto found = sends_.find(edge);
    if (found == sends_.end()) return; // it has failed meanwhile
    --found->second.underWay;
  }
  sendParts(edge);
}

void SessionPeers::peerIsReady(const PeerEdge& edge) {
  {
    MutexLock lock(mutex_);
    if (isOver_ || lost_.contains(edge.session) || earlyCredit_.giveBack(edge)) return;
    const auto found = sends_.find(edge);
    if (found == sends_.end()) return earlyForSends_.note(edge, CL_COMPLETE);
    found->second.isPeerReady = true;
  }
  sendParts(edge);
}

// Bytes for which there is no place fail the command.
std::byte* SessionPeers::placeFor(const PeerMessage& message, std::size_t size, Ref<Object>& memory) noexcept {
  if (message.kind != PeerMessage::Kind::Bytes) return nullptr;
  const PeerEdge edge{message.from, message.edge};
  {
    MutexLock lock(mutex_);
    if (isOver_ || lost_.contains(edge.session) || refused_.take(edge)) return nullptr;
    if (const auto found = receives_.find(edge); found != receives_.end() && found->second.isStarted) {
      const std::span<std::byte> bytes = found->second.bytes;
      if (message.offset > bytes.size() || size > bytes.size() - message.offset) return nullptr;
      memory = found->second.memory;
      return bytes.data() + message.offset;
    }
    if (std::byte* const place = message.offset == 0 ? earlyBytes_.placeFor(edge, size, memory) : nullptr) return place;
  }
  try {
    moveFailed(/*isSend=*/false, edge, CL_OUT_OF_RESOURCES);
  } catch (const std::bad_alloc&) {
    end(); // it would wait for ever
  }
  return nullptr;
}

void SessionPeers::bytesCame(const PeerEdge& edge, std::size_t size) noexcept {
  Ref<RemoteCommand> over;
  cl_int status = CL_COMPLETE;
  {
    MutexLock lock(mutex_);
    if (earlyBytes_.came(edge)) {
      over = takeEarlyBytes(edge, status);
    } else {
      const auto found = receives_.find(edge);
      if (found == receives_.end() || !found->second.isStarted) return;
      Move& move = found->second;
      move.moved += std::min(size, move.bytes.size() - move.moved);
      if (!move.isDone()) return;
      over = std::move(move.command);
      receives_.erase(found);
    }
  }
  if (over) over->complete(status);
}

// --- Ends ---

void SessionPeers::refuseEarlyBytes(const PeerEdge& edge, std::uint64_t size) noexcept {
  try {
    if (!earlyBytes_.forget(edge) && size <= EarlyBytes::kMostOfOne) refused_.note(edge, CL_OUT_OF_RESOURCES);
  } catch (const std::bad_alloc&) {
    // They will wait until the other session is lost.
  }
}

// One that has failed before it could move any bytes tells the other side, which waits for them.
void SessionPeers::ended(const RemoteCommand& command, std::uint32_t status) noexcept {
  const auto [edge, isSend] = command.move();
  if (edge.session == 0) return;
  Move over; // outlives the lock
  {
    MutexLock lock(mutex_);
    Moves& moves = isSend ? sends_ : receives_;
    const auto found = moves.find(edge);
    if (found == moves.end()) return;
    over = std::move(found->second);
    moves.erase(found);
    if (!isSend) refuseEarlyBytes(edge, over.bytes.size());
  }
  tell(over.peer, {.kind = isSend ? PeerMessage::Kind::SendFailed : PeerMessage::Kind::ReceiveFailed,
                   .from = name_.number,
                   .edge = edge.edge,
                   .status = status});
}

void SessionPeers::refused(const cluster::Work& work) noexcept {
  const auto* send = std::get_if<cluster::SendBytes>(&work);
  const auto* receive = std::get_if<cluster::ReceiveBytes>(&work);
  if (!send && !receive) return;
  const cluster::PeerSession& peer = send ? send->to : receive->from;
  const std::uint64_t edge = send ? send->edge : receive->edge;
  {
    MutexLock lock(mutex_);
    if ((send ? sends_ : receives_).contains({peer.session, edge})) return; // another command's
    if (receive) refuseEarlyBytes({peer.session, edge}, receive->size);
  }
  tell(peer, {.kind = send ? PeerMessage::Kind::SendFailed : PeerMessage::Kind::ReceiveFailed,
              .from = name_.number,
              .edge = edge,
              .status = static_cast<std::uint32_t>(CL_OUT_OF_RESOURCES)});
}

// A command that has not started does so when its predecessors are over, and ends then.
void SessionPeers::moveFailed(bool isSend, const PeerEdge& edge, cl_int status) {
  Ref<RemoteCommand> over;
  {
    MutexLock lock(mutex_);
    if (isOver_ || lost_.contains(edge.session)) return;
    const bool wentBefore = isSend && earlyCredit_.giveBack(edge);
    Moves& moves = isSend ? sends_ : receives_;
    const auto found = moves.find(edge);
    if (found == moves.end() && wentBefore) return;
    if (found == moves.end()) return (isSend ? earlyForSends_ : earlyForReceives_).note(edge, status);
    found->second.failure = status;
    if (!found->second.isStarted) return;
    over = std::move(found->second.command);
    moves.erase(found);
  }
  over->complete(status);
}

// A send and a receive may have the same name here: the numbers of their edges are of different sessions.
template <class IsOf> void SessionPeers::failAll(IsOf&& isOf) noexcept {
  std::map<PeerEdge, Ref<clotho::Node>> ends;
  Moves startedSends, startedReceives;
  {
    MutexLock lock(mutex_);
    for (auto at = awaited_.begin(); at != awaited_.end();) {
      const auto each = at++;
      if (isOf(each->first)) ends.insert(awaited_.extract(each));
    }
    const auto takeStarted = [&](Moves& moves, Moves& started) {
      for (auto at = moves.begin(); at != moves.end();) {
        const auto each = at++;
        if (!isOf(each->first)) continue;
        each->second.failure = CL_OUT_OF_RESOURCES;
        if (each->second.isStarted) started.insert(moves.extract(each));
      }
    };
    takeStarted(sends_, startedSends);
    takeStarted(receives_, startedReceives);
  }
  for (const auto& [edge, end] : ends)
    end->complete(CL_OUT_OF_RESOURCES);
  for (const Moves* started : {&startedSends, &startedReceives})
    for (const auto& [edge, move] : *started)
      move.command->complete(CL_OUT_OF_RESOURCES);
}

void SessionPeers::forget(std::uint64_t session) noexcept {
  try {
    MutexLock lock(mutex_);
    lost_.insert(session);
    unreported_.erase(session);
    earlyForSends_.forget(session);
    earlyForReceives_.forget(session);
    earlyBytes_.forget(session);
    earlyCredit_.forget(session);
    refused_.forget(session);
  } catch (const std::bad_alloc&) {
    return end();
  }
  failAll([&](const PeerEdge& edge) { return edge.session == session; });
}

// If the program has lost these sessions, too, it tells so, and uses them no more: nothing is reported.
void SessionPeers::forgetNode(NodeId node) noexcept {
  std::set<std::uint64_t> gone;
  try {
    MutexLock lock(mutex_);
    for (const auto& [session, at] : nodes_)
      if (at == node && lost_.insert(session).second) gone.insert(session);
    for (const std::uint64_t session : gone) {
      earlyBytes_.forget(session);
      earlyCredit_.forget(session);
    }
    unreported_.insert(gone.begin(), gone.end());
  } catch (const std::bad_alloc&) {
    return end();
  }
  failAll([&](const PeerEdge& edge) { return gone.contains(edge.session); });
}

void SessionPeers::end() noexcept {
  {
    MutexLock lock(mutex_);
    isOver_ = true;
    early_.clear();
    earlyForSends_.clear();
    earlyForReceives_.clear();
    earlyBytes_.clear();
    refused_.clear();
    earlyCredit_.clear();
  }
  failAll([](const PeerEdge&) { return true; });
}

// What cannot be noted would be waited for without an end.
void SessionPeers::received(const PeerMessage& message, std::size_t size) noexcept {
  const PeerEdge edge{message.from, message.edge};
  const auto status = std::min<cl_int>(static_cast<cl_int>(message.status), CL_COMPLETE);
  const cl_int failure = status < 0 ? status : CL_OUT_OF_RESOURCES;
  try {
    switch (message.kind) {
    case PeerMessage::Kind::Ended: return commandEnded(edge, status);
    case PeerMessage::Kind::Ready: return peerIsReady(edge);
    case PeerMessage::Kind::Bytes: return bytesCame(edge, size);
    case PeerMessage::Kind::SendFailed: return moveFailed(/*isSend=*/false, edge, failure);
    case PeerMessage::Kind::ReceiveFailed: return moveFailed(/*isSend=*/true, edge, failure);
    }
  } catch (const std::bad_alloc&) {
    end();
  }
}

} // namespace clotho::node
