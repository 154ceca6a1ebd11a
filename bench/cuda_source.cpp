// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cuda_source.hpp"

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <regex>
#include <sstream>
#include <string_view>
#include <utility>
#include <vector>

namespace bench {

namespace {

bool isLetter(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }

/// A word, a comment, or one character.
struct Token {
  std::string text;
  bool ofDirective = false; ///< for the preprocessor
  bool isSpace = false;     ///< or a comment, or the end of a line that goes on
  bool isWord() const { return isLetter(text.front()) && !std::isdigit(static_cast<unsigned char>(text.front())); }
};

std::vector<Token> tokensOf(const std::string& text) {
  std::vector<Token> tokens;
  bool ofDirective = false, beginsLine = true;
  for (std::size_t at = 0; at < text.size();) {
    std::size_t end = at + 1;
    const std::string_view rest = std::string_view(text).substr(at);
    bool isSpace = false;
    if (rest.starts_with("//")) {
      end = std::min(text.find('\n', at), text.size());
      isSpace = true;
    } else if (rest.starts_with("/*")) {
      end = std::min(text.find("*/", at), text.size() - 2) + 2;
      isSpace = true;
    } else if (rest.starts_with("\\\n")) {
      end = at + 2;
      isSpace = true;
    } else if (isLetter(text[at])) {
      while (end < text.size() && isLetter(text[end]))
        ++end;
    } else if (std::isspace(static_cast<unsigned char>(text[at]))) {
      isSpace = true;
    }
    if (text[at] == '#' && beginsLine) ofDirective = true;
    if (text[at] == '\n') ofDirective = false;
    beginsLine = text[at] == '\n' || (beginsLine && isSpace);
    tokens.push_back({text.substr(at, end - at), ofDirective, isSpace});
    at = end;
  }
  return tokens;
}

class Rewriter {
 public:
  explicit Rewriter(const std::string& program) : tokens_(tokensOf(program)) {}

  std::string rewritten() {
    for (at_ = 0; at_ < tokens_.size(); ++at_) {
      const Token& token = tokens_[at_];
      if (token.text == "(" && putLiteral()) continue;
      if (token.ofDirective || token.isSpace)
        result_ += token.text;
      else if (token.isWord())
        putWord(token.text);
      else
        putSign(token.text);
    }
    return std::move(result_);
  }

 private:
  /// The number of the next token from `from` on that is no space.
  std::size_t next(std::size_t from) const {
    while (from < tokens_.size() && tokens_[from].isSpace)
      ++from;
    return from;
  }
  bool is(std::size_t number, std::string_view text) const {
    return number < tokens_.size() && tokens_[number].text == text;
  }

  /// `(float4)(a, b)` would be a cast of `b`: it becomes `float4(a, b)`.
  bool putLiteral() {
    static const std::regex vector("(u?(char|short|int|long)|float|double)(2|3|4|8|16)");
    const std::size_t type = next(at_ + 1), close = next(type + 1), open = next(close + 1);
    if (!is(close, ")") || !is(open, "(") || !std::regex_match(tokens_[type].text, vector)) return false;
    result_ += tokens_[type].text;
    at_ = open - 1;
    return true;
  }

  void putWord(const std::string& word) {
    if (isBetween_) beginDeclaration(word);
    last_ = word;
    if (word == "constant")
      result_ += parentheses_ == 0 && braces_ == 0 ? "__constant__ const" : "const";
    else if (word == "global") // no macro: CUDA's own are made of this word
      return;
    else if (word == "local")
      putLocal();
    else if (word == "__attribute__")
      putAttribute();
    else
      result_ += word + std::exchange(bounds_, {});
  }

  /// Functions are for the GPU; variables outside of functions are `constant`.
  void beginDeclaration(std::string_view word) {
    isBetween_ = false;
    isKernel_ = word == "kernel";
    if (word != "kernel" && word != "constant" && word != "typedef" && word != "struct") result_ += "__device__ ";
  }

  /// An array, a pointer, or a kernel's argument.
  void putLocal() {
    std::size_t end = at_ + 1;
    while (end < tokens_.size() && (tokens_[end].isSpace || tokens_[end].isWord()))
      ++end;
    const bool isPointer = is(end, "*");
    if (!isPointer) result_ += "__shared__";
    if (!isPointer || parentheses_ == 0 || braces_ != 0 || !isKernel_) return;
    result_ += "LocalArgument<";
    for (++at_; at_ < end; ++at_)
      result_ += tokens_[at_].text;
    result_ += ">"; // in place of the star
  }

  /// `reqd_work_group_size` becomes bounds, which nvcc takes behind the function's type; other attributes are dropped.
  void putAttribute() {
    std::string text;
    int depth = 0;
    for (at_ = next(at_ + 1); at_ < tokens_.size(); ++at_) {
      text += tokens_[at_].text;
      if (is(at_, "(")) ++depth;
      if (is(at_, ")") && --depth == 0) break;
    }
    static const std::regex size(R"(\(\(reqd_work_group_size\(([^,]*),([^,]*),([^,]*)\)\)\))");
    std::smatch sizes;
    if (std::regex_match(text, sizes, size))
      bounds_ = " __launch_bounds__((" + sizes.str(1) + ") * (" + sizes.str(2) + ") * (" + sizes.str(3) + "))";
  }

  void putSign(const std::string& sign) {
    if (sign == "(") ++parentheses_;
    if (sign == ")") --parentheses_;
    if (sign == "{" && braces_++ == 0) isFunction_ = last_ == ")";
    if (sign == "}" && --braces_ == 0 && isFunction_) isBetween_ = true;
    if (sign == ";" && braces_ == 0) isBetween_ = true;
    last_ = sign;
    result_ += sign;
  }

  std::vector<Token> tokens_;
  std::size_t at_ = 0;
  std::string result_;
  std::string last_;   ///< token that was no space
  std::string bounds_; ///< to put behind the next word
  int parentheses_ = 0, braces_ = 0;
  bool isBetween_ = true; ///< functions and declarations
  bool isKernel_ = false;
  bool isFunction_ = false; ///< what the braces are of
};

} // namespace

std::string cudaSource(const std::string& program, const std::string& options) {
  std::string text;
  std::istringstream words(options);
  for (std::string word; words >> word;) {
    if (!word.starts_with("-D")) continue;
    const std::size_t equals = word.find('=');
    text +=
        "#define " + word.substr(2, equals - 2) + " " + (equals == word.npos ? "1" : word.substr(equals + 1)) + "\n";
  }
  return text + "namespace opencl {\n" + Rewriter(program).rewritten() + "\n} // namespace opencl\n";
}

} // namespace bench
