// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "node/relay/inquiries.hpp"

#include "base/log.hpp"

#include <exception>
#include <new>
#include <thread>
#include <vector>

namespace clotho::node {

void Inquiries::joined(NodeId node) {
  auto threads = std::make_shared<TaskThreads>();
  MutexLock lock(mutex_);
  builders_[node] = std::move(threads);
}

void Inquiries::lost(NodeId node) noexcept {
  MutexLock lock(mutex_);
  builders_.erase(node);
}

bool Inquiries::answer(NodeId from, std::uint64_t number, bool isBuild, std::function<void()> task) {
  if (!isBuild) return others_.run(std::move(task));
  std::shared_ptr<TaskThreads> threads;
  {
    MutexLock lock(mutex_);
    const auto found = builders_.find(from);
    if (found == builders_.end()) return true; // it is gone
    threads = found->second;
  }
  const Key key{from, number};
  beginWorking(key);
  const bool isRunning = threads->run([this, key, build = std::move(task)] {
    build();
    endWorking(key);
  });
  if (!isRunning) endWorking(key);
  return isRunning;
}

// Without a thread that tells it, builds that take long are given up by the node.
void Inquiries::beginWorking(const Key& key) {
  MutexLock lock(mutex_);
  working_.insert(key);
  if (isTelling_) return;
  try {
    std::thread([this] { tellAll(); }).detach();
    isTelling_ = true;
  } catch (const std::exception&) {
    CLOTHO_LOG(Device, Error, "no thread for signs of builds");
  }
}

void Inquiries::endWorking(const Key& key) noexcept {
  {
    MutexLock lock(mutex_);
    working_.erase(key);
  }
  changed_.notifyAll();
}

void Inquiries::tellAll() noexcept {
  for (;;) {
    std::vector<Key> keys;
    {
      MutexLock lock(mutex_);
      static_cast<void>(changed_.waitFor(mutex_, kWorking, [&]() REQUIRES(mutex_) { return working_.empty(); }));
      isTelling_ = !working_.empty();
      if (!isTelling_) return;
      try {
        keys.assign(working_.begin(), working_.end());
      } catch (const std::bad_alloc&) {
        continue;
      }
    }
    for (const auto& [node, number] : keys)
      tell_(node, number);
  }
}

} // namespace clotho::node
