// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "trace/registry.hpp"

#include <algorithm>

namespace clotho::trace {

NameId Registry::nameOf(std::string_view text) {
  MutexLock lock(mutex_);
  if (const auto found = names_.find(text); found != names_.end()) return found->second;
  texts_.emplace_back(text);
  const auto name = static_cast<NameId>(texts_.size());
  names_.emplace(texts_.back(), name);
  return name;
}

std::string_view Registry::text(NameId name) {
  MutexLock lock(mutex_);
  return name == 0 || name > texts_.size() ? std::string_view() : texts_[name - 1];
}

std::uint32_t Registry::add(const void* device, std::string_view deviceName, const std::string& label) {
  auto known = std::ranges::find(devices_, device, &Device::identity);
  if (known == devices_.end()) known = devices_.insert(known, {device, std::string(deviceName)});
  queues_.push_back({static_cast<std::uint32_t>(known - devices_.begin()), label});
  return static_cast<std::uint32_t>(queues_.size());
}

std::uint32_t Registry::addQueue(const void* device, std::string_view deviceName, std::string_view label) {
  MutexLock lock(mutex_);
  const std::size_t number = ++commandQueues_;
  return add(device, deviceName, "queue " + std::to_string(number) + " (" + std::string(label) + ")");
}

std::uint32_t Registry::transferQueue(const void* owner) {
  MutexLock lock(mutex_);
  std::uint32_t& queue = transfers_[owner];
  if (queue == 0) queue = add(&transfers_, "memory", "transfers " + std::to_string(transfers_.size()));
  return queue;
}

void Registry::addTransferQueue(const void* owner, const void* device, std::string_view deviceName) {
  MutexLock lock(mutex_);
  std::uint32_t& queue = transfers_[owner];
  if (queue == 0) queue = add(device, deviceName, "transfers");
}

Registry::Queue Registry::queue(std::uint32_t number) {
  MutexLock lock(mutex_);
  return queues_.at(number - 1);
}

std::string Registry::deviceName(std::uint32_t device) {
  MutexLock lock(mutex_);
  return devices_.at(device).name;
}

} // namespace clotho::trace
