// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "cluster/frames.hpp"
#include "cluster/handshake.hpp"
#include "cluster/setup.hpp"
#include "compiler/client/channel.hpp"
#include "served_session.hpp"
#include "several_nodes.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <sys/mman.h>
#include <sys/socket.h>
#include <thread>
#include <utility>
#include <vector>

namespace clotho::node::test {

/// Makes an object that lives as long as the process, since threads use it, where a leak checker finds it.
template <class Type, class... Arguments> Type& kept(Arguments&&... arguments) {
  static auto* const all = new std::vector<Type*>;
  all->push_back(new Type(std::forward<Arguments>(arguments)...));
  return *all->back();
}

/// Programs' way to a server of this process.
class Gateway {
 public:
  Gateway(Server& server, const cluster::Token& token) : server_(server), token_(token) {}

  /// A connection that has shown the token.
  UniqueFd connect() {
    FdPair sockets = makeSocketPair(SOCK_STREAM);
    server_.accept(std::move(sockets.first));
    EXPECT_EQ(cluster::introduce(sockets.second.get(), token_), cluster::Verdict::Welcome);
    return std::move(sockets.second);
  }
  template <class Answer> std::optional<Answer> ask(const cluster::Question& question) {
    const UniqueFd fd = connect();
    if (!cluster::sendFields(fd.get(), question, cluster::kPatienceMs)) return std::nullopt;
    return cluster::receiveFields<Answer>(fd.get(), cluster::kPatienceMs);
  }
  cluster::DeviceList devices() {
    return ask<cluster::DeviceList>(cluster::ListDevices{}).value_or(cluster::DeviceList{});
  }
  /// Waits until so many other nodes are there with their devices.
  void waitForNodes(std::size_t count) { EXPECT_TRUE(server_.waitForNodes(count, std::chrono::seconds(20))); }
  /// The number of a node's device.
  std::uint32_t deviceOf(std::size_t node) {
    for (const cluster::DeviceDescription& device : devices().devices)
      if (device.host == "host" + std::to_string(node)) return device.number;
    return 0; // the gateway's own has its real host
  }

 private:
  Server& server_;
  const cluster::Token token_;
};

/// Nodes of this process, each but the first one with the device of ServedSession; the first one only if
/// `isGatewayWithDevice`.
class TestNodes : public Gateway {
 public:
  explicit TestNodes(std::size_t count, bool isGatewayWithDevice = false)
      : TestNodes(count, *cluster::Token::make(), isGatewayWithDevice) {}

  LocalFabric& fabric() { return all_.fabric(); }

 private:
  TestNodes(std::size_t count, const cluster::Token& token, bool isGatewayWithDevice)
      : TestNodes(
            kept<SeveralNodes>(token, std::vector{Ref<Device>(ServedSession::device())}, count, isGatewayWithDevice),
            token) {
    waitForNodes(count - 1);
  }
  TestNodes(SeveralNodes& all, const cluster::Token& token) : Gateway(all.gateway(), token), all_(all) {}

  SeveralNodes& all_;
};

/// Whether nothing is at these addresses.
inline bool isFree(std::uint64_t address, std::uint64_t size) {
  void* const wanted = reinterpret_cast<void*>(address);
  constexpr int kFlags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE;
  void* const memory = mmap(wanted, size, PROT_NONE, kFlags, -1, 0);
  if (memory != MAP_FAILED) munmap(memory, size);
  return memory == wanted;
}

/// Addresses at which the system puts nothing by itself, each time others.
inline std::uint64_t ownAddresses(std::uint64_t size) {
  static std::atomic<std::uint64_t> count{0};
  const std::uint64_t offset = ++count << 26;
  for (const std::uint64_t begin : {std::uint64_t{1} << 38, std::uint64_t{1} << 45}) // not where sanitizers have theirs
    if (isFree(begin + offset, size)) return begin + offset;
  return 0;
}

/// A program's end of a session with a device of its node, or of another one.
class RelayedProgram {
 public:
  static constexpr std::uint64_t kWindow = std::uint64_t{16} << 20, kPage = 4096;

  RelayedProgram(Gateway& nodes, std::uint32_t device) {
    window_ = ownAddresses(kWindow); // the node's, in this process
    UniqueFd socket = nodes.connect();
    const cluster::Question question = cluster::OpenSession{device, window_, kWindow};
    std::optional<cluster::SessionOpened> opened;
    if (cluster::sendFields(socket.get(), question, cluster::kPatienceMs))
      opened = cluster::receiveFields<cluster::SessionOpened>(socket.get(), cluster::kPatienceMs);
    why_ = opened ? opened->why : "no answer";
    if (!why_.empty()) return;
    session_ = opened->session;
    peer_ = {opened->node, opened->session};
    const UniqueFd area = receiveDescriptor(socket.get(), 0);
    link_ = std::make_unique<cluster::Link>(
        cluster::Side::Host,
        cluster::Link::Parts{cluster::SharedArea::map(area), cluster::makeEvent(), std::move(socket), UniqueFd()});
  }
  ~RelayedProgram() { hangUp(); }
  RelayedProgram(const RelayedProgram&) = delete;
  RelayedProgram& operator=(const RelayedProgram&) = delete;

  const std::string& why() const { return why_; }
  std::uint64_t session() const { return session_; }
  cluster::PeerSession peer() const { return peer_; }
  std::uint64_t window() const { return window_; }
  std::span<std::byte> slots() const { return link_->area().slots(); }
  void send(const cluster::ToNode& message) {
    ByteWriter out;
    FieldWriter{out}(message);
    sendRaw(out.bytes());
  }
  void sendRaw(const std::string& bytes) {
    link_->send([&](ByteWriter& out) {
      out.raw(bytes);
      return true;
    });
  }
  /// Moves on what waits for room; whether some still waits.
  bool flush() { return link_->flush(); }
  std::uint64_t beat() const { return link_->area().nodeBeat().load(); }
  void run(std::uint64_t number, cluster::Work work, std::vector<cluster::Predecessor> after = {}) {
    send(cluster::RunCommand{.number = number, .queue = 1, .after = std::move(after), .work = std::move(work)});
  }
  /// The next message; nothing if the session ends first.
  std::optional<cluster::ToHost> receive() {
    std::string message;
    for (const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
         std::chrono::steady_clock::now() < end;) {
      if (link_->receive(message) == cluster::RingReader::Found::Message) {
        auto decoded = cluster::decode<cluster::ToHost>(message);
        EXPECT_TRUE(decoded) << "a program gets damaged messages";
        return decoded;
      }
      if (link_->sleep(10, /*isArmed=*/true) == cluster::Link::Woken::ByEnd && link_->isEmpty()) return std::nullopt;
    }
    return std::nullopt;
  }
  /// The next end of a command; nothing if the session ends first.
  std::optional<cluster::Ended> ended() {
    while (const std::optional<cluster::ToHost> message = receive())
      if (const auto* each = std::get_if<cluster::Ended>(&*message)) return *each;
    return std::nullopt;
  }
  /// Whether no message comes for a while.
  bool isQuiet() const {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    return link_->isEmpty();
  }
  /// The status of the next end; a positive number if there is none.
  cl_int status() {
    const std::optional<cluster::Ended> end = ended();
    return end ? static_cast<cl_int>(end->status) : 1;
  }
  void hangUp() {
    if (link_) link_->close();
  }
  /// Whether the node's addresses are free again, or will be in a moment.
  bool isFreed() const {
    for (int i = 0; i < 10000; ++i) {
      if (test::isFree(window_, kWindow)) return true;
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    return false;
  }

 private:
  std::uint64_t window_ = 0, session_ = 0;
  cluster::PeerSession peer_;
  std::string why_;
  std::unique_ptr<cluster::Link> link_;
};

} // namespace clotho::node::test
