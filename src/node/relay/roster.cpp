// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "node/relay/roster.hpp"

#include "cluster/handshake.hpp"

#include <algorithm>
#include <chrono>

namespace clotho::node {

Roster::Entry* Roster::find(NodeId node) {
  const auto found = std::ranges::find(entries_, node, &Entry::node);
  return found == entries_.end() ? nullptr : &*found;
}

void Roster::joined(NodeId node, const std::string& host) {
  auto clock = std::make_shared<ClockOffset>();
  MutexLock lock(mutex_);
  entries_.push_back({.node = node, .host = host, .clock = std::move(clock)});
  name(entries_.back());
}

void Roster::name(Entry& entry) {
  unsigned& named = named_[entry.host];
  if (named == 0 && ownDevices_ != 0 && entry.host == ownHost_) named = 1;
  ++named;
  entry.name = named == 1 ? entry.host : entry.host + ':' + std::to_string(named);
}

void Roster::arrange(const std::vector<NodeId>& order) {
  MutexLock lock(mutex_);
  auto place = entries_.begin();
  for (const NodeId node : order)
    if (const auto found = std::ranges::find(entries_, node, &Entry::node); found != entries_.end() && found >= place) {
      std::rotate(place, found, found + 1);
      ++place;
    }
  named_.clear();
  for (Entry& entry : entries_)
    name(entry);
}

void Roster::lost(NodeId node) noexcept {
  {
    MutexLock lock(mutex_);
    std::erase_if(entries_, [&](const Entry& entry) { return entry.node == node; });
  }
  changed_.notifyAll();
}

bool Roster::listed(NodeId node, cluster::DeviceList list) {
  if (list.devices.size() > kMostDevices) return false;
  {
    MutexLock lock(mutex_);
    Entry* entry = find(node);
    if (!entry || entry->isListed) return !entry;
    entry->isListed = true;
    entry->devices = std::move(list.devices);
    entry->firstDevice = nextDevice_;
    for (cluster::DeviceDescription& device : entry->devices)
      device.number = nextDevice_++;
  }
  changed_.notifyAll();
  return true;
}

bool Roster::waitFor(std::size_t nodes, std::chrono::milliseconds patience) {
  MutexLock lock(mutex_);
  return changed_.waitFor(mutex_, patience, [&]() REQUIRES(mutex_) {
    return static_cast<std::size_t>(std::ranges::count_if(entries_, &Entry::isListed)) >= nodes;
  });
}

std::vector<cluster::DeviceDescription> Roster::devices() {
  constexpr std::chrono::milliseconds kPatience{cluster::kPatienceMs / 2}; // the program that asks has its own
  MutexLock lock(mutex_);
  static_cast<void>(changed_.waitFor(
      mutex_, kPatience, [&]() REQUIRES(mutex_) { return std::ranges::all_of(entries_, &Entry::isListed); }));
  std::vector<cluster::DeviceDescription> all;
  for (const Entry& entry : entries_)
    for (const cluster::DeviceDescription& device : entry.devices)
      all.emplace_back(device).host = entry.name;
  return all;
}

std::vector<std::pair<NodeId, std::string>> Roster::nodes() {
  MutexLock lock(mutex_);
  std::vector<std::pair<NodeId, std::string>> all;
  all.reserve(entries_.size());
  for (const Entry& entry : entries_)
    all.emplace_back(entry.node, entry.name);
  return all;
}

std::optional<Roster::Where> Roster::find(std::uint32_t number) {
  MutexLock lock(mutex_);
  for (const Entry& entry : entries_)
    if (number >= entry.firstDevice && number - entry.firstDevice < entry.devices.size())
      return Where{entry.node, number - entry.firstDevice, entry.clock};
  return std::nullopt;
}

std::shared_ptr<ClockOffset> Roster::clockOf(NodeId node) {
  MutexLock lock(mutex_);
  const Entry* entry = find(node);
  return entry ? entry->clock : nullptr;
}

} // namespace clotho::node
