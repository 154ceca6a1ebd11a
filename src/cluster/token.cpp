// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cluster/token.hpp"

#include "base/unique_fd.hpp"

#include <charconv>
#include <sys/random.h>

namespace clotho::cluster {

std::optional<Token> Token::make() noexcept {
  Token token;
  const ssize_t got = retryInterrupted([&] { return getrandom(token.bytes_.data(), kBytes, 0); });
  if (got != static_cast<ssize_t>(kBytes)) return std::nullopt;
  return token;
}

std::optional<Token> Token::parse(std::string_view text) noexcept {
  if (text.size() != 2 * kBytes) return std::nullopt;
  Token token;
  for (std::size_t i = 0; i < kBytes; ++i) {
    const char* const digits = text.data() + 2 * i;
    const auto [end, error] = std::from_chars(digits, digits + 2, token.bytes_[i], 16);
    if (error != std::errc() || end != digits + 2) return std::nullopt;
  }
  return token;
}

std::string Token::text() const {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string result;
  for (const std::uint8_t byte : bytes_) {
    result += kDigits[byte >> 4];
    result += kDigits[byte & 15];
  }
  return result;
}

bool Token::equals(const Token& other) const noexcept {
  volatile std::uint8_t difference = 0;
  for (std::size_t i = 0; i < kBytes; ++i)
    difference = difference | (bytes_[i] ^ other.bytes_[i]);
  return difference == 0;
}

} // namespace clotho::cluster
