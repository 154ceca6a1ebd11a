// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "node/relay/guests.hpp"

#include <functional>
#include <new>
#include <optional>
#include <variant>

namespace clotho::node {

namespace {

/// The number of the command in a message; nothing if it has none. Throws bad_alloc.
std::optional<std::uint64_t> commandOf(std::string_view message) {
  const std::optional<cluster::ToNode> decoded = cluster::decode<cluster::ToNode>(message);
  const auto* run = decoded ? std::get_if<cluster::RunCommand>(&*decoded) : nullptr;
  return run ? std::optional(run->number) : std::nullopt;
}

} // namespace

std::shared_ptr<const GuestPart> Guests::reserve(NodeId node, std::uint64_t addresses) {
  MutexLock lock(mutex_);
  const auto found = present_.find(node);
  return found == present_.end() ? nullptr : std::make_shared<const GuestPart>(found->second, addresses);
}

bool Guests::open(Fabric& fabric, const SessionName& name, std::shared_ptr<const GuestPart> part, PeerRouter& router,
                  Device& device, Usage& usage, std::unique_ptr<Memory> memory) {
  memory->giveBackLater([this](std::function<void()> task) { return tasks_.run(std::move(task)); });
  auto link = std::make_unique<FabricLink>(fabric, name.gateway, name.number, std::move(part));
  FabricLink* const sending = link.get();
  const auto session =
      Ref<Session>::adopt(new Session(device, std::move(link), std::move(memory), name, &router, &usage));
  bool isOpen = false;
  {
    MutexLock lock(mutex_);
    isOpen = present_.contains(name.gateway) &&
             guests_.emplace(Key{name.gateway, name.number}, Guest{session, sending, {}}).second;
  }
  if (!isOpen) session->end();
  return isOpen;
}

Ref<Session> Guests::find(NodeId node, std::uint64_t number) {
  MutexLock lock(mutex_);
  const auto found = guests_.find({node, number});
  return found == guests_.end() ? Ref<Session>() : found->second.session;
}

void Guests::joined(NodeId node) {
  auto share = std::make_shared<GuestShare>();
  MutexLock lock(mutex_);
  present_[node] = std::move(share);
}

void Guests::lost(NodeId node) noexcept {
  All over;
  {
    MutexLock lock(mutex_);
    present_.erase(node);
    const auto begin = guests_.lower_bound({node, 0}), last = guests_.upper_bound({node, ~std::uint64_t{0}});
    for (auto at = begin; at != last;)
      over.insert(guests_.extract(at++));
  }
  for (auto& [key, guest] : over)
    end(std::move(guest));
}

// This thread alone takes entries out, and those that are added meanwhile find out by themselves (SessionPeers::meet).
void Guests::forgetNode(NodeId node) noexcept {
  for (Key last{0, 0};;) {
    Ref<Session> session;
    {
      MutexLock lock(mutex_);
      const auto next = guests_.upper_bound(last);
      if (next == guests_.end()) return;
      last = next->first;
      session = next->second.session;
    }
    session->peers().forgetNode(node);
  }
}

void Guests::leave(NodeId from, std::uint64_t number) noexcept {
  Guest over;
  {
    MutexLock lock(mutex_);
    const auto found = guests_.find({from, number});
    if (found == guests_.end()) return;
    over = std::move(found->second);
    guests_.erase(found);
  }
  end(std::move(over));
}

// Without a thread for it, this one does it, though others wait meanwhile.
void Guests::end(Guest guest) noexcept {
  guest.bytes.clear();
  Session* const session = guest.session.detach();
  const auto give = [session] {
    session->end();
    session->release();
  };
  if (!tasks_.run(give)) give();
}

std::byte* Guests::placeFor(NodeId from, std::uint64_t number, std::string_view message, std::size_t size) noexcept {
  try {
    const std::optional<std::uint64_t> command = commandOf(message);
    if (!command) return nullptr;
    MutexLock lock(mutex_);
    const auto found = guests_.find({from, number});
    if (found == guests_.end()) return nullptr;
    Guest& guest = found->second;
    const SlotBuffer buffer = guest.link->makeBuffer(size);
    if (buffer.size == 0) return unwanted();
    return guest.bytes.emplace(*command, buffer).second ? buffer.memory.get() : nullptr;
  } catch (const std::bad_alloc&) {
    return unwanted();
  }
}

// Bytes that had no place are lost: the command fails that takes them.
SlotBuffer Guests::takeBytes(Guest& guest, std::string_view message, std::size_t size) noexcept {
  SlotBuffer bytes{nullptr, size};
  if (size == 0) return bytes;
  try {
    const auto place = guest.bytes.find(commandOf(message).value_or(0));
    if (place == guest.bytes.end() || place->second.size != size) return bytes;
    bytes = std::move(place->second);
    guest.bytes.erase(place);
  } catch (const std::bad_alloc&) {
    return bytes;
  }
  return bytes;
}

// A session that is over stays until the program's node says so too: bytes may be on their way to it.
bool Guests::received(NodeId from, std::uint64_t number, std::string_view message, std::size_t size) noexcept {
  Session* session = nullptr;
  FabricLink* link = nullptr;
  SlotBuffer bytes;
  {
    MutexLock lock(mutex_);
    const auto found = guests_.find({from, number});
    if (found == guests_.end()) return false;
    session = found->second.session.get();
    link = found->second.link;
    bytes = takeBytes(found->second, message, size);
  }
  if (link->isClosed()) return true;
  if (!session->receive(message, std::move(bytes))) link->close();
  return true;
}

} // namespace clotho::node
