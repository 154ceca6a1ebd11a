// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Structures, tables of constants, functions other than the kernel.
#include "generator.hpp"

#include <algorithm>

namespace clotho::fuzz {

void Generator::structures() {
  const int count = random_.below(3);
  for (int s = 0; s < count; ++s) {
    Structure structure{"S" + std::to_string(seed_) + "_" + std::to_string(s), {}, false};
    std::string text = "typedef struct {";
    const int fields = random_.between(2, 5);
    for (int f = 0; f < fields; ++f) {
      Field field{"f" + std::to_string(f), f == 0 ? someInteger().element() : someType(), 0, -1};
      if (f > 0 && s > 0 && random_.percent(35)) {
        field.structure = random_.below(s);
        structure.floats |= structures_[std::size_t(field.structure)].floats;
        text += " " + structures_[std::size_t(field.structure)].name + " " + field.name + ";";
      } else {
        if (f > 0 && random_.percent(25) && field.type.bytes() <= 16) field.length = random_.percent(50) ? 2 : 4;
        structure.floats |= field.type.isFloat();
        text += " " + field.type.name() + " " + field.name +
                (field.length ? "[" + std::to_string(field.length) + "]" : "") + ";";
      }
      structure.fields.push_back(field);
    }
    program_.units.push_back({text + " } " + structure.name + ";", {}, {}, false, 0});
    structures_.push_back(std::move(structure));
  }
}

void Generator::constants() {
  const int count = random_.between(0, 2);
  for (int i = 0; i < count; ++i) {
    Type type = someType();
    if (type.bytes() > 16) type.n = 1;
    const int length = random_.percent(50) ? 8 : 16;
    const std::string name = "c" + std::to_string(seed_) + "_" + std::to_string(i);
    std::string text = "constant " + type.name() + " " + name + "[" + std::to_string(length) + "] = {";
    for (int k = 0; k < length; ++k) {
      std::string value = number(type.base);
      if (!type.scalar()) {
        value = "(" + type.name() + ")(" + value;
        for (int n = 1; n < type.n; ++n)
          value += ", " + number(type.base);
        value += ")";
      }
      text += (k ? ", " : "") + value;
    }
    program_.units.push_back({text + "};", {}, {}, false, 0});
    constants_.push_back({name, type, length, false, -1, true});
  }
}

void Generator::helper() {
  using Kind = Helper::Parameter::Kind;
  Helper helper{"f" + std::to_string(seed_) + "_" + std::to_string(helpers_.size()), {}, someInteger(), -1, true, 1};
  scope_.clear();
  sources_.clear();
  inKernel_ = false;
  cost_ = 1;
  std::string parameters;
  const int count = random_.between(1, 4);
  for (int i = 0; i < count; ++i) {
    Helper::Parameter parameter{Kind::Value, someType(), 0, -1};
    const std::string name = "p" + std::to_string(i);
    std::string declared = parameter.type.name() + " " + name;
    Variable variable{name, parameter.type, 0, 0, -1, false, true};
    const int dice = random_.below(100);
    if (dice < 15) {
      parameter.kind = Kind::Pointer;
      declared = parameter.type.name() + " *" + name;
      variable.text = "(*" + name + ")";
    } else if (dice < 27) {
      parameter.kind = Kind::Array;
      parameter.length = variable.length = random_.percent(50) ? 4 : 8;
      declared = parameter.type.name() + " *" + name;
    } else if (dice < 47 && !structures_.empty()) {
      parameter.structure = variable.structure = random_.below(int(structures_.size()));
      const std::string& type = structures_[std::size_t(parameter.structure)].name;
      const bool pointer = random_.percent(60);
      parameter.kind = pointer ? Kind::StructurePointer : Kind::Structure;
      declared = type + (pointer ? " *" : " ") + name;
      if (pointer) variable.text = "(*" + name + ")";
    } else if (dice < 55 && parameter.type.scalar()) {
      parameter.kind = Kind::Source;
      declared = "global const " + parameter.type.name() + " *" + name;
      sources_.push_back({name, parameter.type, 16, false, -1, true});
    }
    helper.pure = helper.pure && parameter.kind == Kind::Value;
    if (parameter.kind != Kind::Source) scope_.push_back(variable);
    parameters += (i ? ", " : "") + declared;
    helper.parameters.push_back(parameter);
  }

  Block body;
  body.push_back({"ulong h0 = 1;", {}, {}, true, 0});
  if (!structures_.empty() && random_.percent(30)) {
    helper.resultStructure = random_.below(int(structures_.size()));
    helper.pure = false;
    Statement result{structures_[std::size_t(helper.resultStructure)].name + " result = ", {}, {}, true, 0};
    result.pattern += structureInitialiser(helper.resultStructure, result.expressions) + ";";
    body.push_back(std::move(result));
    scope_.push_back({"result", {}, 0, 0, helper.resultStructure, false, true});
  }
  resultType_ = helper.result;
  returning_ = helper.resultStructure >= 0 ? "return result;" : "return $1;";
  Flow flow;
  flow.mayReturn = true;
  flow.depth = 1;
  budget_ = random_.between(1, 4);
  const int statements = random_.between(1, 3);
  for (int i = 0; i < statements; ++i)
    statement(body, flow);
  for (const Variable& variable : std::vector<Variable>(scope_))
    if (random_.percent(60)) fold(body, variable);
  std::string result = helper.result.name();
  if (helper.resultStructure >= 0) {
    result = structures_[std::size_t(helper.resultStructure)].name;
    body.push_back({"result.f0 ^= h0;\nreturn result;", {}, {}, true, 0});
  } else {
    const std::string element = helper.result.element().name();
    body.push_back({"return $0 ^ (" + result + ")((" + element + ")(h0 >> " + std::to_string(random_.below(30)) + "));",
                    {expression(helper.result, 1)},
                    {},
                    true,
                    0});
  }
  helper.cost = cost_;
  static const std::vector<std::string> kAttributes = {
      "", "", "static ", "inline static ", "__attribute__((noinline)) ", "static __attribute__((noinline)) "};
  program_.units.push_back({random_.pick(kAttributes) + result + " " + helper.name + "(" + parameters + ") @0",
                            {},
                            {std::move(body)},
                            false,
                            0});
  helpers_.push_back(std::move(helper));
}

/// A call in an expression: of functions that only see values.
std::optional<Expression> Generator::callExpression(Type type, int depth) {
  std::vector<const Helper*> fitting;
  for (const Helper& helper : helpers_)
    if (helper.pure && helper.cost * repeat_ <= 64) fitting.push_back(&helper);
  if (fitting.empty()) return std::nullopt;
  const Helper& helper = *random_.pick(fitting);
  cost_ = std::max(cost_, helper.cost * repeat_);
  Expression result{helper.result, helper.name + "(", {}, 0, 0};
  for (std::size_t i = 0; i < helper.parameters.size(); ++i) {
    result.pattern += (i ? ", $" : "$") + std::to_string(i);
    result.operands.push_back(bounded(expression(helper.parameters[i].type, depth - 1)));
  }
  result.pattern += ")";
  return coerced(std::move(result), type);
}

/// A call as a statement: of any function; no two pointers go to the same variable.
void Generator::call(Block& to, const Flow& flow) {
  using Kind = Helper::Parameter::Kind;
  std::vector<const Helper*> fitting;
  for (const Helper& helper : helpers_)
    if (helper.cost * flow.repeat <= 64) fitting.push_back(&helper);
  if (fitting.empty()) return assignment(to, flow);
  const Helper& helper = *random_.pick(fitting);
  cost_ = std::max(cost_, helper.cost * flow.repeat);
  std::vector<std::string> used;
  Statement statement{helper.name + "(", {}, {}, false, 0};
  for (std::size_t i = 0; i < helper.parameters.size(); ++i) {
    const Helper::Parameter& parameter = helper.parameters[i];
    if (i) statement.pattern += ", ";
    const auto operand = [&](Expression value) {
      statement.expressions.push_back(std::move(value));
      return "$" + std::to_string(statement.expressions.size() - 1);
    };
    if (parameter.kind == Kind::Value) {
      statement.pattern += operand(bounded(expression(parameter.type, deep())));
      continue;
    }
    if (parameter.kind == Kind::Source) {
      std::vector<const Source*> sources;
      for (const Source& source : sources_)
        if (source.type == parameter.type && !source.structures) sources.push_back(&source);
      if (sources.empty()) return assignment(to, flow);
      const Source& source = *random_.pick(sources);
      statement.pattern += source.text + (inKernel_ && !source.small ? " + " + ownIndex() : "");
      continue;
    }
    // A variable that fits, or a new one.
    const auto fits = [&](const Variable& variable) {
      if (!variable.writable || variable.uniform || variable.text[0] == 'w' ||
          std::find(used.begin(), used.end(), variable.text) != used.end())
        return false;
      if (parameter.structure >= 0) return variable.structure == parameter.structure;
      if (variable.structure >= 0 || variable.type != parameter.type) return false;
      return parameter.kind == Kind::Array ? variable.length == parameter.length && !variable.rows : true;
    };
    std::vector<Variable> variables;
    for (const Variable& variable : scope_)
      if (fits(variable)) variables.push_back(variable);
    if (variables.empty()) {
      if (parameter.structure >= 0 || parameter.kind == Kind::Array) return assignment(to, flow);
      declareValue(to, parameter.type, false);
      variables.push_back(scope_.back());
      if (variables.back().text[0] == 'w') return assignment(to, flow);
    }
    const Variable variable = random_.pick(variables);
    used.push_back(variable.text);
    std::string text = variable.text;
    if (parameter.kind != Kind::Array) {
      if (variable.rows) text += "[" + operand(index(variable.rows)) + "]";
      if (variable.length) text += "[" + operand(index(variable.length)) + "]";
    }
    statement.pattern +=
        (parameter.kind == Kind::Pointer || parameter.kind == Kind::StructurePointer ? "&" : "") + text;
  }
  const std::string name = fresh(helper.resultStructure >= 0 ? "s" : "v");
  const std::string type =
      helper.resultStructure >= 0 ? structures_[std::size_t(helper.resultStructure)].name : helper.result.name();
  statement.pattern = type + " " + name + " = " + statement.pattern + ");";
  to.push_back(std::move(statement));
  scope_.push_back({name, helper.result, 0, 0, helper.resultStructure, false, true});
}

} // namespace clotho::fuzz
