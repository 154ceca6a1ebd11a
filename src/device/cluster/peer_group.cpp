// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "device/cluster/peer_group.hpp"

#include "device/cluster/session.hpp"
#include "device/cluster/window.hpp"

namespace clotho::cluster {

std::size_t PeerGroup::add(Session& session) noexcept {
  const std::size_t place = count_.fetch_add(1, std::memory_order_relaxed) + 1;
  if (place > kMost) return 0;
  sessions_[place].store(&session, std::memory_order_release);
  return place;
}

Session* PeerGroup::withMemory(const std::byte* address) const noexcept {
  for (const std::atomic<Session*>& each : sessions_) {
    Session* const session = each.load(std::memory_order_acquire);
    if (session && session->window()->contains(address)) return session;
  }
  return nullptr;
}

void PeerGroup::lost(const Session& session) const noexcept {
  for (const std::atomic<Session*>& each : sessions_) {
    Session* const other = each.load(std::memory_order_acquire);
    if (other && other != &session) static_cast<void>(other->tell(ForgetPeer{session.peer().session}));
  }
}

} // namespace clotho::cluster
