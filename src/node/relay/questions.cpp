// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "node/relay/questions.hpp"

#include "node/relay/frame.hpp"

#include <new>
#include <utility>

namespace clotho::node {

void sendBytes(Fabric& fabric, NodeId to, bool isAnswer, std::uint64_t number, std::string bytes) {
  ByteWriter head;
  Frame::begin(head, isAnswer ? Frame::Kind::Answer : Frame::Kind::Ask, number);
  const auto owner = std::make_shared<const std::string>(std::move(bytes));
  fabric.send(to, head.bytes(), {std::as_bytes(std::span(*owner)), owner});
}

std::optional<std::string> Questions::askBytes(Fabric& fabric, NodeId node, const Inquiry& inquiry) {
  ByteWriter bytes;
  FieldWriter{bytes}(inquiry);
  std::uint64_t number = 0;
  {
    MutexLock lock(mutex_);
    if (!present_.contains(node)) return std::nullopt;
    number = ++last_;
    asked_[number].node = node;
  }
  try {
    sendBytes(fabric, node, /*isAnswer=*/false, number, bytes.take());
  } catch (const std::bad_alloc&) {
    MutexLock lock(mutex_);
    asked_.erase(number);
    throw;
  }
  MutexLock lock(mutex_);
  Asked& asked = asked_[number];
  changed_.wait(mutex_, [&] { return asked.isAnswered || asked.isLost; });
  std::optional<std::string> answer;
  if (asked.isAnswered && !asked.answer.empty()) answer = std::move(asked.answer);
  asked_.erase(number);
  return answer;
}

void Questions::joined(NodeId node) {
  MutexLock lock(mutex_);
  present_.insert(node);
}

void Questions::lost(NodeId node) noexcept {
  {
    MutexLock lock(mutex_);
    present_.erase(node);
    for (auto& [number, asked] : asked_)
      if (asked.node == node) asked.isLost = true;
  }
  changed_.notifyAll();
}

Questions::Asked* Questions::find(NodeId from, std::uint64_t number) noexcept {
  const auto found = asked_.find(number);
  return found == asked_.end() || found->second.node != from || found->second.isAnswered ? nullptr : &found->second;
}

// The bytes come while the thread that asks waits, which looks at them when they are all there. A lost node sends no
// more.
std::byte* Questions::placeFor(NodeId from, std::uint64_t number, std::size_t size) noexcept {
  MutexLock lock(mutex_);
  Asked* asked = find(from, number);
  if (!asked || !asked->answer.empty() || size > kMostQuestion) return nullptr;
  try {
    asked->answer.resize(size);
  } catch (const std::bad_alloc&) {
    return nullptr;
  }
  return reinterpret_cast<std::byte*>(asked->answer.data());
}

bool Questions::answered(NodeId from, std::uint64_t number) noexcept {
  {
    MutexLock lock(mutex_);
    Asked* asked = find(from, number);
    if (!asked) return false;
    asked->isAnswered = true;
  }
  changed_.notifyAll();
  return true;
}

} // namespace clotho::node
