// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "cluster/frames.hpp"
#include "device/cluster/window.hpp"
#include "device/cpu/cpu_device.hpp"
#include "node/program_link.hpp"
#include "node/serve_link.hpp"
#include "node/session.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <string_view>
#include <sys/socket.h>
#include <thread>

namespace clotho::node::test {

/// A node's session on a CPU device, served by a thread of this process, and the program's end of it.
class ServedSession {
 public:
  static constexpr std::uint64_t kWindow = std::uint64_t{1} << 20;

  ServedSession() {
    cluster::LinkEnds ends = cluster::makeLink();
    FdPair sockets = makeSocketPair(SOCK_STREAM);
    ends.own.socket = std::move(sockets.first);
    host_ = std::make_unique<cluster::Link>(
        cluster::Side::Host, cluster::Link::Parts{cluster::SharedArea::map(ends.area), cluster::makeEvent(),
                                                  std::move(sockets.second), UniqueFd()});
    // Both ends are in this process, so the addresses are only found by a window, and are the node's then.
    window_ = cluster::Window(kWindow).base();
    auto ring = std::make_unique<RingLink>(std::move(ends.own));
    cluster::Link& link = ring->link();
    session_ = Ref<Session>::adopt(new Session(device(), std::move(ring), std::make_unique<Memory>(window_, kWindow)));
    thread_ = std::thread([this, &link] {
      serveLink(link, [this](std::string_view message) { return session_->receive(message); }, [] {});
      session_->end();
      isOver_.store(true);
    });
  }
  ~ServedSession() {
    host_->close();
    thread_.join();
  }
  ServedSession(const ServedSession&) = delete;
  ServedSession& operator=(const ServedSession&) = delete;

  static Device& device() {
    static Ref<Device>* const device = new Ref<Device>(makeCpuDevice(cpu::Kind::Near));
    return **device;
  }
  std::uint64_t window() const { return window_; }
  std::span<std::byte> slots() const { return host_->area().slots(); }
  Session& session() { return *session_; }

  void send(const cluster::ToNode& message) {
    ByteWriter out;
    FieldWriter{out}(message);
    sendRaw(out.bytes());
  }
  void sendRaw(const std::string& bytes) {
    host_->send([&](ByteWriter& out) {
      out.raw(bytes);
      return true;
    });
  }
  /// The next message; nothing if none comes.
  std::optional<cluster::ToHost> receive() {
    std::string message;
    for (const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
         std::chrono::steady_clock::now() < end;) {
      const auto found = host_->receive(message);
      if (found == cluster::RingReader::Found::Message) return cluster::decode<cluster::ToHost>(message);
      if (isOver_.load()) break;
      std::this_thread::yield();
    }
    return std::nullopt;
  }
  /// The next end of a command, behind what is told of it before.
  cluster::Ended ended() {
    while (const std::optional<cluster::ToHost> message = receive())
      if (const auto* end = std::get_if<cluster::Ended>(&*message)) return *end;
    ADD_FAILURE() << "the node does not answer";
    return {};
  }
  void hangUp() { host_->close(); }
  bool isOver() const { return isOver_.load(); }
  bool isOverSoon() const {
    for (int i = 0; i < 10000 && !isOver_.load(); ++i)
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    return isOver_.load();
  }

 private:
  std::unique_ptr<cluster::Link> host_;
  std::uint64_t window_ = 0;
  Ref<Session> session_;
  std::atomic<bool> isOver_{false};
  std::thread thread_;
};

} // namespace clotho::node::test
