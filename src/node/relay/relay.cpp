// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "node/relay/relay.hpp"

#include "base/error.hpp"
#include "base/log.hpp"
#include "node/commands.hpp"
#include "node/relay/frame.hpp"
#include "node/serve_link.hpp"

#include <optional>
#include <utility>
#include <variant>

namespace clotho::node {

using cluster::Place;
using cluster::ToHost;
using cluster::ToNode;

Relay::Relay(Fabric& fabric, NodeId node, std::uint64_t session, std::shared_ptr<const ClockOffset> clock,
             cluster::Link::Parts parts)
    : fabric_(fabric), node_(node), session_(session), clock_(std::move(clock)),
      link_(cluster::Side::Node, std::move(parts)) {}

void Relay::serve(const std::function<void()>& pause) noexcept {
  serveLink(
      link_, cluster::networkPollTime(), [this](std::string_view message) { return handOn(message); }, pause,
      [this] { return backlog_->bytes() >= kMostWaiting; });
}

// --- From the program ---

// A copy whose rows have gaps in the slots goes without bytes: the session refuses it, and no other command.
bool Relay::handOn(std::string_view message) {
  const std::optional<ToNode> decoded = cluster::decode<ToNode>(message);
  if (!decoded) {
    CLOTHO_LOG(Device, Error, "a program sends messages that make no sense");
    return false;
  }
  Payload payload;
  const auto* run = std::get_if<cluster::RunCommand>(&*decoded);
  if (const Place* place = run ? slotsOf(run->work) : nullptr) {
    const auto& copy = std::get<cluster::RunCopy>(run->work);
    const bool isRead = place == &copy.target;
    try {
      const Slots slots{place->address, bytesInSlots(copy), isRead};
      if (!take(run->number, slots)) {
        CLOTHO_LOG(Device, Error, "a program copies more than its slots have");
        return false;
      }
      if (!isRead) payload = {link_.area().slots().subspan(slots.address, slots.size), shared_from_this()};
    } catch (const Error&) {
      payload = {};
    }
  }
  Frame::begin(frame_, Frame::Kind::ToSession, session_);
  frame_.raw(message);
  fabric_.send(node_, frame_.bytes(), Backlog::add(backlog_, frame_.bytes().size(), std::move(payload)),
               link_.isEmpty() ? Urgency::Now : Urgency::Soon);
  return true;
}

bool Relay::take(std::uint64_t number, const Slots& slots) {
  const std::size_t all = link_.area().slots().size();
  if (slots.size == 0 || slots.address > all || slots.size > all - slots.address) return false;
  MutexLock lock(mutex_);
  if (slots.size > all - bytesUnderWay_ || !underWay_.emplace(number, slots).second) return false;
  bytesUnderWay_ += slots.size;
  return true;
}

// --- From the session ---

std::byte* Relay::placeFor(std::string_view message, std::size_t size) noexcept {
  try {
    const std::optional<ToHost> decoded = cluster::decode<ToHost>(message);
    if (const auto* end = decoded ? std::get_if<cluster::Ended>(&*decoded) : nullptr) {
      MutexLock lock(mutex_);
      const auto found = underWay_.find(end->number);
      if (found != underWay_.end() && found->second.isRead && found->second.size == size)
        return link_.area().slots().data() + found->second.address;
    }
  } catch (const std::bad_alloc&) {
    CLOTHO_LOG(Device, Error, "no memory for a session's message");
  }
  this->end();
  return unwanted();
}

// A read that has not failed has its bytes, and nothing else has any.
bool Relay::give(cluster::Ended& end, std::size_t size) {
  MutexLock lock(mutex_);
  const auto found = underWay_.find(end.number);
  if (found == underWay_.end()) return size == 0;
  const Slots slots = found->second;
  underWay_.erase(found);
  bytesUnderWay_ -= slots.size;
  return size == (slots.isRead && static_cast<cl_int>(end.status) >= 0 ? slots.size : 0);
}

bool Relay::received(std::string_view message, std::size_t size) noexcept {
  try {
    std::optional<ToHost> decoded = cluster::decode<ToHost>(message);
    if (!decoded || message.size() > cluster::Link::kMost) return false;
    auto* end = std::get_if<cluster::Ended>(&*decoded);
    if (end ? !give(*end, size) : size != 0) return false;
    if (end && end->ended != 0) {
      end->started = clock_->toOwn(end->started);
      end->ended = clock_->toOwn(end->ended);
    }
    link_.send([&](ByteWriter& out) {
      if (end)
        FieldWriter{out}(*decoded);
      else
        out.raw(message);
      return true;
    });
    return true;
  } catch (const std::bad_alloc&) {
    return false;
  }
}

} // namespace clotho::node
