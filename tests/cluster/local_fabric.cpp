// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "local_fabric.hpp"

#include "base/mutex.hpp"

#include <algorithm>
#include <cstring>
#include <deque>
#include <map>
#include <set>
#include <thread>
#include <utility>

namespace clotho::node::test {

/// A node's end of the ways: what comes waits here for its time, and a thread hands it to the receiver.
class LocalFabric::End final : public Fabric {
 public:
  End(LocalFabric& all, NodeId node, std::string host, Receiver& receiver)
      : all_(all), node_(node), host_(std::move(host)), receiver_(receiver) {
    std::thread([this] { deliver(); }).detach();
  }

  NodeId node() const { return node_; }
  const std::string& host() const { return host_; }

  void send(NodeId to, std::string_view message, Payload payload, Urgency) noexcept override {
    End* const other = all_.find(to);
    if (!other || !isPeer(to)) return;
    {
      MutexLock lock(mutex_);
      sentTo_[to] += payload.bytes.size();
    }
    all_.messages_ += 1;
    all_.textBytes_ += message.size();
    all_.payloadBytes_ += payload.bytes.size();
    other->push({.due = Clock::now() + all_.delay_.load(),
                 .kind = Item::Kind::Message,
                 .from = node_,
                 .text = std::string(message),
                 .payload = std::move(payload)});
  }
  void drop(NodeId node) noexcept override { all_.cut(node_, node); }

  void join(const End& other) {
    {
      MutexLock lock(mutex_);
      peers_.insert(other.node_);
    }
    push({.due = Clock::now(), .kind = Item::Kind::Joined, .from = other.node_, .text = other.host_, .payload = {}});
  }
  /// Whatever comes from it later is dropped.
  void lose(NodeId node) {
    {
      MutexLock lock(mutex_);
      if (peers_.erase(node) == 0) return;
    }
    push({.due = Clock::now(), .kind = Item::Kind::Lost, .from = node, .text = {}, .payload = {}});
  }
  void hold(bool isHeld) {
    {
      MutexLock lock(mutex_);
      isHeld_ = isHeld;
    }
    changed_.notifyAll();
  }
  std::uint64_t sentTo(NodeId node) {
    MutexLock lock(mutex_);
    return sentTo_[node];
  }
  std::vector<NodeId> peers() {
    MutexLock lock(mutex_);
    return {peers_.begin(), peers_.end()};
  }

 private:
  struct Item {
    enum class Kind : std::uint8_t { Joined, Message, Lost };
    Clock::time_point due;
    Kind kind = Kind::Message;
    NodeId from = 0;
    std::string text;
    Payload payload;
    std::byte* place = nullptr;
  };

  bool isPeer(NodeId node) {
    MutexLock lock(mutex_);
    return peers_.contains(node);
  }
  // A delay that becomes shorter does not let messages overtake earlier ones.
  void push(Item item) {
    {
      MutexLock lock(mutex_);
      if (item.kind == Item::Kind::Message && !peers_.contains(item.from)) return;
      item.due = lastDue_ = std::max(item.due, lastDue_);
      items_.push_back(std::move(item));
    }
    changed_.notifyAll();
  }

  /// Takes what has come. Asks for the places of payloads as soon as they begin to come, before earlier messages are
  /// received.
  void take() {
    {
      MutexLock lock(mutex_);
      const auto isAny = [&]() REQUIRES(mutex_) { return !items_.empty() && !isHeld_; };
      if (coming_.empty())
        changed_.wait(mutex_, isAny);
      else if (const auto left = coming_.front().due - Clock::now(); left > Clock::duration::zero())
        static_cast<void>(changed_.waitFor(mutex_, left, isAny));
      if (!isHeld_) fresh_.swap(items_);
    }
    for (Item& item : fresh_) {
      if (item.kind == Item::Kind::Message && !item.payload.bytes.empty() && isPeer(item.from))
        item.place = receiver_.placeFor(item.from, item.text, item.payload.bytes.size());
      coming_.push_back(std::move(item));
    }
    fresh_.clear();
  }

  [[noreturn]] void deliver() {
    for (;;) {
      take();
      while (!coming_.empty() && coming_.front().due <= Clock::now()) {
        hand(coming_.front());
        coming_.pop_front();
      }
    }
  }

  void hand(Item& item) {
    if (item.kind == Item::Kind::Joined) return receiver_.joined(item.from, item.text);
    if (item.kind == Item::Kind::Lost) return receiver_.lost(item.from);
    if (!isPeer(item.from)) return;
    const std::size_t size = item.payload.bytes.size();
    if (size != 0) {
      if (!item.place) return all_.cut(node_, item.from);
      if (item.place != unwanted()) std::memcpy(item.place, item.payload.bytes.data(), size);
      item.payload = {};
    }
    receiver_.received(item.from, item.text, size);
  }

  LocalFabric& all_;
  const NodeId node_;
  const std::string host_;
  Receiver& receiver_;
  Mutex mutex_;
  CondVar changed_;
  std::set<NodeId> peers_ GUARDED_BY(mutex_);
  std::map<NodeId, std::uint64_t> sentTo_ GUARDED_BY(mutex_); ///< bytes of payloads
  std::deque<Item> items_ GUARDED_BY(mutex_);
  bool isHeld_ GUARDED_BY(mutex_) = false;
  Clock::time_point lastDue_ GUARDED_BY(mutex_){};
  std::deque<Item> fresh_;  ///< the thread's, which never ends: the leak sanitizer does not find all of its stack
  std::deque<Item> coming_; ///< of the thread, in the order in which they are due
};

LocalFabric::LocalFabric() = default;

LocalFabric::~LocalFabric() = default;

std::uint64_t LocalFabric::payloadBytes(NodeId from, NodeId to) const {
  End* const end = find(from);
  return end ? end->sentTo(to) : 0;
}

LocalFabric::End* LocalFabric::find(NodeId node) const {
  const auto found = std::ranges::find_if(ends_, [&](const auto& end) { return end->node() == node; });
  return found == ends_.end() ? nullptr : found->get();
}

Fabric& LocalFabric::add(NodeId node, const std::string& host, Fabric::Receiver& receiver) {
  auto fresh = std::make_unique<End>(*this, node, host, receiver);
  End& end = *fresh;
  ends_.push_back(std::move(fresh));
  return end;
}

void LocalFabric::hold(NodeId to, bool isHeld) {
  if (End* end = find(to)) end->hold(isHeld);
}

void LocalFabric::joinAll() {
  for (const auto& one : ends_)
    for (const auto& other : ends_)
      if (one != other) one->join(*other);
}

void LocalFabric::cut(NodeId one, NodeId other) {
  if (End* end = find(one)) end->lose(other);
  if (End* end = find(other)) end->lose(one);
}

void LocalFabric::lose(NodeId node) {
  if (End* end = find(node))
    for (const NodeId peer : end->peers())
      cut(node, peer);
}

} // namespace clotho::node::test
