// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "base/unique_fd.hpp"

#include <cstdint>
#include <netinet/in.h>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// Addresses of nodes in networks: IPv4, since the TCP of UCX 1.13 knows no other.
namespace clotho::node {

/// Port of a node that is a service, where none is named.
inline constexpr std::uint16_t kServicePort = 24912;

struct HostPort {
  std::string host;
  std::uint16_t port = kServicePort;
};

/// Reads HOST or HOST:PORT; nothing if it is neither.
std::optional<HostPort> parseHostPort(std::string_view text);
/// Reads such ones with commas between; nothing if one of them makes no sense, or if there is none.
std::optional<std::vector<HostPort>> parseHosts(std::string_view text);

/// Finds a host by its name or number, which may take as long as the system's resolver does.
std::optional<in_addr> resolve(const std::string& host);
std::string textOf(const sockaddr_in& address);
sockaddr_in socketAddress(in_addr address, std::uint16_t port);

/// This machine's own address on the way to another one; nothing without a route.
std::optional<in_addr> ownAddressTowards(in_addr other);
/// The interface that has this address; empty if there is none.
std::string interfaceOf(in_addr address);
/// An interface's first address.
std::optional<in_addr> addressOf(const std::string& interface);

/// Listens at this address and no other one. Empty, with errno set, if that cannot be.
UniqueFd listenAt(const sockaddr_in& address);
/// A connection that is not made yet: writable once it is. Empty, with errno set, if that cannot be.
UniqueFd beginToConnect(const sockaddr_in& address);
/// Address of this end of a socket.
sockaddr_in ownAddressOf(int socket);

} // namespace clotho::node
