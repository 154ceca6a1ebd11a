// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "node/relay/inquiries.hpp"

#include "base/log.hpp"

#include <exception>
#include <new>
#include <thread>
#include <vector>

namespace clotho::node {

void Inquiries::joined(NodeId node) {
  Asker fresh{.builders = std::make_shared<TaskThreads>(), .counts = std::make_shared<Counts>()};
  MutexLock lock(mutex_);
  askers_[node] = std::move(fresh);
}

void Inquiries::lost(NodeId node) noexcept {
  MutexLock lock(mutex_);
  askers_.erase(node);
}

// --- Limits ---

std::byte* Inquiries::placeFor(NodeId from, std::uint64_t number, std::size_t size) noexcept {
  if (size == 0 || size > kMostQuestion) return nullptr;
  try {
    MutexLock lock(mutex_);
    const auto found = askers_.find(from);
    if (found == askers_.end() || found->second.coming.contains(number)) return nullptr;
    Asker& asker = found->second;
    if (asker.counts->open.load() >= kMostOpen || asker.counts->bytes.load() + size > kMostBytes) return unwanted();
    // Its pages are the system's until bytes come.
    std::unique_ptr<char[]> bytes(new char[size]);
    auto* const place = reinterpret_cast<std::byte*>(bytes.get());
    asker.coming.emplace(number,
                         Coming{std::move(bytes), size, std::make_shared<Open>(asker.counts, from, number, size)});
    return place;
  } catch (const std::bad_alloc&) {
    return unwanted();
  }
}

Inquiries::Taken Inquiries::take(NodeId from, std::uint64_t number) noexcept {
  MutexLock lock(mutex_);
  const auto asker = askers_.find(from);
  if (asker != askers_.end())
    if (const auto found = asker->second.coming.find(number); found != asker->second.coming.end()) {
      Taken taken{std::move(found->second.bytes), found->second.size, std::move(found->second.open)};
      asker->second.coming.erase(found);
      return taken;
    }
  Taken refused{};
  refused.refusal = "it has too many questions of this node, or no memory for one more";
  return refused;
}

// --- Answers ---

bool Inquiries::answer(const Open& open, bool isBuild, std::function<void()> task) {
  if (!isBuild) return others_.run(std::move(task));
  std::shared_ptr<TaskThreads> threads;
  {
    MutexLock lock(mutex_);
    const auto found = askers_.find(open.from());
    if (found == askers_.end()) return true; // it is gone
    threads = found->second.builders;
  }
  const Key key{open.from(), open.number()};
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
