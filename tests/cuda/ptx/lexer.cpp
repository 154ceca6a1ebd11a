// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lexer.hpp"

#include "module.hpp"

#include <cctype>
#include <cstddef>
#include <string>
#include <string_view>

namespace ptx {

namespace {

bool isOfWord(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '$' || c == '.' || c == '%' || c == ':';
}

} // namespace

void Lexer::expect(std::string_view token) {
  if (!take(token))
    throw ParseError{line_, "expected '" + std::string(token) + "' before '" + std::string(token_) + "'"};
}

void Lexer::skipLine() {
  const std::size_t end = text_.find('\n', at_);
  at_ = end == std::string_view::npos ? text_.size() : end;
  advance();
}

void Lexer::advance() {
  for (;;) {
    while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_])) != 0)
      nextLine_ += text_[at_++] == '\n';
    if (text_.substr(at_, 2) == "//") {
      at_ = std::min(text_.find('\n', at_), text_.size());
    } else if (text_.substr(at_, 2) == "/*") {
      const std::size_t end = text_.find("*/", at_);
      if (end == std::string_view::npos) throw ParseError{nextLine_, "a comment without end"};
      for (; at_ < end + 2; ++at_)
        nextLine_ += text_[at_] == '\n';
    } else {
      break;
    }
  }
  line_ = nextLine_;
  const std::size_t begin = at_;
  if (begin == text_.size() || text_[begin] == '\0') {
    token_ = {};
    return;
  }
  if (isOfWord(text_[begin])) {
    while (at_ < text_.size() && isOfWord(text_[at_])) {
      // "name:" is a label; "::" is part of a modifier.
      if (text_[at_] == ':') {
        if (text_.substr(at_, 2) != "::") break;
        ++at_;
      }
      ++at_;
    }
    if (at_ == begin) ++at_; // a single ':'
  } else if (text_[begin] == '"') {
    const std::size_t end = text_.find('"', begin + 1);
    if (end == std::string_view::npos) throw ParseError{line_, "a string without end"};
    at_ = end + 1;
  } else {
    ++at_;
  }
  token_ = text_.substr(begin, at_ - begin);
}

} // namespace ptx
