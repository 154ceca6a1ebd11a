// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "node/relay/guests.hpp"

#include <new>
#include <optional>
#include <variant>

namespace clotho::node {

namespace {

/// The number of the command in a message; nothing if it has none.
std::optional<std::uint64_t> commandOf(std::string_view message) noexcept {
  try {
    const std::optional<cluster::ToNode> decoded = cluster::decode<cluster::ToNode>(message);
    const auto* run = decoded ? std::get_if<cluster::RunCommand>(&*decoded) : nullptr;
    return run ? std::optional(run->number) : std::nullopt;
  } catch (const std::bad_alloc&) {
    return std::nullopt;
  }
}

/// Whether a session may take long to handle it: giving large memory or code back.
bool mayTakeLong(std::string_view message) noexcept {
  constexpr std::size_t kMost = 16;
  if (message.size() > kMost) return false;
  try {
    const std::optional<cluster::ToNode> decoded = cluster::decode<cluster::ToNode>(message);
    return decoded && (std::holds_alternative<cluster::FreeMemory>(*decoded) ||
                       std::holds_alternative<cluster::DropProgram>(*decoded));
  } catch (const std::bad_alloc&) {
    return false;
  }
}

} // namespace

bool Guests::open(Fabric& fabric, const SessionName& name, PeerRouter& router, Device& device, Usage& usage,
                  std::unique_ptr<Memory> memory) {
  auto link = std::make_unique<FabricLink>(fabric, name.gateway, name.number);
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
  MutexLock lock(mutex_);
  present_.insert(node);
}

std::optional<Guests::Guest> Guests::takeOut(All::iterator at) {
  if (at->second.isBusy) {
    at->second.isOver = true;
    return std::nullopt;
  }
  return std::move(guests_.extract(at).mapped());
}

void Guests::lost(NodeId node) noexcept {
  for (;;) {
    std::optional<Guest> over;
    {
      MutexLock lock(mutex_);
      present_.erase(node);
      auto at = guests_.lower_bound({node, 0});
      while (at != guests_.end() && at->first.first == node && at->second.isOver)
        ++at;
      if (at == guests_.end() || at->first.first != node) return;
      over = takeOut(at);
    }
    if (over) end(std::move(*over));
  }
}

void Guests::leave(NodeId from, std::uint64_t number) noexcept {
  std::optional<Guest> over;
  {
    MutexLock lock(mutex_);
    const auto found = guests_.find({from, number});
    if (found == guests_.end()) return;
    over = takeOut(found);
  }
  if (over) end(std::move(*over));
}

bool Guests::postpone(Guest& guest, std::string_view message, SlotBuffer& bytes) {
  try {
    guest.pending.push_back({std::string(message), std::move(bytes)});
  } catch (const std::bad_alloc&) {
    return false;
  }
  guest.pendingBytes += message.size();
  return guest.pendingBytes <= kMostPending;
}

void Guests::catchUp(const Key& key) noexcept {
  for (;;) {
    Ref<Session> session;
    FabricLink* link = nullptr;
    Pending next;
    std::optional<Guest> over;
    {
      MutexLock lock(mutex_);
      const auto found = guests_.find(key);
      if (found == guests_.end()) return;
      Guest& guest = found->second;
      if (guest.isOver || guest.pending.empty()) guest.isBusy = false;
      if (guest.isOver) {
        over = takeOut(found);
      } else if (!guest.isBusy) {
        return;
      } else {
        next = std::move(guest.pending.front());
        guest.pending.pop_front();
        guest.pendingBytes -= next.message.size();
        session = guest.session;
        link = guest.link;
      }
    }
    if (over) return end(std::move(*over));
    if (!link->isClosed() && !session->receive(next.message, std::move(next.bytes))) link->close();
  }
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
  const std::optional<std::uint64_t> command = commandOf(message);
  if (!command) return nullptr;
  MutexLock lock(mutex_);
  const auto found = guests_.find({from, number});
  if (found == guests_.end()) return nullptr;
  Guest& guest = found->second;
  SlotBuffer buffer = guest.link->makeBuffer(size);
  try {
    if (buffer.size == 0 || !guest.bytes.emplace(*command, buffer).second) return nullptr;
  } catch (const std::bad_alloc&) {
    return nullptr;
  }
  return buffer.memory.get();
}

// A session that is over stays until the program's node says so too: bytes may be on their way to it.
bool Guests::received(NodeId from, std::uint64_t number, std::string_view message, std::size_t size) noexcept {
  Session* session = nullptr;
  FabricLink* link = nullptr;
  SlotBuffer bytes;
  bool isPostponed = false;
  {
    MutexLock lock(mutex_);
    const auto found = guests_.find({from, number});
    if (found == guests_.end() || found->second.isOver) return found != guests_.end();
    session = found->second.session.get();
    link = found->second.link;
    if (size != 0) {
      const auto place = found->second.bytes.find(commandOf(message).value_or(0));
      if (place == found->second.bytes.end() || place->second.size != size) return false;
      bytes = std::move(place->second);
      found->second.bytes.erase(place);
    }
    Guest& guest = found->second;
    const bool isLong = !guest.isBusy && mayTakeLong(message);
    if (guest.isBusy || isLong) {
      if (!postpone(guest, message, bytes)) link->close();
      if (guest.isBusy) return true;
      guest.isBusy = isPostponed = true;
    }
  }
  if (isPostponed) {
    const Key key{from, number};
    if (!tasks_.run([this, key] { catchUp(key); })) catchUp(key);
    return true;
  }
  if (link->isClosed()) return true;
  if (!session->receive(message, std::move(bytes))) link->close();
  return true;
}

} // namespace clotho::node
