// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "node/relay/questions.hpp"

#include "base/clock.hpp"
#include "node/relay/frame.hpp"

#include <algorithm>
#include <new>
#include <utility>
#include <variant>

namespace clotho::node {

namespace {

std::uint64_t toNs(std::chrono::milliseconds time) { return static_cast<std::uint64_t>(time.count()) * 1'000'000; }

/// A reason that another node gives, as logs may show it.
std::string asText(std::string_view why) {
  constexpr std::size_t kMost = 200;
  std::string text(why.substr(0, kMost));
  std::ranges::replace_if(text, [](unsigned char each) { return each < ' ' || each > '~'; }, '?');
  return text;
}

} // namespace

void sendBytes(Fabric& fabric, NodeId to, bool isAnswer, std::uint64_t number, std::string bytes,
               std::shared_ptr<const void> owner) {
  struct Owned {
    std::string bytes;
    std::shared_ptr<const void> owner;
  };
  ByteWriter head;
  Frame::begin(head, isAnswer ? Frame::Kind::Answer : Frame::Kind::Ask, number);
  const auto owned = std::make_shared<const Owned>(Owned{std::move(bytes), std::move(owner)});
  fabric.send(to, head.bytes(), {std::as_bytes(std::span(owned->bytes)), owned});
}

std::uint64_t Questions::pose(Fabric& fabric, NodeId node, const Inquiry& inquiry) {
  ByteWriter bytes;
  FieldWriter{bytes}(inquiry);
  const auto* open = std::get_if<OpenRemote>(&inquiry);
  const std::uint64_t now = hostTime();
  std::uint64_t number = 0;
  {
    MutexLock lock(mutex_);
    const auto found = present_.find(node);
    if (found == present_.end()) return 0;
    number = ++last_;
    asked_[number] = {.node = node,
                      .traffic = found->second,
                      .isBuild = std::holds_alternative<cluster::BuildProgram>(inquiry),
                      .session = open ? open->session : 0,
                      .askedAt = now,
                      .signAt = now};
  }
  try {
    sendBytes(fabric, node, /*isAnswer=*/false, number, bytes.take());
  } catch (const std::bad_alloc&) {
    MutexLock lock(mutex_);
    asked_.erase(number);
    throw;
  }
  return number;
}

std::uint64_t Questions::endOf(const Asked& asked) const noexcept {
  const std::uint64_t sign = std::max(asked.signAt, asked.traffic->movedAt());
  if (asked.isBuild) return sign + toNs(patience_.working);
  return std::min(sign + toNs(patience_.answer), asked.askedAt + toNs(patience_.longest));
}

Questions::Reply Questions::await(std::uint64_t number) {
  if (number == 0) return {{}, "the device's node is gone"};
  MutexLock lock(mutex_);
  Asked& asked = asked_[number];
  const auto isOver = [&] { return asked.isAnswered || asked.isLost; };
  for (std::uint64_t now = hostTime(); !isOver(); now = hostTime()) {
    const std::uint64_t end = endOf(asked);
    if (now >= end) {
      asked.isGivenUp = true;
      return {{}, "the device's node does not answer"};
    }
    static_cast<void>(changed_.waitFor(mutex_, std::chrono::nanoseconds(end - now), isOver));
  }
  Reply reply;
  if (asked.isAnswered && !asked.answer.empty())
    reply.bytes = std::move(asked.answer);
  else if (asked.isLost)
    reply.why = "the device's node is gone";
  else
    reply.why = asked.why.empty() ? "the device's node has no answer" : "the device's node refuses: " + asked.why;
  asked_.erase(number);
  return reply;
}

void Questions::joined(NodeId node, std::shared_ptr<const Traffic> traffic) {
  MutexLock lock(mutex_);
  present_[node] = std::move(traffic);
}

void Questions::lost(NodeId node) noexcept {
  {
    MutexLock lock(mutex_);
    present_.erase(node);
    std::erase_if(asked_, [&](const auto& each) { return each.second.node == node && each.second.isGivenUp; });
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
  if (!asked || !asked->answer.empty() || size > (asked->isBuild ? kMostBuilt : kMostAnswer)) return nullptr;
  if (asked->isGivenUp) return unwanted();
  try {
    asked->answer.resize(size);
  } catch (const std::bad_alloc&) {
    return unwanted();
  }
  return reinterpret_cast<std::byte*>(asked->answer.data());
}

bool Questions::answered(NodeId from, std::uint64_t number, std::string_view why, std::uint64_t& opened) noexcept {
  opened = 0;
  {
    MutexLock lock(mutex_);
    Asked* asked = find(from, number);
    if (!asked) return false;
    if (asked->isGivenUp) {
      opened = asked->session;
      asked_.erase(number);
      return true;
    }
    asked->isAnswered = true;
    try {
      asked->why = asText(why);
    } catch (const std::bad_alloc&) {
      asked->why.clear();
    }
  }
  changed_.notifyAll();
  return true;
}

void Questions::working(NodeId from, std::uint64_t number) noexcept {
  MutexLock lock(mutex_);
  if (Asked* asked = find(from, number)) asked->signAt = hostTime();
}

} // namespace clotho::node
