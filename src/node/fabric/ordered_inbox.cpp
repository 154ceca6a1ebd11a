// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "node/fabric/ordered_inbox.hpp"

namespace clotho::node {

namespace {

/// Bytes that a message counts for beside its text, so that short ones are limited, too.
constexpr std::size_t kOverhead = 256;

} // namespace

OrderedInbox::Message* OrderedInbox::at(std::uint64_t number, std::size_t size) {
  if (number < next_ || size > kMostWaiting) return nullptr;
  auto found = messages_.find(number);
  const std::size_t room = size + (found == messages_.end() ? kOverhead : 0);
  if (waiting_ + room > kMostWaiting) return nullptr;
  if (found == messages_.end()) found = messages_.try_emplace(number).first;
  waiting_ += room;
  found->second.room += room;
  return &found->second;
}

const OrderedInbox::Message* OrderedInbox::front() const {
  const auto first = messages_.begin();
  return first != messages_.end() && first->first == next_ && first->second.isWhole() ? &first->second : nullptr;
}

void OrderedInbox::pop() {
  waiting_ -= messages_.begin()->second.room;
  messages_.erase(messages_.begin());
  ++next_;
}

} // namespace clotho::node
