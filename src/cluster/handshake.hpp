// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "base/unique_fd.hpp"
#include "cluster/token.hpp"

#include <cstdint>
#include <string_view>
#include <sys/types.h>

/// How a program and its node find each other on one machine, and make sure of each other before either looks at
/// anything else that the other one says.
namespace clotho::cluster {

/// A socket at which programs find a node of this name; empty, with errno set, if it cannot be had.
UniqueFd listenAs(std::string_view name);
/// A connection to the node of this name; empty, with errno set, if there is none.
UniqueFd connectTo(std::string_view name);

/// The process at the other end of a connection, as the system knows it.
struct Peer {
  pid_t process = 0;
  bool isOfSameUser = false;
};
Peer peerOf(int socket) noexcept;

enum class Verdict : std::uint8_t {
  Refused,      ///< another token
  OtherVersion, ///< of messages
  Welcome,
  Silent, ///< no answer, or none that makes sense, in kPatienceMs
};

/// How long one side waits for the other to go on with setting up a connection, in ms.
inline constexpr int kPatienceMs = 2000;
/// How long a program waits for a session or for counts, which its node may have to ask of another one, in ms. The node
/// gives up earlier.
inline constexpr int kAnswerPatienceMs = 15'000;

/// The program's part: shows the token and the version, and hears what the node says of them.
Verdict introduce(int socket, const Token& token) noexcept;
/// The node's part: reads 48 bytes and no more unless they have the token, and answers.
Verdict admit(int socket, const Token& token) noexcept;

} // namespace clotho::cluster
