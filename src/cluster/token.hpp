// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace clotho::cluster {

/// The secret that a node shares with the programs that may use it.
class Token {
 public:
  static constexpr std::size_t kBytes = 32;

  /// A fresh one; nothing if the system has no random numbers.
  static std::optional<Token> make() noexcept;
  /// Reads 64 hexadecimal digits.
  static std::optional<Token> parse(std::string_view text) noexcept;
  static Token of(const std::array<std::uint8_t, kBytes>& bytes) noexcept { return Token(bytes); }

  std::string text() const;
  const std::array<std::uint8_t, kBytes>& bytes() const { return bytes_; }
  /// Takes as long whatever differs.
  bool equals(const Token& other) const noexcept;

 private:
  Token() = default;
  explicit Token(const std::array<std::uint8_t, kBytes>& bytes) : bytes_(bytes) {}

  std::array<std::uint8_t, kBytes> bytes_{};
};

} // namespace clotho::cluster
