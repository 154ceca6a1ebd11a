// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "node/relay/peer_traffic.hpp"

#include "base/log.hpp"
#include "cluster/messages.hpp"

#include <cstring>
#include <new>

namespace clotho::node {

namespace {

/// A program's node in a message, where it is one of the two that the message goes between. No node has these names,
/// which are chosen at random from 64 bits.
constexpr NodeId kReceiver = 0, kSender = 1;

} // namespace

void PeerTraffic::send(const SessionName& from, const cluster::PeerSession& to, const PeerMessage& message,
                       Payload payload) noexcept {
  if (to.node == from.self) return sendHere(find_(from.gateway, to.session), message, payload);
  Fabric* const fabric = fabric_.load(std::memory_order_acquire);
  if (!fabric) return;
  const NodeId gateway = to.node == 0 ? kReceiver : from.gateway == 0 ? kSender : from.gateway;
  try {
    ByteWriter frame;
    Frame::begin(frame, Frame::Kind::ToPeer, to.session);
    frame.u64(gateway);
    FieldWriter{frame}(message);
    fabric->send(to.node == 0 ? from.gateway : to.node, frame.bytes(), std::move(payload));
  } catch (const std::bad_alloc&) {
    CLOTHO_LOG(Device, Error, "no memory for a message between sessions");
    fabric->drop(to.node == 0 ? from.gateway : to.node); // it would wait for ever
  }
}

bool PeerTraffic::reaches(const SessionName& from, NodeId node) noexcept {
  if (node == from.self) return true;
  MutexLock lock(mutex_);
  return present_.contains(node == 0 ? from.gateway : node);
}

// --- On this node ---

// A message may end commands, whose ends are messages: these go behind it, so that no stack grows.
void PeerTraffic::sendHere(const Ref<Session>& session, const PeerMessage& message, const Payload& payload) noexcept {
  if (!session) return;
  try {
    if (!payload.bytes.empty()) {
      const auto move = [session, message, payload] {
        Ref<Object> memory;
        std::byte* const place = session->peers().placeFor(message, payload.bytes.size(), memory);
        if (!place) return;
        std::memcpy(place, payload.bytes.data(), payload.bytes.size());
        memory = nullptr; // the command may end by this, which says that the memory is not used any more
        session->peers().received(message, payload.bytes.size());
      };
      if (!tasks_.run(move)) move();
      return;
    }
    MutexLock lock(mutex_);
    local_.push_back({session, message});
    if (isDelivering_) return;
    isDelivering_ = true;
  } catch (const std::bad_alloc&) {
    session->peers().end(); // it would wait for ever
    return;
  }
  for (;;) {
    Local next;
    {
      MutexLock lock(mutex_);
      isDelivering_ = !local_.empty();
      if (!isDelivering_) return;
      next = std::move(local_.front());
      local_.pop_front();
    }
    next.session->peers().received(next.message, 0);
  }
}

// --- From other nodes ---

std::optional<PeerTraffic::Named> PeerTraffic::parse(NodeId from, std::string_view body) noexcept {
  ByteReader in(body);
  Named named{in.u64(), {}};
  FieldReader{in}(named.message);
  if (!in.finished()) return std::nullopt;
  if (named.gateway == kReceiver)
    named.gateway = 0;
  else if (named.gateway == kSender)
    named.gateway = from;
  return named;
}

std::string PeerTraffic::nameOf(const Frame& frame) { return std::to_string(frame.number) + std::string(frame.body); }

std::byte* PeerTraffic::placeFor(NodeId from, const Frame& frame, std::size_t size) noexcept {
  const std::optional<Named> named = parse(from, frame.body);
  if (!named || size > SessionPeers::kPart) return nullptr;
  try {
    const auto [at, isNew] = coming_.try_emplace({from, nameOf(frame)});
    if (!isNew) return nullptr;
    at->second.session = find_(named->gateway, frame.number);
    std::byte* place = nullptr;
    if (at->second.session) place = at->second.session->peers().placeFor(named->message, size, at->second.memory);
    if (place) return place;
    at->second.session = nullptr;
    return unwanted();
  } catch (const std::bad_alloc&) {
    return unwanted();
  }
}

std::optional<PeerTraffic::Coming> PeerTraffic::take(NodeId from, const Frame& frame) noexcept {
  try {
    const auto found = coming_.find({from, nameOf(frame)});
    if (found == coming_.end()) return std::nullopt;
    return std::move(coming_.extract(found).mapped());
  } catch (const std::bad_alloc&) {
    return std::nullopt;
  }
}

bool PeerTraffic::received(NodeId from, const Frame& frame, std::size_t size) noexcept {
  const std::optional<Named> named = parse(from, frame.body);
  if (!named || (size != 0) != (named->message.kind == PeerMessage::Kind::Bytes)) return false;
  std::optional<Coming> coming = size != 0 ? take(from, frame) : std::nullopt;
  if (coming) coming->memory = nullptr; // as above
  const Ref<Session> session = coming ? coming->session : find_(named->gateway, frame.number);
  if (!session) return true;
  PeerMessage message = named->message;
  if (size != 0 && !coming) {
    // The bytes are lost, and with them what should have received them.
    message.kind = PeerMessage::Kind::SendFailed;
    message.status = static_cast<std::uint32_t>(CL_OUT_OF_RESOURCES);
  }
  session->peers().received(message, size);
  return true;
}

void PeerTraffic::joined(NodeId node) {
  MutexLock lock(mutex_);
  present_.insert(node);
}

void PeerTraffic::lost(NodeId node) noexcept {
  {
    MutexLock lock(mutex_);
    present_.erase(node);
  }
  std::erase_if(coming_, [&](const auto& each) { return each.first.first == node; });
}

} // namespace clotho::node
