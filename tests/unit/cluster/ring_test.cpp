// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cluster/ring.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <random>
#include <string>
#include <thread>

namespace clotho::cluster {
namespace {

using Found = RingReader::Found;

/// A ring that both of its ends are in this process.
struct SmallRing {
  RingHead head;
  alignas(8) std::array<std::byte, 1024> bytes{};
  RingWriter writer{head, bytes};
  RingReader reader{head, bytes};

  std::string read(Found expected = Found::Message) {
    std::string message;
    EXPECT_EQ(reader.read(message), expected);
    return message;
  }
};

TEST(Ring, BringsMessagesInOrder) {
  SmallRing ring;
  EXPECT_TRUE(ring.reader.isEmpty());
  EXPECT_TRUE(ring.writer.write("first"));
  EXPECT_TRUE(ring.writer.write(std::string("sec\0nd", 6)));
  EXPECT_FALSE(ring.reader.isEmpty());
  EXPECT_EQ(ring.read(), "first");
  EXPECT_EQ(ring.read(), std::string("sec\0nd", 6));
  EXPECT_EQ(ring.read(Found::Nothing), "");
}

TEST(Ring, RefusesWhatDoesNotFit) {
  SmallRing ring;
  EXPECT_FALSE(ring.writer.write(""));
  EXPECT_FALSE(ring.writer.write(std::string(ring.writer.most() + 1, 'x')));
  int written = 0;
  while (ring.writer.write(std::string(100, 'a')))
    ++written;
  EXPECT_EQ(written, 9); // 112 bytes each
  ring.read();
  EXPECT_TRUE(ring.writer.write(std::string(100, 'b')));
  EXPECT_FALSE(ring.writer.write(std::string(100, 'c')));
}

TEST(Ring, GoesAroundWithMessagesOfAllSizes) {
  SmallRing ring;
  std::mt19937 random(1);
  for (int i = 0; i < 20000; ++i) {
    const std::string message(1 + random() % ring.writer.most(), static_cast<char>('a' + i % 26));
    ASSERT_TRUE(ring.writer.write(message));
    ASSERT_EQ(ring.read(), message);
  }
}

TEST(Ring, BringsAllToAnotherThread) {
  constexpr int kCount = 10000;
  SmallRing ring;
  std::thread writer([&] {
    for (int i = 0; i < kCount; ++i)
      while (!ring.writer.write(std::to_string(i)))
        std::this_thread::yield();
  });
  std::string message;
  for (int i = 0; i < kCount; ++i) {
    while (ring.reader.read(message) != Found::Message)
      std::this_thread::yield();
    ASSERT_EQ(message, std::to_string(i));
  }
  writer.join();
}

TEST(Ring, AWriterWakesAReaderOnce) {
  SmallRing ring;
  EXPECT_FALSE(ring.writer.takeSleeper());
  ring.reader.beginSleep();
  EXPECT_TRUE(ring.writer.takeSleeper());
  EXPECT_FALSE(ring.writer.takeSleeper());
  ring.reader.beginSleep();
  ring.reader.endSleep();
  EXPECT_FALSE(ring.writer.takeSleeper());
}

TEST(Ring, AReaderSeesImpossibleSizesAndPlaces) {
  for (const std::uint64_t size : {std::uint64_t{0}, std::uint64_t{257}, ~std::uint64_t{0} - 1, std::uint64_t{64}}) {
    SmallRing ring;
    ASSERT_TRUE(ring.writer.write("some"));
    std::memcpy(ring.bytes.data(), &size, sizeof size);
    ring.read(Found::Damage);
  }
  for (const std::uint64_t written : {std::uint64_t{4096}, std::uint64_t{12}, std::uint64_t{8}}) {
    SmallRing ring;
    ASSERT_TRUE(ring.writer.write("some"));
    ring.head.written = written;
    ring.read(Found::Damage);
  }
  SmallRing ring; // a message that is to be at the beginning, where nothing is any more
  ASSERT_TRUE(ring.writer.write("some"));
  const std::uint64_t toBegin = ~std::uint64_t{0};
  std::memcpy(ring.bytes.data(), &toBegin, sizeof toBegin);
  ring.read(Found::Damage);
}

TEST(Ring, AWriterDoesNotTrustTheReadersPlace) {
  SmallRing ring;
  ring.head.read = 123456; // beyond what was written
  EXPECT_FALSE(ring.writer.write("some"));
}

} // namespace
} // namespace clotho::cluster
