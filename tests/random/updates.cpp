// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Statements that read memory, overwrite it under a condition, and leave to what follows what was there before.
#include "generator.hpp"

namespace clotho::fuzz {

/// Memory or a variable: an element of the work-item's own in a buffer more often than others.
std::optional<Expression> Generator::changeable() {
  if (!stores_.empty() && random_.percent(65)) return own(random_.pick(stores_));
  return place(true);
}

/// Another one of the same type, or the same one where none is found soon.
Expression Generator::changeableLike(const Expression& like) {
  constexpr int kTries = 6;
  for (int i = 0; i < kTries; ++i)
    if (auto found = changeable(); found && found->type == like.type) return std::move(*found);
  return like;
}

void Generator::updating(Block& to) {
  auto found = changeable();
  if (!found) return declareValue(to, someType(), false);
  const Expression& where = *found;
  const Type type = where.type;
  const std::string name = fresh("v");
  const auto value = [&] { return bounded(expression(type, deep())); };
  if (random_.percent(35)) {
    Expression other = changeableLike(where);
    to.push_back({"if ($0) {\n  " + type.name() + " " + name + " = $1;\n  $2 = $3;\n  $4 = " + name + ";\n}",
                  {condition(deep()), where, where, other, other},
                  {},
                  false,
                  0});
    return;
  }
  std::string update = "if ($1) {\n  " + name + " = $2;\n  $3 = $4" +
                       (!type.isFloat() && random_.percent(30) ? " ^ " + name : "") + ";\n}";
  if (random_.percent(20)) update += " else {\n  " + name + " = $5;\n}";
  if (repeat_ < 16 && random_.percent(25)) {
    const std::string i = fresh("i");
    update = "for (uint " + i + " = 0; " + i + " < 3; " + i + "++)\n  " + update;
  }
  Expression again = random_.percent(75) ? where : changeableLike(where);
  to.push_back({type.name() + " " + name + " = $0;\n" + update,
                {value(), condition(deep()), where, std::move(again), value(), value()},
                {},
                false,
                0});
  scope_.push_back({name, type, 0, 0, -1, false, true});
}

} // namespace clotho::fuzz
