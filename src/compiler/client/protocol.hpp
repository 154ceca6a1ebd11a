// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "compiler/compiler.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

/// The protocol between libclotho and the compiler process.
///
/// The control socket (SOCK_SEQPACKET) carries one `Hello` from the server and one message for each request from the
/// client, with the socket of that request (SOCK_STREAM, SCM_RIGHTS). That socket carries one frame each way: a
/// serialised BuildRequest, and, after a byte that says that the request was accepted, a serialised BuildResult.
/// Everything stays on one machine, so numbers are in its byte order.
namespace clotho {

/// Changes whenever serialised data (fields.hpp, abi/cpu_facts.hpp) or the contents of portable modules change:
/// compiler and client of different versions must notice.
inline constexpr std::uint32_t kProtocolVersion = 39;

/// The descriptor at which the compiler process finds its control socket.
inline constexpr int kControlFd = 3;

std::string serialise(const BuildRequest& request);
std::optional<BuildRequest> parseRequest(std::string_view bytes);

/// Serialises all fields but `objectPath`, which belongs to one machine's cache, and `seconds`.
std::string serialise(const BuildResult& result);
std::optional<BuildResult> parseResult(std::string_view bytes);

/// Serialises a result without its object and portable module, for files that store those in another form.
std::string serialiseDescription(const BuildResult& result);
std::optional<BuildResult> parseDescription(std::string_view bytes);

/// The server's first and only message on the control socket: it is ready, or why it never will be. Of a server of
/// another version only the version is valid: its position never changes.
struct Hello {
  std::uint32_t version = kProtocolVersion;
  bool ready = false;
  std::string reason; ///< why it will never be, or if it is, what it has to do without
};
std::string serialise(const Hello& hello);
std::optional<Hello> parseHello(std::string_view bytes);

/// Header of a serialised message on a stream.
struct FrameHeader {
  std::uint32_t magic;
  std::uint32_t version;
  std::uint64_t size;
  std::uint64_t checksum; ///< XXH3-64 of what follows: an answer cut short and continued by another must not pass

  static FrameHeader of(std::string_view payload);
  bool plausible() const;
  bool matches(std::string_view payload) const;
};

} // namespace clotho
