// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Statements without control flow of their own.
#include "generator.hpp"
#include "printer.hpp"

namespace clotho::fuzz {

Type Generator::someType() { return random_.pick(palette_); }

Type Generator::someInteger() {
  for (;;)
    if (const Type type = someType(); !type.isFloat()) return type;
}

std::string Generator::foldFunction(Type type) {
  const std::string name = "fold_" + type.name();
  folds_[type.name()] = type;
  return name + "_" + std::to_string(seed_);
}

void Generator::fold(Block& to, Expression value) {
  const std::string h = "h" + std::to_string(random_.below(inKernel_ ? 4 : 1));
  const std::string amount = std::to_string(random_.between(1, 20));
  to.push_back({h + " = rotate(" + h + ", " + amount + "UL) + " + foldFunction(value.type) + "($0);",
                {std::move(value)},
                {},
                false,
                0});
}

void Generator::fold(Block& to, const Variable& variable) {
  if (variable.length == 0 || random_.percent(30)) return fold(to, inside(variable));
  // All of an array, in a loop.
  Variable element = variable;
  const std::string i = fresh("i");
  element.text += variable.rows ? "[" + i + " & " + std::to_string(variable.rows - 1) + "][" + i + " / " +
                                      std::to_string(variable.rows) + "]"
                                : "[" + i + "]";
  const int length = variable.length * (variable.rows ? variable.rows : 1);
  element.length = element.rows = 0;
  Block body;
  fold(body, inside(element));
  to.push_back({"for (uint " + i + " = 0; " + i + " < " + std::to_string(length) + "; " + i + "++) @0",
                {},
                {std::move(body)},
                false,
                0});
}

Block Generator::block(const Flow& flow, int statements) {
  Block result;
  const std::size_t before = scope_.size();
  for (int i = 0; i < statements; ++i)
    statement(result, flow);
  // What was declared here ends here: it must show in the checksum.
  for (std::size_t i = before; i < scope_.size(); ++i)
    if (random_.percent(50)) {
      const Variable variable = scope_[i];
      fold(result, variable);
    }
  scope_.resize(before);
  return result;
}

void Generator::statement(Block& to, const Flow& flow) {
  repeat_ = flow.repeat;
  if (budget_-- <= 0) return assignment(to, flow);
  const int dice = random_.below(100);
  if (flow.barriers && flow.uniform && dice < 35) return groupStatement(to, flow);
  if (dice < 43 && flow.depth < 4) return control(to, flow);
  if (dice < 53) return declaration(to, flow);
  if (dice < 62 && !helpers_.empty()) return call(to, flow);
  if (dice < 66) return sideEffects(to);
  if (dice < 73 && !stores_.empty()) return storing(to);
  if (dice < 77 && inKernel_) return random_.percent(50) ? ownAtomic(to) : sharedAtomic(to);
  if (dice < 80 && group_ && inKernel_ && !counters_.empty()) return localAtomic(to);
  if (dice < 86) return leave(to, flow);
  if (dice < 89)
    if (auto value = place(false)) return fold(to, std::move(*value));
  if (dice < 95) return updating(to);
  assignment(to, flow);
}

void Generator::declaration(Block& to, const Flow& flow) {
  const int dice = random_.below(100);
  if (dice < 18) return declareArray(to);
  if (dice < 32 && !structures_.empty()) return declareStructure(to);
  declareValue(to, someType(), flow.uniform && inKernel_ && random_.percent(35));
}

void Generator::declareValue(Block& to, Type type, bool uniform) {
  Expression value = uniform ? uniformly(type, deep()) : expression(type, deep());
  value = bounded(std::move(value));
  const bool isVolatile = random_.percent(4);
  const std::string name = fresh(uniform ? "u" : isVolatile ? "w" : "v"); // no pointer goes to a w
  to.push_back({std::string(isVolatile ? "volatile " : "") + type.name() + " " + name + " = $0;",
                {std::move(value)},
                {},
                false,
                0});
  scope_.push_back({name, type, 0, 0, -1, uniform, true});
}

void Generator::declareArray(Block& to) {
  static const std::vector<int> kLengths = {2, 4, 8, 16};
  Variable variable{fresh("a"), someType(), random_.pick(kLengths), 0, -1, false, true};
  if (variable.type.bytes() > 16 && variable.length > 4) variable.length = 4;
  const std::string type = variable.type.name();
  std::string head = type + " " + variable.text;
  if (random_.percent(20) && variable.length <= 4) {
    variable.rows = 4;
    head += "[4]";
  }
  head += "[" + std::to_string(variable.length) + "]";
  const std::string i = fresh("i");
  Expression value = leaf(variable.type);
  if (variable.type.isFloat()) value = literal(variable.type);
  Statement statement;
  if (variable.rows) {
    const std::string j = fresh("j");
    statement.pattern = head + ";\nfor (int " + i + " = 0; " + i + " < 4; " + i + "++)\n  for (int " + j + " = 0; " +
                        j + " < " + std::to_string(variable.length) + "; " + j + "++) " + variable.text + "[" + i +
                        "][" + j + "] = $0;";
    statement.expressions = {std::move(value)};
  } else if (random_.percent(40)) {
    statement.pattern = head + " = {";
    for (int k = 0; k < variable.length; ++k) {
      statement.pattern += k ? ", " : "";
      statement.pattern += k < 4 ? "$" + std::to_string(k) : print(literal(variable.type));
      if (k < 4)
        statement.expressions.push_back(variable.type.isFloat() ? literal(variable.type) : leaf(variable.type));
    }
    statement.pattern += "};";
  } else {
    const std::string change = variable.type.isFloat() ? ""
                               : variable.type.scalar()
                                   ? " ^ (" + type + ")" + i
                                   : " ^ (" + type + ")((" + variable.type.element().name() + ")" + i + ")";
    statement.pattern = head + ";\nfor (uint " + i + " = 0; " + i + " < " + std::to_string(variable.length) + "; " + i +
                        "++) " + variable.text + "[" + i + "] = $0" + change + ";";
    statement.expressions = {std::move(value)};
  }
  to.push_back(std::move(statement));
  scope_.push_back(variable);
}

/// "{...}" for a structure, its values taken from variables; at most ten of them, then literals.
std::string Generator::structureInitialiser(int structure, std::vector<Expression>& operands) {
  std::string text = "{";
  bool first = true;
  const auto value = [&](Type type) {
    if (operands.size() == 10 || type.isFloat()) return print(literal(type));
    operands.push_back(leaf(type));
    return "$" + std::to_string(operands.size() - 1);
  };
  for (const Field& field : structures_[std::size_t(structure)].fields) {
    if (!first) text += ", ";
    first = false;
    if (field.structure >= 0) {
      text += structureInitialiser(field.structure, operands);
    } else if (field.length) {
      text += "{";
      for (int i = 0; i < field.length; ++i)
        text += (i ? ", " : "") + value(field.type);
      text += "}";
    } else {
      text += value(field.type);
    }
  }
  return text + "}";
}

void Generator::declareStructure(Block& to) {
  const int structure = random_.below(int(structures_.size()));
  const std::string& type = structures_[std::size_t(structure)].name;
  Variable variable{fresh("s"), {}, 0, 0, structure, false, true};
  Statement statement;
  if (random_.percent(40)) {
    variable.length = random_.percent(50) ? 2 : 4;
    const std::string i = fresh("i");
    statement.pattern = type + " " + variable.text + "[" + std::to_string(variable.length) + "];\nfor (int " + i +
                        " = 0; " + i + " < " + std::to_string(variable.length) + "; " + i + "++) {\n  " + type + " t" +
                        i + " = " + structureInitialiser(structure, statement.expressions) + ";\n  " + variable.text +
                        "[" + i + "] = t" + i + ";\n}";
  } else {
    std::vector<const Source*> sources;
    for (const Source& source : sources_)
      if (source.structures && source.structure == structure) sources.push_back(&source);
    if (!sources.empty() && random_.percent(70)) {
      const Source& source = *sources.front();
      statement.expressions = {index(source.elements)};
      statement.pattern = type + " " + variable.text + " = " + source.text + "[$0];";
    } else {
      statement.pattern =
          type + " " + variable.text + " = " + structureInitialiser(structure, statement.expressions) + ";";
    }
  }
  to.push_back(std::move(statement));
  scope_.push_back(variable);
}

void Generator::assignment(Block& to, const Flow& flow) {
  // A uniform variable stays so: uniform values where all pass.
  if (flow.uniform && inKernel_ && random_.percent(20)) {
    std::vector<const Variable*> fitting;
    for (const Variable& variable : scope_)
      if (variable.uniform && variable.writable) fitting.push_back(&variable);
    if (!fitting.empty()) {
      const Variable variable = *random_.pick(fitting);
      if (!variable.type.isFloat()) {
        to.push_back({variable.text + " = $0;", {uniformly(variable.type, deep())}, {}, false, 0});
        return;
      }
    }
  }
  // Whole structures.
  if (random_.percent(8)) {
    for (std::size_t i = 0; i < scope_.size(); ++i)
      for (std::size_t j = i + 1; j < scope_.size(); ++j) {
        const Variable a = scope_[i];
        const Variable b = scope_[j];
        if (a.structure < 0 || a.structure != b.structure || !a.writable || !b.writable) continue;
        Statement statement{"", {}, {}, false, 0};
        const auto whole = [&](const Variable& variable) {
          if (!variable.length) return variable.text;
          statement.expressions.push_back(index(variable.length));
          return variable.text + "[$" + std::to_string(statement.expressions.size() - 1) + "]";
        };
        const std::string left = whole(random_.percent(50) ? a : b);
        statement.pattern = left + " = " + whole(random_.percent(50) ? a : b) + ";";
        if (random_.percent(60)) {
          to.push_back(std::move(statement));
          return;
        }
      }
  }
  auto target = place(true);
  if (!target) return declareValue(to, someType(), false);
  Type type = target->type;
  std::string pattern = "$0";
  if (!type.scalar() && random_.percent(40)) { // some components
    static const std::vector<int> kSizes = {1, 2, 3, 4, 8};
    int count = random_.pick(kSizes);
    if (count > type.n) count = 1;
    pattern += swizzle(type.n, count, true);
    type.n = count;
  }
  if (type.isFloat()) {
    to.push_back({pattern + " = $1;", {std::move(*target), bounded(expression(type, deep()))}, {}, false, 0});
    return;
  }
  static const std::vector<std::string> kCompound = {"^=", "|=", "&=", "+=", "-=", "*=", "<<=", ">>="};
  const int dice = random_.below(100);
  if (dice < 25 && type.isUnsigned() && (type.bits() >= 32 || !type.scalar())) {
    to.push_back({pattern + " " + random_.pick(kCompound) + " $1;",
                  {std::move(*target), expression(type, deep())},
                  {},
                  false,
                  0});
  } else if (dice < 35) {
    to.push_back({pattern + " ^= $1;", {std::move(*target), expression(type, deep())}, {}, false, 0});
  } else {
    to.push_back({pattern + " = $1;", {std::move(*target), expression(type, deep())}, {}, false, 0});
  }
}

/// Values that change in the middle of a statement, each between sequence points.
void Generator::sideEffects(Block& to) {
  std::vector<Variable> fitting;
  for (const Variable& variable : scope_)
    if (variable.writable && !variable.uniform && !variable.length && variable.structure < 0 &&
        variable.type.scalar() && !variable.type.isFloat())
      fitting.push_back(variable);
  if (fitting.size() < 3) return declareValue(to, someInteger().element(), false);
  const std::size_t first = std::size_t(random_.below(int(fitting.size()) - 2));
  const Variable& x = fitting[first];
  const Variable& y = fitting[first + 1];
  const Variable& z = fitting[first + 2];
  Expression a = expression(y.type, deep());
  Expression b = expression(z.type, deep());
  Expression c = condition(deep());
  switch (random_.below(5)) {
  case 0:
    to.push_back({x.text + " = $0 ? (" + y.text + " = $1) : (" + z.text + " = $2);", {c, a, b}, {}, false, 0});
    break;
  case 1:
    to.push_back(
        {x.text + " = ($0 && ((" + y.text + " = $1) & 1)) || ((" + z.text + " = $2) & 2);", {c, a, b}, {}, false, 0});
    break;
  case 2:
    to.push_back({"if ($0 || ((" + y.text + " = $1), (" + y.text + " & 1) != 0)) " + z.text + " = $2; else " + x.text +
                      " = " + "(" + x.type.name() + ")" + y.text + ";",
                  {c, a, b},
                  {},
                  false,
                  0});
    break;
  case 3:
    if (y.type.isUnsigned() && y.type.bits() >= 32) {
      to.push_back(
          {x.text + " = " + y.text + "++ > $0 ? (" + x.type.name() + ")" + y.text + " : (" + x.type.name() + ")$1;",
           {literal(y.type), b},
           {},
           false,
           0});
      break;
    }
    [[fallthrough]];
  default:
    to.push_back({x.text + " = (" + y.text + " = $0, " + z.text + " = $1, " + "(" + x.type.name() + ")(" + y.text +
                      " ^ " + z.text + "));",
                  {a, b},
                  {},
                  false,
                  0});
    break;
  }
}

void Generator::storing(Block& to) {
  const Store store = random_.pick(stores_);
  const Type type = store.type;
  if (type.scalar() && store.order == Store::Order::Adjacent && store.slots > 1 && random_.percent(75)) {
    const int n = store.slots == 4 && random_.percent(40) ? 3 : store.slots;
    to.push_back({"vstore" + std::to_string(n) + "($0, " +
                      (n == store.slots && random_.percent(60)
                           ? ownIndex() + ", " + store.text
                           : "0, " + store.text + " + " + ownIndex() + " * " + std::to_string(store.slots)) +
                      ");",
                  {expression(type.with(n), deep())},
                  {},
                  false,
                  0});
    return;
  }
  if (random_.percent(25)) {
    if (auto target = place(true)) {
      const Type wanted = target->type;
      if (!wanted.isFloat()) {
        to.push_back({"$0 = $1;", {std::move(*target), coerced(own(store), wanted)}, {}, false, 0});
        return;
      }
    }
  }
  std::string component;
  Type value = type;
  if (!type.scalar() && random_.percent(25)) {
    component = swizzle(type.n, 1, true);
    value = type.element();
  }
  to.push_back({"$0" + component + " = $1;", {own(store), expression(value, deep())}, {}, false, 0});
}

/// On memory of the work-item's own: the old value is defined too.
void Generator::ownAtomic(Block& to) {
  static const std::vector<std::string> kOperations = {"add", "sub", "xchg", "min", "max", "and", "or", "xor"};
  const Type u{Base::UInt, 1};
  const std::string at =
      "&own[" + std::string(random_.percent(50) ? "gid * 2 + " : "sid * 2 + ") + std::to_string(random_.below(2)) + "]";
  std::string pattern;
  std::vector<Expression> operands = {expression(u, deep())};
  if (random_.percent(20)) {
    pattern = "atomic_cmpxchg(" + at + ", own[gid * 2 + " + std::to_string(random_.below(2)) + "], $0)";
  } else if (random_.percent(15)) {
    pattern = random_.percent(50) ? "atomic_inc(" + at + ")" : "atomic_dec(" + at + ")";
  } else {
    pattern = "atomic_" + random_.pick(kOperations) + "(" + at + ", $0)";
  }
  const std::string name = fresh("v");
  to.push_back({"uint " + name + " = " + pattern + ";", std::move(operands), {}, false, 0});
  scope_.push_back({name, u, 0, 0, -1, false, true});
}

/// On counters that only the host reads: eight of each kind.
void Generator::sharedAtomic(Block& to) {
  const Type u{Base::UInt, 1};
  const int kind = random_.below(6);
  static const std::vector<std::string> kNames = {"add", "xor", "or", "and", "min", "max"};
  Expression where = maskedIndex(8);
  Expression value = expression(u, deep());
  const std::string at = "&counters[" + std::to_string(kind * 8) + " + $0]";
  std::string name = kNames[std::size_t(kind)];
  if (generic_ && random_.percent(40)) {
    const std::string of =
        random_.percent(50) ? "memory_order_relaxed, memory_scope_device" : "memory_order_acq_rel, memory_scope_device";
    to.push_back({"atomic_fetch_" + name + "_explicit((volatile global atomic_uint*)" + at + ", $1, " + of + ");",
                  {where, value},
                  {},
                  false,
                  0});
    return;
  }
  if (kind == 0 && random_.percent(50)) {
    static const std::vector<std::string> kForms = {"atomic_inc(%)", "atomic_dec(%)", "atomic_sub(%, $1)"};
    std::string form = random_.pick(kForms);
    form.replace(form.find('%'), 1, at);
    to.push_back({form + ";", {where, value}, {}, false, 0});
    return;
  }
  if (kind >= 4 && random_.percent(40)) { // signed, on counters of their own
    const Type i{Base::Int, 1};
    to.push_back({"atomic_" + name + "((global int*)&counters[" + std::to_string(kind * 8 + 16) + " + $0], $1);",
                  {where, expression(i, deep())},
                  {},
                  false,
                  0});
    return;
  }
  to.push_back({"atomic_" + name + "(" + at + ", $1);", {where, value}, {}, false, 0});
}

void Generator::leave(Block& to, const Flow& flow) {
  std::vector<std::string> ways;
  if (flow.mayBreak && (!flow.loopUniform || flow.uniform)) ways.emplace_back("break;");
  if (flow.mayContinue && (!flow.loopUniform || flow.uniform)) ways.emplace_back("continue;");
  if (flow.mayReturn && random_.percent(65)) ways.push_back(returning_);
  if (ways.empty()) return assignment(to, flow);
  const std::string& way = random_.pick(ways);
  const bool uniform = flow.loopUniform || (group_ && inKernel_ && flow.barriers);
  Statement statement{"if ($0) " + way, {}, {}, false, 0};
  statement.expressions.push_back(conditionFor(uniform));
  if (way.find("$1") != std::string::npos) statement.expressions.push_back(expression(resultType_, 1));
  to.push_back(std::move(statement));
}

} // namespace clotho::fuzz
