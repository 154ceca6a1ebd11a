// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "node/fabric/addresses.hpp"

#include "base/text_file.hpp"

#include <arpa/inet.h>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <ifaddrs.h>
#include <memory>
#include <netdb.h>
#include <sys/socket.h>

namespace clotho::node {

namespace {

UniqueFd tcpSocket() {
  return aboveLowNumbers(makeFd([] { return socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0); }));
}

const sockaddr* plain(const sockaddr_in& address) { return reinterpret_cast<const sockaddr*>(&address); }

/// The first interface that `fits`, which gets its name and its address.
template <class Fits> bool findInterface(Fits&& fits) {
  ifaddrs* list = nullptr;
  if (getifaddrs(&list) != 0) return false;
  const std::unique_ptr<ifaddrs, decltype(&freeifaddrs)> owner(list, &freeifaddrs);
  for (; list; list = list->ifa_next)
    if (list->ifa_addr && list->ifa_addr->sa_family == AF_INET &&
        fits(list->ifa_name, reinterpret_cast<const sockaddr_in*>(list->ifa_addr)->sin_addr))
      return true;
  return false;
}

} // namespace

std::optional<HostPort> parseHostPort(std::string_view text) {
  HostPort result;
  const std::size_t colon = text.find(':');
  result.host = text.substr(0, colon);
  constexpr std::string_view kOfNames = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-_";
  if (result.host.empty() || result.host.find_first_not_of(kOfNames) != std::string::npos) return std::nullopt;
  if (colon == std::string_view::npos) return result;
  const std::string_view digits = text.substr(colon + 1);
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), result.port);
  if (error != std::errc() || end != digits.data() + digits.size()) return std::nullopt;
  return result;
}

std::optional<std::vector<HostPort>> parseHosts(std::string_view text) {
  std::vector<HostPort> result;
  for (const std::string_view word : split(text, ',')) {
    const std::optional<HostPort> host = parseHostPort(word);
    if (!host || host->port == 0) return std::nullopt;
    result.push_back(*host);
  }
  if (result.empty()) return std::nullopt;
  return result;
}

std::optional<in_addr> resolve(const std::string& host) {
  addrinfo hints{};
  hints.ai_family = AF_INET;
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  if (getaddrinfo(host.c_str(), nullptr, &hints, &found) != 0 || !found) return std::nullopt;
  const in_addr result = reinterpret_cast<const sockaddr_in*>(found->ai_addr)->sin_addr;
  freeaddrinfo(found);
  return result;
}

std::string textOf(const sockaddr_in& address) {
  char text[INET_ADDRSTRLEN] = {};
  inet_ntop(AF_INET, &address.sin_addr, text, sizeof text);
  return std::string(text) + ':' + std::to_string(ntohs(address.sin_port));
}

sockaddr_in socketAddress(in_addr address, std::uint16_t port) {
  sockaddr_in result{};
  result.sin_family = AF_INET;
  result.sin_addr = address;
  result.sin_port = htons(port);
  return result;
}

// Connecting a datagram socket sends nothing and makes the system choose the way.
std::optional<in_addr> ownAddressTowards(in_addr other) {
  constexpr std::uint16_t kAnyPort = 9;
  const UniqueFd probe(socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  const sockaddr_in target = socketAddress(other, kAnyPort);
  if (!probe || connect(probe.get(), plain(target), sizeof target) != 0) return std::nullopt;
  return ownAddressOf(probe.get()).sin_addr;
}

std::string interfaceOf(in_addr address) {
  std::string result;
  findInterface([&](const char* name, in_addr its) {
    if (its.s_addr != address.s_addr) return false;
    result = name;
    return true;
  });
  // All of 127.0.0.0/8 is the loopback interface, which has one address of them.
  constexpr std::uint32_t kLoopbackNet = 127;
  if (result.empty() && ntohl(address.s_addr) >> 24 == kLoopbackNet) result = "lo";
  return result;
}

std::optional<in_addr> addressOf(const std::string& interface) {
  std::optional<in_addr> result;
  findInterface([&](const char* name, in_addr its) {
    if (interface != name) return false;
    result = its;
    return true;
  });
  return result;
}

UniqueFd listenAt(const sockaddr_in& address) {
  constexpr int kBacklog = 64, kOn = 1;
  UniqueFd fd = tcpSocket();
  if (!fd) return {};
  setsockopt(fd.get(), SOL_SOCKET, SO_REUSEADDR, &kOn, sizeof kOn);
  if (bind(fd.get(), plain(address), sizeof address) != 0 || listen(fd.get(), kBacklog) != 0) return {};
  return fd;
}

UniqueFd beginToConnect(const sockaddr_in& address) {
  UniqueFd fd = tcpSocket();
  if (fd && connect(fd.get(), plain(address), sizeof address) != 0 && errno != EINPROGRESS) return {};
  return fd;
}

sockaddr_in ownAddressOf(int socket) {
  sockaddr_in result{};
  socklen_t size = sizeof result;
  getsockname(socket, reinterpret_cast<sockaddr*>(&result), &size);
  return result;
}

} // namespace clotho::node
