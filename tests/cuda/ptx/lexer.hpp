// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string_view>

namespace ptx {

/// Divides PTX into tokens: words (with their dots, so that an opcode and its modifiers, or a directive, are one),
/// numbers, strings, and single characters of punctuation. Comments are skipped.
class Lexer {
 public:
  explicit Lexer(std::string_view text) : text_(text) { advance(); }

  std::string_view peek() const { return token_; }
  bool isAtEnd() const { return token_.empty(); }
  int line() const { return line_; }
  std::string_view next() {
    const std::string_view token = token_;
    advance();
    return token;
  }
  bool take(std::string_view token) {
    if (token_ != token) return false;
    advance();
    return true;
  }
  /// Throws ParseError if the next token is another.
  void expect(std::string_view token);
  /// Skips the rest of the line, which belongs to a directive for debuggers.
  void skipLine();

 private:
  void advance();

  std::string_view text_, token_;
  std::size_t at_ = 0;
  int line_ = 1, nextLine_ = 1;
};

} // namespace ptx
