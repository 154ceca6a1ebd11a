// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "cluster/device_fields.hpp"
#include "compiler/client/fields.hpp"
#include "device/device.hpp"

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

/// A program's questions to its node by its socket, one a connection, and the node's answers. Frames on the
/// stream (compiler/client/channel.hpp) follow the handshake (handshake.hpp).
namespace clotho::cluster {

/// Asks for the list of devices.
struct ListDevices {};

struct DeviceDescription {
  std::string host{}; ///< name of the machine
  DeviceProperties properties{};
  Claims claims{};
  bool hasOwnMemory = false; ///< which is not that of the node's processors
  std::uint32_t number = 0;  ///< by which sessions name it
};

struct DeviceList {
  std::vector<DeviceDescription> devices{};
};

/// Commands for one device. The connection stays open as long as the program uses the device.
struct OpenSession {
  std::uint32_t device = 0; ///< by its number
  /// Addresses that the device's memory is to have, where the program has nothing. A device with memory of its own
  /// chooses them.
  std::uint64_t window = 0;
  std::uint64_t windowSize = 0;
};

/// Followed by the descriptor of the shared area, if there is no reason why not. Then the socket carries bytes that
/// wake either side, and nothing more.
struct SessionOpened {
  std::uint64_t session = 0;        ///< for builds, and for other sessions of the program
  std::uint64_t node = 0;           ///< the device's node as other sessions name it (PeerSession)
  std::uint64_t window = 0;         ///< the addresses of the device's memory
  std::string why{};                ///< it is not opened; empty: it is
  bool wantsOtherAddresses = false; ///< the reason is that something is at those that were asked for
};

/// Asks what the nodes have done.
struct AskStatus {};

struct DeviceStatus {
  std::string name{};
  std::uint64_t sessions = 0; ///< programs that use it now
  std::uint64_t commands = 0; ///< that it has been sent since the node's start, runs of command buffers among them
};

struct NodeStatus {
  std::string host{};
  std::vector<DeviceStatus> devices{};
  std::uint64_t sentBytes = 0, receivedBytes = 0; ///< of memory objects and programs, to other nodes and from them
  std::uint64_t sentMessages = 0, receivedMessages = 0;
};

struct ClusterStatus {
  std::vector<NodeStatus> nodes{}; ///< the one that is asked first; without those that do not answer
};

/// Makes a program's code of its portable module. Sent without the module first, since the node may have it.
struct BuildProgram {
  std::uint64_t session = 0;
  std::uint64_t program = 0;     ///< number that the program gives it
  std::uint64_t key[2] = {0, 0}; ///< XXH3-128 of the module
  BuildKind kind = BuildKind::Build;
  std::string options{};
  bool makesParts = false; ///< BuildRequest::makesParts
  std::uint32_t openclVersion = 300;
  Claims claims{};
  bool hasModule = false;
  std::string module{};
};

/// A kernel on the node's device, as launches number it.
struct KernelCode {
  std::string name{};
  GroupLimits limits{};
  std::uint64_t mostItems = 1; ///< of a work-group
  KernelFootprint footprint{};
};

struct ProgramBuilt {
  enum class State : std::uint8_t {
    Done,
    NoModule, ///< the module is not known here: ask again, with it
    Failed,
  };
  State state = State::Failed;
  std::string log{};
  std::vector<KernelCode> kernels{};
};

using Question = std::variant<ListDevices, OpenSession, BuildProgram, AskStatus>;

// --- Fields (base/fields.hpp) ---

constexpr ProgramBuilt::State lastOf(ProgramBuilt::State) { return ProgramBuilt::State::Failed; }

template <Of<ListDevices> Type, class Visit> void visitFields(Type&, Visit&&) {}

template <Of<DeviceDescription> Type, class Visit> void visitFields(Type& device, Visit&& visit) {
  auto& [host, properties, claims, hasOwnMemory, number] = device;
  visitEach(visit, host, properties, claims, hasOwnMemory, number);
}

template <Of<DeviceList> Type, class Visit> void visitFields(Type& list, Visit&& visit) {
  auto& [devices] = list;
  visit(devices);
}

template <Of<OpenSession> Type, class Visit> void visitFields(Type& open, Visit&& visit) {
  auto& [device, window, windowSize] = open;
  visitEach(visit, device, window, windowSize);
}

template <Of<SessionOpened> Type, class Visit> void visitFields(Type& opened, Visit&& visit) {
  auto& [session, node, window, why, wantsOtherAddresses] = opened;
  visitEach(visit, session, node, window, why, wantsOtherAddresses);
}

template <Of<AskStatus> Type, class Visit> void visitFields(Type&, Visit&&) {}

template <Of<DeviceStatus> Type, class Visit> void visitFields(Type& device, Visit&& visit) {
  auto& [name, sessions, commands] = device;
  visitEach(visit, name, sessions, commands);
}

template <Of<NodeStatus> Type, class Visit> void visitFields(Type& node, Visit&& visit) {
  auto& [host, devices, sentBytes, receivedBytes, sentMessages, receivedMessages] = node;
  visitEach(visit, host, devices, sentBytes, receivedBytes, sentMessages, receivedMessages);
}

template <Of<ClusterStatus> Type, class Visit> void visitFields(Type& status, Visit&& visit) {
  auto& [nodes] = status;
  visit(nodes);
}

template <Of<BuildProgram> Type, class Visit> void visitFields(Type& build, Visit&& visit) {
  auto& [session, program, key, kind, options, makesParts, openclVersion, claims, hasModule, module] = build;
  visitEach(visit, session, program, key, kind, options, makesParts, openclVersion, claims, hasModule, module);
}

template <Of<KernelCode> Type, class Visit> void visitFields(Type& kernel, Visit&& visit) {
  auto& [name, limits, mostItems, footprint] = kernel;
  visitEach(visit, name, limits, mostItems, footprint);
}

template <Of<ProgramBuilt> Type, class Visit> void visitFields(Type& built, Visit&& visit) {
  auto& [state, log, kernels] = built;
  visitEach(visit, state, log, kernels);
}

} // namespace clotho::cluster
