// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cluster/link.hpp"

#include "compiler/client/channel.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <string>
#include <sys/mman.h>
#include <sys/socket.h>
#include <thread>

namespace clotho::cluster {
namespace {

/// Both ends of a link.
struct Ends {
  explicit Ends(std::size_t mostWaiting = Link::kMostWaiting) {
    LinkEnds ends = makeLink();
    FdPair sockets = makeSocketPair(SOCK_STREAM);
    nodeSocket = UniqueFd(dup(sockets.first.get()));
    ends.own.socket = std::move(sockets.first);
    ends.own.mostWaiting = mostWaiting;
    node = std::make_unique<Link>(Side::Node, std::move(ends.own));
    host = std::make_unique<Link>(
        Side::Host, Link::Parts{SharedArea::map(ends.area), makeEvent(), std::move(sockets.second), UniqueFd()});
  }
  UniqueFd nodeSocket; ///< another descriptor of the node's end
  std::unique_ptr<Link> node, host;
};

void send(Link& link, const std::string& text) {
  link.send([&](ByteWriter& out) {
    out.raw(text);
    return true;
  });
}

std::string receive(Link& link) {
  std::string message;
  return link.receive(message) == RingReader::Found::Message ? message : "nothing";
}

TEST(Link, MessagesGoBothWays) {
  Ends ends;
  send(*ends.host, "run");
  send(*ends.node, "done");
  EXPECT_EQ(receive(*ends.node), "run");
  EXPECT_EQ(receive(*ends.host), "done");
  EXPECT_EQ(receive(*ends.host), "nothing");
  ends.host->send([](ByteWriter& out) {
    out.raw("a mistake");
    return false;
  });
  EXPECT_EQ(receive(*ends.node), "nothing");
}

TEST(Link, IsClosedWhenTooMuchWaits) {
  constexpr std::size_t kMessage = std::size_t{64} << 10, kMost = 4 * SharedArea::kRingBytes;
  Ends ends(kMost);
  const std::string message(kMessage, 'm');
  std::size_t sent = 0;
  for (; sent < 2 * kMost && !ends.node->isClosed(); sent += kMessage)
    send(*ends.node, message);
  EXPECT_TRUE(ends.node->isClosed());
  EXPECT_GT(sent, kMost);
  EXPECT_EQ(ends.host->sleep(10000, /*isArmed=*/false), Link::Woken::ByEnd);
}

TEST(Link, RoomThatIsReadCountsNoMore) {
  constexpr std::size_t kMessage = std::size_t{64} << 10, kMost = 4 * SharedArea::kRingBytes;
  Ends ends(kMost);
  const std::string message(kMessage, 'm');
  for (std::size_t sent = 0; sent < 8 * kMost; sent += 16 * kMessage) {
    for (int i = 0; i < 32; ++i)
      send(*ends.node, message);
    for (int i = 0; i < 32; ++i) {
      ends.node->flush();
      EXPECT_EQ(receive(*ends.host).size(), kMessage);
    }
  }
  EXPECT_FALSE(ends.node->isClosed());
}

TEST(Link, AMessageEndsASleep) {
  Ends ends;
  EXPECT_EQ(ends.node->sleep(1, true), Link::Woken::ByTime);
  std::thread other([&] { send(*ends.host, "run"); });
  while (ends.node->isEmpty())
    EXPECT_NE(ends.node->sleep(10000, true), Link::Woken::ByEnd);
  other.join();
  EXPECT_EQ(ends.node->sleep(10000, true), Link::Woken::ByMessage); // it is still there
}

TEST(Link, AThreadThatReceivesLeavesTheOtherAsleep) {
  Ends ends;
  ends.host->disarm();
  send(*ends.node, "done");
  EXPECT_EQ(ends.host->sleep(1, /*isArmed=*/false), Link::Woken::ByTime);
  ends.host->arm();
  EXPECT_EQ(ends.host->sleep(10000, /*isArmed=*/false), Link::Woken::ByMessage);
}

TEST(Link, WhatTheRingHasNoRoomForComesLater) {
  Ends ends;
  constexpr int kCount = 200;
  const std::string large(Link::kMost - 100, 'x');
  for (int i = 0; i < kCount; ++i)
    send(*ends.host, large + std::to_string(i));
  EXPECT_TRUE(ends.host->flush());
  for (int i = 0; i < kCount; ++i) {
    ASSERT_TRUE(receive(*ends.node) == large + std::to_string(i)) << i;
    ASSERT_EQ(ends.host->flush(), i + 5 < kCount) << i; // four fit into the ring
  }
  EXPECT_EQ(receive(*ends.node), "nothing");
}

TEST(Link, WhatWaitsForRoomIsSentWhileAllSleep) {
  Ends ends;
  const std::string large(Link::kMost - 100, 'x');
  constexpr int kCount = 5; // one more than the ring takes
  std::thread sleeper([&] {
    while (ends.host->sleep(60000, /*isArmed=*/false) != Link::Woken::ByEnd) {
    }
  });
  std::this_thread::sleep_for(std::chrono::milliseconds(50)); // the other thread sleeps, and nothing waits for room yet
  const auto begin = std::chrono::steady_clock::now();
  for (int i = 0; i < kCount; ++i)
    send(*ends.host, large);
  for (int i = 0; i < kCount; ++i) {
    while (ends.node->isEmpty() && std::chrono::steady_clock::now() - begin < std::chrono::seconds(20))
      std::this_thread::yield();
    EXPECT_TRUE(receive(*ends.node) == large) << i;
  }
  ends.host->close();
  sleeper.join();
}

TEST(Link, ASocketWithoutRoomHoldsNoSenderUp) {
  Ends ends;
  // The node sleeps as far as the ring says, and reads none of the bytes that wake it.
  ends.node->arm();
  const std::string bytes(4096, 'x');
  const int socket = ends.nodeSocket.get();
  while (::send(socket, bytes.data(), bytes.size(), MSG_DONTWAIT | MSG_NOSIGNAL) > 0) {
  }
  ASSERT_EQ(fcntl(socket, F_SETFL, 0), 0); // a descriptor's flags are no concern of the other process
  for (int i = 0; i < 100000; ++i) {
    ends.node->arm();
    send(*ends.host, "run");
    ASSERT_EQ(receive(*ends.node), "run");
  }
  // And bytes that were sent for nothing wake the host, which finds no message.
  EXPECT_EQ(ends.host->sleep(10000, true), Link::Woken::ByMessage);
  EXPECT_TRUE(ends.host->isEmpty());
}

TEST(Link, TheEndOfOneSideWakesTheOther) {
  Ends ends;
  std::thread other([&] { ends.host->close(); });
  EXPECT_EQ(ends.node->sleep(10000, true), Link::Woken::ByEnd);
  other.join();
  EXPECT_TRUE(ends.host->isClosed());
  send(*ends.host, "too late");
  EXPECT_EQ(receive(*ends.node), "nothing");
  EXPECT_EQ(ends.host->sleep(10000, true), Link::Woken::ByEnd);
}

TEST(SharedArea, IsTakenOnlyIfItCannotShrink) {
  UniqueFd sealed;
  ASSERT_TRUE(SharedArea::create(sealed));
  EXPECT_TRUE(SharedArea::map(sealed));
  struct stat size{};
  ASSERT_EQ(fstat(sealed.get(), &size), 0);
  const UniqueFd open(memfd_create("open", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  ASSERT_EQ(ftruncate(open.get(), size.st_size), 0);
  EXPECT_FALSE(SharedArea::map(open));
  const UniqueFd small(memfd_create("small", MFD_CLOEXEC | MFD_ALLOW_SEALING));
  ASSERT_EQ(ftruncate(small.get(), 4096), 0);
  ASSERT_EQ(fcntl(small.get(), F_ADD_SEALS, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL), 0);
  EXPECT_FALSE(SharedArea::map(small));
  EXPECT_FALSE(SharedArea::map(UniqueFd()));
  // An ordinary file has no seals, and its owner can cut it off.
  const std::string path = testing::TempDir() + "/area-" + std::to_string(getpid());
  const UniqueFd ordinary(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
  ASSERT_EQ(unlink(path.c_str()), 0);
  ASSERT_EQ(ftruncate(ordinary.get(), size.st_size), 0);
  EXPECT_FALSE(SharedArea::map(ordinary));
}

} // namespace
} // namespace clotho::cluster
