// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "cluster/frames.hpp"
#include "compiler/compiler.hpp"
#include "device/cluster/window.hpp"
#include "device/cpu/cpu_device.hpp"
#include "node/program_link.hpp"
#include "node/programs.hpp"
#include "node/serve_link.hpp"
#include "node/session.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <string_view>
#include <sys/socket.h>
#include <thread>
#include <xxhash.h>

namespace clotho::node::test {

/// A module of two kernels that are harmless whatever their arguments are: they use no pointer. None without a
/// compiler.
inline cluster::BuildProgram harmlessModule(const Device& device) {
  BuildRequest request;
  request.source = "kernel void first() {}\n"
                   "kernel void second(global uint* words, global uint* more, uint number, uint other) {\n"
                   "  if (number == 0x9e3779b9u && other == 0x85ebca6bu) words[0] = more[0];\n"
                   "}\n";
  request.target = Target{TargetKind::Portable, "", "", 0, kDefaultSubGroupSize, {}};
  Compiler compiler;
  const std::shared_ptr<const BuildResult> built = compiler.build(request);
  const XXH128_hash_t hash = XXH3_128bits(built->portable.data(), built->portable.size());
  return {.key = {hash.low64, hash.high64}, .claims = device.claims(), .hasModule = true, .module = built->portable};
}

/// Its code; null if it cannot be built.
inline std::shared_ptr<const Program> harmlessProgram(Device& device) {
  Programs programs;
  auto program = std::make_shared<Program>();
  const cluster::ProgramBuilt built = programs.build(device, harmlessModule(device), *program);
  return built.state == cluster::ProgramBuilt::State::Done ? program : nullptr;
}

/// A node's session on a CPU device, served by a thread of this process, and the program's end of it.
class ServedSession {
 public:
  static constexpr std::uint64_t kWindow = std::uint64_t{1} << 20;

  /// `device`: outlives this.
  explicit ServedSession(Device& device = ServedSession::device()) {
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
    session_ = Ref<Session>::adopt(new Session(device, std::move(ring), std::make_unique<Memory>(window_, kWindow)));
    thread_ = std::thread([this, &link] {
      serveLink(
          link, std::chrono::microseconds(20), [this](std::string_view message) { return session_->receive(message); },
          [] {});
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
  /// A message that is there; nothing if there is none.
  std::optional<cluster::ToHost> receiveNow() {
    std::string message;
    if (host_->receive(message) != cluster::RingReader::Found::Message) return std::nullopt;
    return cluster::decode<cluster::ToHost>(message);
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
