// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The program's side of two sessions that move bytes to each other, whose nodes are this test.
#include "device/cluster/cluster_memory.hpp"

#include "cluster/frames.hpp"
#include "cluster/messages.hpp"
#include "command/storage.hpp"
#include "little_memory.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <sys/socket.h>
#include <thread>
#include <utility>
#include <vector>

namespace clotho::cluster {
namespace {

constexpr std::uint64_t kWindow = std::uint64_t{1} << 20, kSize = 4096;

/// Never destroyed: threads of sessions use it, also when the test is over. Where a leak checker finds it.
template <class Object> Object* kept(Object* object) {
  static auto* const all = new std::vector<Object*>;
  return all->emplace_back(object);
}

/// A session whose other end is played by the test, with the memory of its device.
class Played {
 public:
  Played(PeerGroup& group, std::uint64_t number) {
    LinkEnds ends = makeLink();
    FdPair sockets = makeSocketPair(SOCK_STREAM);
    ends.own.socket = std::move(sockets.first);
    node_ = std::make_unique<Link>(Side::Node, std::move(ends.own));
    Link::Parts parts{SharedArea::map(ends.area), makeEvent(), std::move(sockets.second), UniqueFd()};
    window_ = kept(new Window(kWindow));
    session_ = kept(new Session(NodeClient("nowhere", *Token::make()), {std::move(parts), 1, number}, &group, window_));
    session_->start();
    beats_ = std::thread([this] {
      while (!isOver_.load()) {
        node_->area().nodeBeat().fetch_add(1);
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
      }
    });
    auto* const copies = kept(new HostCopies(*session_));
    memory_ = kept(new SeeingMemory(QueueServices{*session_, *window_, *copies}, *window_));
    EXPECT_TRUE(take<MakeQueue>());
  }
  ~Played() {
    node_->close();
    while (!session_->isLost())
      std::this_thread::yield();
    isOver_.store(true);
    beats_.join();
  }
  Played(const Played&) = delete;
  Played& operator=(const Played&) = delete;

  DeviceMemory& memory() { return *memory_; }
  std::optional<ToNode> receive() {
    std::string message;
    for (const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
         std::chrono::steady_clock::now() < end; std::this_thread::yield())
      if (node_->receive(message) == RingReader::Found::Message) return decode<ToNode>(message);
    return std::nullopt;
  }
  /// Whether a command of this kind is among the messages that are there; its number. 0: there is none.
  template <class Work> std::uint64_t find() {
    std::uint64_t number = 0;
    for (std::string message; node_->receive(message) == RingReader::Found::Message;) {
      const std::optional<ToNode> each = decode<ToNode>(message);
      isToForget_ = isToForget_ || (each && std::holds_alternative<ForgetPeer>(*each));
      const auto* run = each ? std::get_if<RunCommand>(&*each) : nullptr;
      if (run && std::holds_alternative<Work>(run->work)) number = run->number;
    }
    return number;
  }
  /// Whether the node is told to forget the other session, now or among what find() has gone through.
  bool isToForget() { return isToForget_ || take<ForgetPeer>(); }
  template <class Message> std::optional<Message> take() {
    const std::optional<ToNode> message = receive();
    const auto* found = message ? std::get_if<Message>(&*message) : nullptr;
    if (!found) return std::nullopt;
    return *found;
  }
  /// The number of the next message, which is such a command; 0 if it is another one.
  template <class Work> std::uint64_t takeCommand() {
    const auto run = take<RunCommand>();
    return run && std::holds_alternative<Work>(run->work) ? run->number : 0;
  }
  void end(std::uint64_t number) {
    node_->send([&](ByteWriter& out) {
      FieldWriter{out}(ToHost(Ended{.number = number}));
      return true;
    });
  }

 private:
  /// Takes bytes from other such memories at once.
  class SeeingMemory final : public DeviceMemory {
   public:
    SeeingMemory(const QueueServices& services, Window& window) : memory_(services, window, kWindow) {}
    void* allocate(std::size_t size, std::size_t alignment) noexcept override {
      return memory_.allocate(size, alignment);
    }
    void deallocate(void* memory, std::size_t size) noexcept override { memory_.deallocate(memory, size); }
    bool write(void* to, const void* from, std::size_t size) noexcept override { return memory_.write(to, from, size); }
    DeviceQueue& transfers() noexcept override { return memory_.transfers(); }
    bool canCopyFrom(const DeviceMemory&) const noexcept override { return true; }

   private:
    ClusterMemory memory_;
  };

  std::unique_ptr<Link> node_;
  Window* window_ = nullptr;
  Session* session_ = nullptr;
  SeeingMemory* memory_ = nullptr;
  bool isToForget_ = false;
  std::atomic<bool> isOver_{false};
  std::thread beats_;
};

class View final : public MemoryView {
 public:
  explicit View(Ref<Storage> storage) : MemoryView(std::move(storage), 0, kSize, /*isReadOnly=*/false) {}
};

/// Reads all bytes of an object at a device.
class Reading final : public Node {
 public:
  Reading(DeviceQueue& queue, HomeId home, Ref<MemoryView> object)
      : Node(&queue, work_, state_, /*isTimed=*/false), work_(Migrate{{Operand{object, object->range()}}}) {
    setHome(home);
  }
  void report(std::string, LogLevel) noexcept override {}
  cl_int wait() {
    sleepUntilDone();
    return status();
  }

 private:
  Command work_;
  DeviceState state_;
};

/// An object that is valid at one device, and a command of the other that reads it.
class HostPeers : public testing::Test {
 protected:
  HostPeers() {
    for (const HomeId home : {1, 2})
      object_->storage().allocateOn(home);
    object_->storage().noteWritten(1, object_->range());
    EXPECT_TRUE(from_.take<UseMemory>() && to_.take<UseMemory>());
    reading_->holdItself();
  }
  Ref<View> makeObject() {
    return Ref<View>::adopt(new View(Ref<Storage>::adopt(new Storage(*homes_, kSize, 128, nullptr))));
  }

  PeerGroup& group_ = *kept(new PeerGroup);
  Played from_{group_, 1}, to_{group_, 2};
  HostMemory& none_ = *kept(new HostMemory(0));
  Ref<Homes> homes_ = Ref<Homes>::adopt(new Homes(none_, {&from_.memory(), &to_.memory()}));
  Ref<View> object_ = makeObject();
  Ref<Reading> reading_ = Ref<Reading>::adopt(new Reading(to_.memory().transfers(), 2, object_));
};

// A node may still have what it has sent when all bytes have come.
TEST_F(HostPeers, MemoryIsKeptUntilItsBytesHaveBeenSent) {
  reading_->arm();
  const std::uint64_t sends = from_.takeCommand<SendBytes>(), receives = to_.takeCommand<ReceiveBytes>();
  ASSERT_NE(sends * receives, 0u);
  to_.end(receives);
  EXPECT_EQ(reading_->wait(), CL_COMPLETE);
  reading_ = nullptr;
  object_ = nullptr; // the program has heard the end, and releases the object
  const Ref<View> next = makeObject();
  next->storage().allocateOn(1);
  EXPECT_TRUE(from_.take<UseMemory>()) << "the memory is free before it has been sent";
  from_.end(sends);
  EXPECT_TRUE(from_.take<FreeMemory>());
}

/// A move for which so many allocations succeed.
class HostPeersWithLittleMemory : public HostPeers, public testing::WithParamInterface<int> {};

INSTANTIATE_TEST_SUITE_P(Allocations, HostPeersWithLittleMemory, testing::Range(0, 24));

TEST_P(HostPeersWithLittleMemory, NoNodeWaitsForTheOther) {
  {
    const node::test::LittleMemory little(GetParam());
    reading_->arm();
  }
  const std::uint64_t sends = from_.find<SendBytes>(), receives = to_.find<ReceiveBytes>();
  if (receives != 0) {
    EXPECT_NE(sends, 0u);
    to_.end(receives);
    from_.end(sends);
    EXPECT_EQ(reading_->wait(), CL_COMPLETE);
    return;
  }
  EXPECT_LT(reading_->wait(), 0);
  if (sends != 0) EXPECT_TRUE(from_.isToForget()) << "it would wait for a receiver";
}

} // namespace
} // namespace clotho::cluster
