// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "node/early_bytes.hpp"

#include <cstring>
#include <new>
#include <utility>

namespace clotho::node {

namespace {

/// The edges of one session in a map by edges.
template <class Map> auto edgesOf(Map& map, std::uint64_t session) {
  return std::pair(map.lower_bound({session, 0}), map.upper_bound({session, ~std::uint64_t{0}}));
}

} // namespace

// --- The receiver ---

std::byte* EarlyBytes::placeFor(const PeerEdge& edge, std::size_t size, Ref<Object>& owner) noexcept {
  if (size == 0 || size > kMostOfOne || costOf(size) > kMost - cost_) return nullptr;
  try {
    const auto [place, isNew] = buffers_.try_emplace(edge);
    if (!isNew) return nullptr;
    try {
      place->second = Ref<Buffer>::adopt(new Buffer(size));
    } catch (...) {
      buffers_.erase(place);
      throw;
    }
    cost_ += costOf(size);
    owner = place->second;
    return place->second->bytes.get();
  } catch (const std::bad_alloc&) {
    return nullptr;
  }
}

bool EarlyBytes::came(const PeerEdge& edge) noexcept {
  const auto found = buffers_.find(edge);
  if (found == buffers_.end()) return false;
  found->second->isFilled = true;
  return true;
}

bool EarlyBytes::haveCome(const PeerEdge& edge) const noexcept {
  const auto found = buffers_.find(edge);
  return found != buffers_.end() && found->second->isFilled;
}

bool EarlyBytes::moveTo(const PeerEdge& edge, std::span<std::byte> target) noexcept {
  const auto found = buffers_.find(edge);
  const bool fits = found->second->size == target.size();
  if (fits) std::memcpy(target.data(), found->second->bytes.get(), target.size());
  erase(found);
  return fits;
}

void EarlyBytes::erase(Buffers::iterator each) noexcept {
  cost_ -= costOf(each->second->size);
  buffers_.erase(each);
}

bool EarlyBytes::forget(const PeerEdge& edge) noexcept {
  const auto found = buffers_.find(edge);
  if (found == buffers_.end()) return false;
  erase(found);
  return true;
}

void EarlyBytes::forget(std::uint64_t session) noexcept {
  for (auto [at, end] = edgesOf(buffers_, session); at != end;)
    erase(at++);
}

void EarlyBytes::clear() noexcept {
  buffers_.clear();
  cost_ = 0;
}

// --- The sender ---

bool EarlyCredit::take(const PeerEdge& edge, std::size_t size) {
  const std::size_t cost = EarlyBytes::costOf(size);
  if (size > EarlyBytes::kMostOfOne) return false;
  std::size_t& ofPeer = costOfPeer_[edge.session];
  if (cost > EarlyBytes::kMostOfPeer - ofPeer || !costs_.emplace(edge, cost).second) return false;
  ofPeer += cost;
  return true;
}

bool EarlyCredit::giveBack(const PeerEdge& edge) noexcept {
  const auto found = costs_.find(edge);
  if (found == costs_.end()) return false;
  if (const auto ofPeer = costOfPeer_.find(edge.session); ofPeer != costOfPeer_.end()) ofPeer->second -= found->second;
  costs_.erase(found);
  return true;
}

void EarlyCredit::forget(std::uint64_t session) noexcept {
  const auto [begin, end] = edgesOf(costs_, session);
  costs_.erase(begin, end);
  costOfPeer_.erase(session);
}

void EarlyCredit::clear() noexcept {
  costs_.clear();
  costOfPeer_.clear();
}

} // namespace clotho::node
