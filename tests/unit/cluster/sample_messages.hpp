// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "cluster/messages.hpp"

#include <random>
#include <string>
#include <vector>

namespace clotho::cluster::test {

/// One message of each kind, in which no field has its initial value. `base`: addresses of a window.
std::vector<ToNode> messagesToNode(std::uint64_t base);
std::vector<ToHost> messagesToHost();

template <class Message> std::string encoded(const Message& message) {
  ByteWriter out;
  FieldWriter{out}(message);
  return out.take();
}

/// The bytes of a message after an accident: other bits, other numbers, an end or a middle that is missing or too much.
std::string damaged(std::string bytes, std::mt19937& random);

} // namespace clotho::cluster::test
