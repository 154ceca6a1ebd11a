// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "little_memory.hpp"
#include "node/relay/frame.hpp"
#include "relayed_program.hpp"
#include "sample_messages.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <cstring>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace clotho::node::test {

/// A message of a node.
inline std::string frame(Frame::Kind kind, std::uint64_t number, const std::string& body = "") {
  ByteWriter out;
  Frame::begin(out, kind, number);
  return out.bytes() + body;
}

/// A fabric whose other nodes are the test.
class ScriptedFabric final : public Fabric {
 public:
  void use(Receiver& receiver) { receiver_ = &receiver; }
  /// Hears what is sent to nodes, by any thread.
  void setHeard(std::function<void(NodeId to, const Frame& frame, std::string payload)> heard) {
    MutexLock lock(mutex_);
    heard_ = std::move(heard);
  }

  void send(NodeId to, std::string_view message, Payload payload, Urgency) noexcept override {
    MutexLock lock(mutex_);
    const std::optional<Frame> sent = Frame::parse(message);
    EXPECT_TRUE(sent);
    if (sent && heard_) heard_(to, *sent, {reinterpret_cast<const char*>(payload.bytes.data()), payload.bytes.size()});
  }
  void drop(NodeId node) noexcept override { dropped_.store(node); }

  // By the fabric's thread.
  void join(NodeId node) { receiver_->joined(node, "host" + std::to_string(node)); }
  void lose(NodeId node) { receiver_->lost(node); }
  std::byte* placeFor(NodeId from, const std::string& message, std::size_t size) {
    return receiver_->placeFor(from, message, size);
  }
  /// Whether the node is still there afterwards. `allocations`: that succeed while a place for the payload is found.
  bool deliver(NodeId from, const std::string& message, const std::string& payload = "", int allocations = -1) {
    if (!payload.empty()) {
      std::byte* place = nullptr;
      {
        const LittleMemory little(allocations);
        place = receiver_->placeFor(from, message, payload.size());
      }
      if (!place) return false;
      if (place != unwanted()) std::memcpy(place, payload.data(), payload.size());
    }
    receiver_->received(from, message, payload.size());
    return dropped_.load() != from;
  }

 private:
  Receiver* receiver_ = nullptr;
  std::atomic<NodeId> dropped_{0};
  Mutex mutex_;
  std::function<void(NodeId, const Frame&, std::string)> heard_ GUARDED_BY(mutex_);
};

/// A server with one device, and its fabric.
struct Scripted {
  Scripted() {
    fabric.use(server.receiver());
    server.use(fabric);
  }
  const cluster::Token token = *cluster::Token::make();
  ScriptedFabric& fabric = kept<ScriptedFabric>();
  Server& server = kept<Server>(token, std::vector{Ref<Device>(ServedSession::device())});
};

/// What a node with one device says of it.
inline std::string oneDevice() {
  Device& device = ServedSession::device();
  return cluster::test::encoded(
      cluster::DeviceList{{{.host = "elsewhere", .properties = device.properties(), .claims = device.claims()}}});
}

} // namespace clotho::node::test
