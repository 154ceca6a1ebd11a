// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/transform/lower/builtin_names.hpp"

#include <llvm/ADT/StringSwitch.h>

namespace clotho::compiler {

using llvm::StringRef;

char elementCode(StringRef mangled) {
  if (mangled.consume_front("Dv")) {
    unsigned count = 0;
    mangled.consumeInteger(10, count);
    mangled.consume_front("_");
  }
  if (mangled.starts_with("Dh")) return 'H';
  return mangled.empty() ? 'v' : mangled.front();
}

Combination combinationOf(StringRef name, char element) {
  const bool isReal = element == 'f' || element == 'd' || element == 'H';
  const bool isUnsigned = element == 'h' || element == 't' || element == 'j' || element == 'm';
  const auto choose = [&](Combination real, Combination whole, Combination natural) {
    return isReal ? real : isUnsigned ? natural : whole;
  };
  if (name == "add") return isReal ? Combination::FAdd : Combination::Add;
  if (name == "mul") return isReal ? Combination::FMul : Combination::Mul;
  if (name == "min") return choose(Combination::FMin, Combination::SMin, Combination::UMin);
  if (name == "max") return choose(Combination::FMax, Combination::SMax, Combination::UMax);
  return llvm::StringSwitch<Combination>(name)
      .Case("and", Combination::And)
      .Case("or", Combination::Or)
      .Case("xor", Combination::Xor)
      .Default(Combination::None);
}

} // namespace clotho::compiler
