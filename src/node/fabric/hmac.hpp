// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

namespace clotho::node {

using Mac = std::array<std::uint8_t, 32>;

/// HMAC with SHA-256 (RFC 2104) of a text. `key`: at most 64 bytes.
Mac hmac(std::span<const std::uint8_t> key, std::string_view text);

/// Takes as long wherever they differ.
bool areEqual(const Mac& one, const Mac& other) noexcept;

} // namespace clotho::node
