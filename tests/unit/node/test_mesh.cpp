// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test_mesh.hpp"

#include <gtest/gtest.h>

#include <arpa/inet.h>

namespace clotho::node {

TestNode::TestNode(std::uint8_t token) {
  std::array<std::uint8_t, cluster::Token::kBytes> bytes{};
  bytes.fill(token);
  sockaddr_in loopback{};
  loopback.sin_family = AF_INET;
  loopback.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  std::string why;
  mesh_ = openMesh({cluster::Token::of(bytes), "lo", loopback}, why);
  EXPECT_TRUE(mesh_) << why;
  if (mesh_) mesh_->start(*this);
}

bool TestNode::waitUntil(const std::function<bool()>& done) {
  MutexLock lock(mutex_);
  return changed_.waitFor(mutex_, std::chrono::seconds(15), done);
}

bool TestNode::hearsOf(NodeId node) {
  return waitUntil([&]() NO_THREAD_SAFETY_ANALYSIS { return nodes_.contains(node); });
}

bool TestNode::loses(NodeId node) {
  return waitUntil([&]() NO_THREAD_SAFETY_ANALYSIS { return nodes_.contains(node) && nodes_[node].isLost; });
}

bool TestNode::receives(NodeId node, std::size_t messages) {
  // A node at the other end may have joined before this one does.
  return waitUntil(
      [&]() NO_THREAD_SAFETY_ANALYSIS { return nodes_.contains(node) && nodes_[node].messages.size() >= messages; });
}

std::vector<TestNode::Received> TestNode::from(NodeId node) {
  MutexLock lock(mutex_);
  return nodes_.contains(node) ? nodes_.at(node).messages : std::vector<Received>();
}

bool TestNode::isAlone() {
  MutexLock lock(mutex_);
  return nodes_.empty();
}

std::size_t TestNode::calledAfterLoss() {
  MutexLock lock(mutex_);
  return misplacedCalls_;
}

TestNode::Known* TestNode::find(NodeId node) {
  const auto found = nodes_.find(node);
  if (found != nodes_.end() && !found->second.isLost) return &found->second;
  ++misplacedCalls_;
  return nullptr;
}

void TestNode::joined(NodeId node, const std::string& host) noexcept {
  {
    MutexLock lock(mutex_);
    EXPECT_TRUE(!nodes_.contains(node) || nodes_[node].isLost) << "joined twice";
    EXPECT_FALSE(host.empty());
    nodes_[node] = {};
  }
  changed_.notifyAll();
}

std::byte* TestNode::placeFor(NodeId from, std::string_view message, std::size_t size) noexcept {
  MutexLock lock(mutex_);
  Known* known = find(from);
  if (!known || refuses_) return nullptr;
  std::vector<std::byte>& place = known->places[std::string(message)];
  place.resize(size);
  return place.data();
}

void TestNode::received(NodeId from, std::string_view message, std::size_t payloadSize) noexcept {
  {
    MutexLock lock(mutex_);
    Known* known = find(from);
    if (!known) return;
    Received received{std::string(message), ""};
    if (payloadSize != 0) {
      const auto place = known->places.extract(received.text);
      EXPECT_EQ(place.mapped().size(), payloadSize);
      received.payload.assign(reinterpret_cast<const char*>(place.mapped().data()), place.mapped().size());
    }
    known->messages.push_back(std::move(received));
  }
  changed_.notifyAll();
  if (echoes_) mesh_->send(from, message);
}

void TestNode::lost(NodeId node) noexcept {
  {
    MutexLock lock(mutex_);
    if (Known* known = find(node)) known->isLost = true;
  }
  changed_.notifyAll();
}

std::string textOfPayload(std::size_t size, unsigned seed) {
  std::string result(size, '\0');
  for (std::size_t i = 0; i < size; ++i)
    result[i] = static_cast<char>(i * 31 + seed + (i >> 8));
  return result;
}

Payload payloadOf(std::size_t size, unsigned seed) {
  const auto owner = std::make_shared<const std::string>(textOfPayload(size, seed));
  return {std::as_bytes(std::span(*owner)), owner};
}

} // namespace clotho::node
