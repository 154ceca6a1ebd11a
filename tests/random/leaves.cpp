// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What expressions end in: literals, variables and their parts, memory that is read.
#include "generator.hpp"

#include <algorithm>
#include <numeric>

namespace clotho::fuzz {

std::string Generator::number(Base base) {
  const Type type{base, 1};
  const std::string name = type.name();
  if (type.isFloat()) return "(" + name + ")(" + std::to_string(random_.between(-100, 100)) + ")";
  const int bits = type.bits();
  const std::uint64_t mask = bits == 64 ? ~0ull : (1ull << bits) - 1;
  std::uint64_t value = 0;
  switch (random_.below(6)) {
  case 0: value = std::uint64_t(random_.below(3)) - 1; break;
  case 1: value = 1ull << (bits - 1); break;
  case 2: value = (1ull << (bits - 1)) - 1; break;
  case 3: value = random_.next(); break;
  default: value = std::uint64_t(random_.below(20)); break;
  }
  value &= mask;
  if (type.isSigned() && (value >> (bits - 1))) { // the least value has no literal
    const std::uint64_t magnitude = (~value & mask);
    return "(" + name + ")(-" + std::to_string(magnitude) + (bits == 64 ? "L" : "") + " - 1)";
  }
  static constexpr const char* kSuffixes[] = {"", "u", "", "u", "", "u", "L", "UL"};
  return "(" + name + ")" + std::to_string(value) + kSuffixes[int(base)];
}

Expression Generator::literal(Type type) {
  if (type.scalar()) return make(type, "(" + number(type.base) + ")", {}, 7);
  if (random_.percent(50)) return make(type, "(" + type.name() + ")(" + number(type.base) + ")", {}, 7);
  std::string text = "(" + type.name() + ")(";
  for (int i = 0; i < type.n; ++i)
    text += (i ? ", " : "") + number(type.base);
  return make(type, text + ")", {}, 7);
}

/// An index below `length`, a power of two, of one of the integer types.
Expression Generator::index(int length) {
  if (random_.percent(15)) return make({Base::Int, 1}, std::to_string(random_.below(length)));
  return maskedIndex(length);
}

Expression Generator::maskedIndex(int length) {
  const std::string mask = std::to_string(length - 1);
  // What an index comes from may need an index too, but not for ever.
  ++indexDepth_;
  const Type type = someInteger().element();
  Expression value = indexDepth_ > 2 ? literal(type) : random_.percent(75) ? leaf(type) : expression(type, 1);
  --indexDepth_;
  switch (random_.below(5)) {
  case 0: return make({Base::UInt, 1}, "((uint)$0 & " + mask + "u)", {value});
  case 1: return make({Base::Int, 1}, "((int)$0 & " + mask + ")", {value});
  case 2: return make({Base::ULong, 1}, "((ulong)$0 & " + mask + "UL)", {value});
  case 3: return make({Base::Long, 1}, "(long)((int)$0 & " + mask + ")", {value});
  default: return make({Base::ULong, 1}, "((size_t)((uint)$0 * 5u + 0xfffffff3u) & " + mask + ")", {value});
  }
}

/// The work-item's own number, as 32 or 64 bits.
std::string Generator::ownIndex() {
  static const std::vector<std::string> kForms = {"gid",         "gid",       "sid",       "lgid",
                                                  "(size_t)gid", "(long)sid", "(uint)lgid"};
  return random_.pick(kForms);
}

/// An element; a float's magnitude is what variables promise.
Expression Generator::load(const Source& source) {
  const int magnitude = 10;
  const std::string& from = source.text;
  const auto element = [&](std::string where, std::initializer_list<Expression> operands = {}) {
    return make(source.type, from + "[" + std::move(where) + "]", operands, magnitude);
  };
  if (!inKernel_ || source.small || uniformOnly_) return element("$0", {index(source.elements)});
  // The buffers have room for 3 * 340 + 3 elements.
  const std::string k = std::to_string(random_.between(1, 16));
  switch (random_.below(9)) {
  case 0: return element(ownIndex());
  case 1: return element(ownIndex() + " + " + k);
  case 2: return element(std::to_string(program_.launch.items() - 1) + " - " + ownIndex());
  case 3:
    return element(ownIndex() + " * " + std::to_string(random_.between(2, 3)) + " + " +
                   std::to_string(random_.below(4)));
  case 4:
    return make(source.type, "((" + source.type.name() + ")(gid >= " + k + "u ? " + from + "[gid - " + k + "] : $0))",
                {literal(source.type)}, magnitude);
  case 5:
    return make(source.type,
                "(" + from + " + " + k + ")[" + (random_.percent(50) ? "sid" : "(long)gid") + " - " + k + "]", {},
                magnitude);
  case 6: return element("(" + ownIndex() + " ^ " + k + ") & " + std::to_string(source.elements - 1));
  case 7: return element("(uint)(gid - " + k + "u) & " + std::to_string(source.elements - 1) + "u");
  default: return element("$0", {index(source.elements)});
  }
}

Expression Generator::leaf(Type type) {
  const int dice = random_.below(100);
  if (dice < 10) return literal(type);
  if (dice < 35) {
    std::vector<const Source*> fitting;
    for (const Source& source : sources_)
      if (!source.structures && (source.type.isFloat() == type.isFloat())) fitting.push_back(&source);
    for (const Source& source : constants_)
      if (source.type.isFloat() == type.isFloat()) fitting.push_back(&source);
    std::vector<const Source*> components; // from which vectors can be loaded
    for (const Source* source : fitting)
      if (!type.scalar() && source->type == type.element()) components.push_back(source);
    if (!components.empty() && random_.percent(60)) fitting = components;
    if (!fitting.empty()) {
      const Source& source = *random_.pick(fitting);
      if (!type.scalar() && source.type == type.element() && !source.small && random_.percent(70)) {
        const int most = source.elements / type.n;
        const std::string vload = "vload" + std::to_string(type.n);
        int room = 1; // to whole vectors, a power of two
        while (room * 2 <= most)
          room *= 2;
        if (type.n != 3 && random_.percent(30) && source.text[0] == 'i')
          return make(type, "((global const " + type.name() + "*)" + source.text + ")[$0]", {index(room)}, 10);
        if (inKernel_ && !uniformOnly_ && type.n <= 2 && random_.percent(50))
          return make(type, vload + "(" + ownIndex() + ", " + source.text + ")", {}, 10);
        if (inKernel_ && !uniformOnly_ && random_.percent(40)) // not aligned to the vector
          return make(type,
                      vload + "(0, " + source.text + " + " + ownIndex() + " * " +
                          std::to_string(random_.between(1, 2)) + ")",
                      {}, 10);
        return make(type, vload + "($0, " + source.text + ")", {index(room)}, 10);
      }
      if (source.type.isFloat() == type.isFloat()) return coerced(load(source), type);
    }
  }
  if (auto found = place(false)) {
    // Values of the wanted kind are worth a second look.
    for (int tries = 0; tries < 4 && found->type != type; ++tries) {
      auto again = place(false);
      if (again && (again->type == type || (found->type.isFloat() != type.isFloat()))) found = again;
    }
    if (found->type.isFloat() && !type.isFloat() && random_.percent(70)) return literal(type);
    return coerced(std::move(*found), type);
  }
  return literal(type);
}

/// The path to a value in a structure, of which `text` is the beginning and `operands` the indices so far.
Expression Generator::field(std::string text, std::vector<Expression> operands, int structure) {
  const Field& field = random_.pick(structures_[std::size_t(structure)].fields);
  text += "." + field.name;
  if (field.structure >= 0) return this->field(std::move(text), std::move(operands), field.structure);
  if (field.length) {
    text += "[$" + std::to_string(operands.size()) + "]";
    operands.push_back(index(field.length));
  }
  Expression result = make(field.type, std::move(text), {}, 10);
  result.operands = std::move(operands);
  return result;
}

/// A value that the variable is or has in it.
Expression Generator::inside(const Variable& variable) {
  std::vector<Expression> operands;
  std::string text = variable.text;
  if (variable.rows) {
    text += "[$0]";
    operands.push_back(index(variable.rows));
  }
  if (variable.length) {
    text += "[$" + std::to_string(operands.size()) + "]";
    operands.push_back(index(variable.length));
  }
  if (variable.structure >= 0) return field(std::move(text), std::move(operands), variable.structure);
  Expression result = make(variable.type, std::move(text), {}, 10);
  result.operands = std::move(operands);
  return result;
}

std::optional<Expression> Generator::place(bool toWrite) {
  std::vector<const Variable*> fitting;
  for (const Variable& variable : scope_)
    if ((!uniformOnly_ || variable.uniform) && (!toWrite || (variable.writable && !variable.uniform)))
      fitting.push_back(&variable);
  if (fitting.empty()) return std::nullopt;
  // The newest come first, or the first ones would be all that large programs use. The copy is because what an index
  // needs may not add to the scope, but who knows.
  const std::size_t newest =
      fitting.size() - 1 -
      std::size_t(random_.below(int(std::min<std::size_t>(fitting.size(), random_.percent(60) ? 6 : 100))));
  const Variable variable = *fitting[newest];
  return inside(variable);
}

/// An element of the work-item's own in a buffer that it may write.
Expression Generator::own(const Store& store) {
  const std::string slots = std::to_string(store.slots);
  const std::size_t items = program_.launch.items();
  const std::string n = std::to_string(items);
  Expression slot = index(store.slots);
  const std::string& text = store.text;
  switch (store.order) {
  case Store::Order::Adjacent: return make(store.type, text + "[" + ownIndex() + " * " + slots + " + $0]", {slot}, 10);
  case Store::Order::Rows: return make(store.type, text + "[$0 * " + n + " + " + ownIndex() + "]", {slot}, 10);
  case Store::Order::Reversed:
    return make(store.type, text + "[$0 * " + n + " + " + std::to_string(items - 1) + " - " + ownIndex() + "]", {slot},
                10);
  case Store::Order::Permuted: break;
  }
  std::size_t factor = 5;
  while (std::gcd(items, factor) != 1)
    factor += 2;
  return make(store.type, text + "[$0 * " + n + " + (gid * " + std::to_string(factor) + "u + 3u) % " + n + "u]", {slot},
              10);
}

} // namespace clotho::fuzz
