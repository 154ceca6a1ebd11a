// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "node/relay/other_nodes.hpp"

#include "base/clock.hpp"
#include "base/log.hpp"

#include <new>
#include <variant>

namespace clotho::node {

namespace {

/// Longest list of devices, in bytes. Each takes some hundreds.
constexpr std::size_t kMostList = std::size_t{4} << 20;

std::shared_ptr<const std::string> encoded(const cluster::DeviceList& list) {
  ByteWriter out;
  FieldWriter{out}(list);
  return std::make_shared<const std::string>(out.take());
}

} // namespace

OtherNodes::OtherNodes(std::string host, const cluster::DeviceList& own, Answer answer, Find find,
                       const Questions::Patience& patience)
    : answer_(std::move(answer)), ownDevices_(encoded(own)), questions_(patience),
      inquiries_(tasks_, [this](NodeId from, std::uint64_t number) { sendHead(from, Frame::Kind::Working, number); }),
      roster_(std::move(host), static_cast<std::uint32_t>(own.devices.size())),
      peers_(tasks_, [this, own = std::move(find)](NodeId gateway, std::uint64_t number) {
        return gateway == 0 ? own(number) : guests_.find(gateway, number);
      }) {}

void OtherNodes::use(Fabric& fabric) {
  std::vector<NodeId> nodes;
  {
    MutexLock lock(mutex_);
    counted_.use(fabric);
    fabric_.store(&counted_, std::memory_order_release);
    peers_.use(counted_);
    nodes.swap(ungreeted_);
  }
  for (const NodeId node : nodes)
    greet(node);
}

void OtherNodes::greet(NodeId node) {
  ByteWriter head;
  Frame::begin(head, Frame::Kind::Devices, 0);
  fabric()->send(node, head.bytes(), {std::as_bytes(std::span(*ownDevices_)), ownDevices_});
  askTime(node);
}

void OtherNodes::sendHead(NodeId to, Frame::Kind kind, std::uint64_t number) noexcept {
  ByteWriter head; // so short that it needs no memory
  Frame::begin(head, kind, number);
  if (Fabric* const fabric = this->fabric()) fabric->send(to, head.bytes());
}

// --- Questions of this node ---

std::uint64_t OtherNodes::pose(NodeId node, const Inquiry& inquiry) {
  Fabric* const fabric = this->fabric();
  return fabric ? questions_.pose(*fabric, node, inquiry) : 0;
}

void OtherNodes::askTime(NodeId node) {
  ByteWriter question;
  Frame::begin(question, Frame::Kind::AskTime, 0);
  question.u64(hostTime());
  if (Fabric* const fabric = this->fabric()) fabric->send(node, question.bytes());
}

// --- Sessions of programs here ---

NodeId OtherNodes::nodeOf(std::uint64_t session) {
  MutexLock lock(mutex_);
  const auto found = relays_.find(session);
  return found == relays_.end() ? 0 : found->second->node();
}

std::shared_ptr<Relay> OtherNodes::relayOf(NodeId node, std::uint64_t session) {
  MutexLock lock(mutex_);
  const auto found = relays_.find(session);
  return found == relays_.end() || found->second->node() != node ? nullptr : found->second;
}

// A node that is lost ends all relays, or it is not in the roster any more when one is added.
std::shared_ptr<Relay> OtherNodes::add(const Roster::Where& where, std::uint64_t session, cluster::Link::Parts parts) {
  auto relay = std::make_shared<Relay>(*fabric(), where.node, session, where.clock, std::move(parts));
  {
    MutexLock lock(mutex_);
    relays_.emplace(session, relay);
  }
  if (roster_.clockOf(where.node)) return relay;
  MutexLock lock(mutex_);
  relays_.erase(session);
  return nullptr;
}

void OtherNodes::serve(Relay& relay) {
  constexpr std::uint64_t kClockTime = 1'000'000'000; // ns between looks at the other clock
  std::uint64_t lookedAt = 0;
  relay.serve([&] {
    if (hostTime() - lookedAt < kClockTime) return;
    lookedAt = hostTime();
    askTime(relay.node());
  });
  leave(relay.node(), relay.session());
}

void OtherNodes::leave(NodeId node, std::uint64_t session) noexcept {
  sendHead(node, Frame::Kind::LeaveSession, session);
}

// --- By the fabric ---

void OtherNodes::joined(NodeId node, const std::string& host) noexcept {
  try {
    const std::shared_ptr<Traffic> traffic = counted_.joined(node);
    roster_.joined(node, host);
    questions_.joined(node, traffic);
    inquiries_.joined(node);
    guests_.joined(node);
    peers_.joined(node);
    {
      MutexLock lock(mutex_);
      if (!fabric()) {
        ungreeted_.push_back(node);
        return;
      }
    }
    greet(node);
  } catch (const std::bad_alloc&) {
    CLOTHO_LOG(Device, Error, "no memory for a node that joins");
    if (Fabric* const fabric = this->fabric()) fabric->drop(node);
  }
}

void OtherNodes::lost(NodeId node) noexcept {
  roster_.lost(node);
  questions_.lost(node);
  inquiries_.lost(node);
  peers_.lost(node);
  guests_.lost(node);
  guests_.forgetNode(node);
  counted_.lost(node);
  MutexLock lock(mutex_);
  std::erase(ungreeted_, node);
  for (auto at = relays_.begin(); at != relays_.end();) {
    const auto each = at++;
    if (each->second->node() != node) continue;
    each->second->end();
    relays_.erase(each);
  }
  lists_.erase(node);
}

std::byte* OtherNodes::placeFor(NodeId from, std::string_view message, std::size_t size) noexcept {
  const std::optional<Frame> frame = Frame::parse(message);
  if (!frame) return nullptr;
  noteMoved(from, size);
  switch (frame->kind) {
  case Frame::Kind::Answer: return questions_.placeFor(from, frame->number, size);
  case Frame::Kind::ToSession: return guests_.placeFor(from, frame->number, frame->body, size);
  case Frame::Kind::ToPeer: return peers_.placeFor(from, *frame, size);
  case Frame::Kind::ToProgram: {
    const std::shared_ptr<Relay> relay = relayOf(from, frame->number);
    return relay ? relay->placeFor(frame->body, size) : nullptr;
  }
  case Frame::Kind::Ask: return inquiries_.placeFor(from, frame->number, size);
  case Frame::Kind::Devices: break;
  default: return nullptr;
  }
  if (size > kMostList) return nullptr;
  try {
    MutexLock lock(mutex_);
    const auto [place, isNew] = lists_.try_emplace(from);
    if (!isNew) return nullptr;
    place->second.resize(size);
    return reinterpret_cast<std::byte*>(place->second.data());
  } catch (const std::bad_alloc&) {
    return nullptr;
  }
}

void OtherNodes::noteMoved(NodeId from, std::size_t size) noexcept {
  if (size < Traffic::kLarge) return;
  if (const std::shared_ptr<Traffic> traffic = counted_.trafficOf(from)) traffic->moved(size);
}

void OtherNodes::received(NodeId from, std::string_view message, std::size_t payloadSize) noexcept {
  received_.add(payloadSize);
  noteMoved(from, payloadSize);
  bool isSound = false;
  try {
    const std::optional<Frame> frame = Frame::parse(message);
    isSound = frame && handle(from, *frame, payloadSize);
  } catch (const std::bad_alloc&) {
    isSound = false;
  }
  if (isSound) return;
  CLOTHO_LOG(Device, Error, "a node sends messages that make no sense");
  if (Fabric* const fabric = this->fabric()) fabric->drop(from);
}

bool OtherNodes::handle(NodeId from, const Frame& frame, std::size_t size) {
  switch (frame.kind) {
  case Frame::Kind::Devices: {
    std::optional<cluster::DeviceList> list = cluster::decode<cluster::DeviceList>(takeList(from));
    return list && roster_.listed(from, std::move(*list));
  }
  case Frame::Kind::Ask: return size != 0 && answer(from, frame.number);
  case Frame::Kind::Answer: {
    std::uint64_t opened = 0;
    if (!questions_.answered(from, frame.number, frame.body, opened)) return false;
    if (opened != 0) leave(from, opened);
    return true;
  }
  case Frame::Kind::Working: questions_.working(from, frame.number); return size == 0;
  case Frame::Kind::ToPeer: return peers_.received(from, frame, size);
  case Frame::Kind::AskTime:
  case Frame::Kind::TellTime: return size == 0 && handleTime(from, frame);
  default: return handleSession(from, frame, size);
  }
}

bool OtherNodes::handleSession(NodeId from, const Frame& frame, std::size_t size) noexcept {
  if (frame.kind == Frame::Kind::ToSession) return guests_.received(from, frame.number, frame.body, size);
  if (frame.kind == Frame::Kind::ToProgram) {
    const std::shared_ptr<Relay> relay = relayOf(from, frame.number);
    if (!relay) return false;
    if (relay->received(frame.body, size)) return true;
    CLOTHO_LOG(Device, Error, "a session of another node sends messages that make no sense");
    relay->end();
    return true;
  }
  if (size != 0) return false;
  if (frame.kind == Frame::Kind::LeaveSession) {
    guests_.leave(from, frame.number);
    return true;
  }
  const std::shared_ptr<Relay> relay = relayOf(from, frame.number);
  if (!relay) return true; // of a session that was not handed on
  relay->end();
  MutexLock lock(mutex_);
  relays_.erase(frame.number);
  return true;
}

// The shortest of several round trips says best how far the clocks are apart, and the first ones matter most.
bool OtherNodes::handleTime(NodeId from, const Frame& frame) {
  constexpr std::uint64_t kFirst = 8;
  ByteReader in(frame.body);
  const std::uint64_t asked = in.u64(), told = frame.kind == Frame::Kind::TellTime ? in.u64() : hostTime();
  if (!in.finished()) return false;
  if (frame.kind == Frame::Kind::AskTime) {
    ByteWriter answer;
    Frame::begin(answer, Frame::Kind::TellTime, frame.number);
    answer.u64(asked);
    answer.u64(told);
    if (Fabric* const fabric = this->fabric()) fabric->send(from, answer.bytes());
    return true;
  }
  const std::shared_ptr<ClockOffset> clock = roster_.clockOf(from);
  if (!clock) return true;
  clock->measured(asked, told, hostTime());
  if (clock->count() < kFirst) askTime(from);
  return true;
}

// --- Questions of other nodes ---

std::string OtherNodes::takeList(NodeId from) {
  MutexLock lock(mutex_);
  const auto found = lists_.find(from);
  return found == lists_.end() ? std::string() : std::move(lists_.extract(found).mapped());
}

void OtherNodes::refuse(NodeId from, std::uint64_t number, const char* why) noexcept {
  CLOTHO_LOG(Device, Error, "a question of another node is refused: %s", why);
  try {
    ByteWriter answer;
    Frame::begin(answer, Frame::Kind::Answer, number);
    answer.raw(why);
    if (Fabric* const fabric = this->fabric()) fabric->send(from, answer.bytes());
  } catch (const std::bad_alloc&) {
    sendHead(from, Frame::Kind::Answer, number);
  }
}

// The question stays open until its answer has been sent.
bool OtherNodes::answer(NodeId from, std::uint64_t number) {
  constexpr const char* kNoMemory = "there is no memory for the answer";
  Inquiries::Taken taken = inquiries_.take(from, number);
  if (!taken.open) {
    refuse(from, number, taken.refusal);
    return true;
  }
  try {
    std::optional<Inquiry> inquiry = cluster::decode<Inquiry>(taken.text());
    taken.bytes.reset();
    if (!inquiry) return false;
    const auto asked = std::make_shared<Inquiry>(std::move(*inquiry)); // functions are copied
    const auto task = [this, asked, open = taken.open] {
      try {
        std::string answer = answer_(open->from(), std::move(*asked));
        if (answer.empty()) return sendHead(open->from(), Frame::Kind::Answer, open->number());
        open->count(answer.size());
        sendBytes(*this->fabric(), open->from(), /*isAnswer=*/true, open->number(), std::move(answer), open);
      } catch (const std::bad_alloc&) {
        refuse(open->from(), open->number(), kNoMemory);
      }
    };
    const bool isBuild = std::holds_alternative<cluster::BuildProgram>(*asked);
    if (!inquiries_.answer(*taken.open, isBuild, task)) refuse(from, number, "there is no thread for the answer");
  } catch (const std::bad_alloc&) {
    refuse(from, number, kNoMemory);
  }
  return true;
}

} // namespace clotho::node
