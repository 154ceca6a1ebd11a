// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "printer.hpp"

#include <algorithm>

namespace clotho::fuzz {
namespace {

bool isDigit(char c) { return c >= '0' && c <= '9'; }

void print(std::string& out, const Expression& expression) {
  const std::string& pattern = expression.pattern;
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    if (pattern[i] == '$' && i + 1 < pattern.size() && isDigit(pattern[i + 1]))
      print(out, expression.operands.at(std::size_t(pattern[++i] - '0')));
    else
      out += pattern[i];
  }
}

void print(std::string& out, const Block& block, int indent);

void print(std::string& out, const Statement& statement, int indent) {
  const std::string margin(std::size_t(indent) * 2, ' ');
  const std::string& pattern = statement.pattern;
  out += margin;
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    const bool names = i + 1 < pattern.size() && isDigit(pattern[i + 1]);
    if (pattern[i] == '$' && names) {
      print(out, statement.expressions.at(std::size_t(pattern[++i] - '0')));
    } else if (pattern[i] == '@' && names) {
      // Indented as the line that it begins on.
      const std::size_t line = out.rfind('\n') + 1;
      const std::size_t spaces = std::min(out.find_first_not_of(' ', line), out.size()) - line;
      out += "{\n";
      print(out, statement.blocks.at(std::size_t(pattern[++i] - '0')), int(spaces / 2) + 1);
      out += std::string(spaces, ' ') + "}";
    } else {
      out += pattern[i];
      if (pattern[i] == '\n') out += margin;
    }
  }
  out += '\n';
}

void print(std::string& out, const Block& block, int indent) {
  for (const Statement& statement : block)
    print(out, statement, indent);
}

} // namespace

std::string print(const Block& block, int indent) {
  std::string out;
  print(out, block, indent);
  return out;
}

std::string print(const Expression& expression) {
  std::string out;
  print(out, expression);
  return out;
}

std::string print(const Program& program) { return print(program.units); }

std::string describe(const Size3& size, int dimensions) {
  if (size[0] == 0) return "any";
  std::string text = std::to_string(size[0]);
  for (int i = 1; i < dimensions; ++i)
    text += "x" + std::to_string(size[std::size_t(i)]);
  return text;
}

std::string describe(const Launch& launch) {
  std::string text = "global size " + describe(launch.global, launch.dimensions);
  if (launch.offset != Size3{}) {
    text += ", offset";
    for (int i = 0; i < launch.dimensions; ++i)
      text += " " + std::to_string(launch.offset[std::size_t(i)]);
  }
  text += ", local sizes";
  for (const Size3& local : launch.locals)
    text += " " + describe(local, launch.dimensions);
  text += launch.dependsOnLocal ? " (each has its own result)" : " (all with one result)";
  text += "\narguments:";
  for (const Argument& argument : launch.arguments)
    text += " " + argument.name + " (" + std::to_string(argument.bytes) + " bytes)";
  return text;
}

} // namespace clotho::fuzz
