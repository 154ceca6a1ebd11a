// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "node/fabric/ordered_inbox.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>
#include <vector>

namespace clotho::node {
namespace {

/// Makes a message whole.
void finish(OrderedInbox::Message& message) {
  message.hasBegun = true;
  message.textLeft = message.payloadLeft = 0;
}

TEST(OrderedInboxTest, HandsOverInOrderWhateverComesFirst) {
  std::mt19937 random(1);
  for (int round = 0; round < 100; ++round) {
    // Each message has a text and a payload, and all of these come in any order.
    constexpr std::uint64_t kMessages = 20;
    std::vector<std::uint64_t> parts(2 * kMessages);
    std::iota(parts.begin(), parts.end(), 0);
    std::ranges::shuffle(parts, random);
    OrderedInbox inbox;
    std::uint64_t next = 0;
    for (const std::uint64_t part : parts) {
      OrderedInbox::Message* message = inbox.at(part / 2, 1);
      ASSERT_TRUE(message);
      if (!message->hasBegun) message->textLeft = message->payloadLeft = 1;
      message->hasBegun = true;
      message->text = std::to_string(part / 2);
      (part % 2 == 0 ? message->textLeft : message->payloadLeft) = 0;
      for (; const OrderedInbox::Message* front = inbox.front(); inbox.pop())
        EXPECT_EQ(front->text, std::to_string(next++));
    }
    EXPECT_EQ(next, kMessages);
    EXPECT_TRUE(inbox.isNext(kMessages));
  }
}

TEST(OrderedInboxTest, NothingPassesAMessageThatIsComing) {
  OrderedInbox inbox;
  EXPECT_EQ(inbox.front(), nullptr);
  inbox.at(0, 1);
  finish(*inbox.at(1, 1));
  EXPECT_EQ(inbox.front(), nullptr);
  EXPECT_FALSE(inbox.isNext(0));
  finish(*inbox.at(0, 0));
  EXPECT_NE(inbox.front(), nullptr);
}

TEST(OrderedInboxTest, WhatWasHandedOverDoesNotComeAgain) {
  OrderedInbox inbox;
  inbox.skip();
  EXPECT_EQ(inbox.at(0, 0), nullptr);
  finish(*inbox.at(1, 0));
  inbox.pop();
  EXPECT_EQ(inbox.at(1, 0), nullptr);
  EXPECT_NE(inbox.at(2, 0), nullptr);
}

TEST(OrderedInboxTest, OnlySoMuchWaits) {
  OrderedInbox inbox;
  constexpr std::size_t kPart = OrderedInbox::kMostWaiting / 4;
  for (std::uint64_t number = 1; number <= 3; ++number)
    ASSERT_TRUE(inbox.at(number, kPart));
  EXPECT_EQ(inbox.at(4, kPart), nullptr);
  EXPECT_EQ(inbox.at(4, SIZE_MAX), nullptr);
  EXPECT_NE(inbox.at(4, 0), nullptr);
  // Short ones count, too.
  std::size_t count = 0;
  while (count < OrderedInbox::kMostWaiting && inbox.at(100 + count, 1))
    ++count;
  EXPECT_LT(count, kPart / 100);
}

TEST(OrderedInboxTest, RoomComesBack) {
  OrderedInbox inbox;
  for (std::uint64_t number = 0; number < 100; ++number) {
    OrderedInbox::Message* message = inbox.at(number, OrderedInbox::kMostWaiting / 2);
    ASSERT_TRUE(message);
    finish(*message);
    inbox.pop();
  }
}

} // namespace
} // namespace clotho::node
