// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What work-items of a group do together: local memory, barriers, atomics on local counters.
#include "generator.hpp"

namespace clotho::fuzz {
namespace {

const char* const kBarrier = "barrier(CLK_LOCAL_MEM_FENCE);";

} // namespace

void Generator::declareLocals(Block& to) {
  const std::string most = std::to_string(mostLocal_);
  const int arrays = random_.between(1, 3);
  for (int i = 0; i < arrays; ++i) {
    Type type = someInteger();
    if (type.bytes() > 32) type.n = 4;
    const std::string name = fresh("l");
    if (i == 0 && random_.percent(30)) { // the host gives the memory
      localParameter_ = ", local " + type.name() + "* " + name;
      program_.launch.arguments.push_back(
          {Argument::Kind::Local, Argument::Fill::Zero, std::size_t(type.bytes() * mostLocal_), name});
    } else {
      to.push_back({"local " + type.name() + " " + name + "[" + most + "];", {}, {}, true, 0});
    }
    locals_.push_back({name, type});
  }
  if (random_.percent(60)) {
    counters_ = fresh("lc");
    extremes_ = fresh("lx");
    static const std::vector<std::string> kOperations = {"min", "max", "and", "or", "xor"};
    extremeOperation_ = random_.pick(kOperations);
    to.push_back({"local uint " + counters_ + "[8];", {}, {}, true, 0});
    to.push_back({"local int " + extremes_ + "[8];", {}, {}, true, 0});
    to.push_back({"for (uint i = lid; i < 8; i += ls) {\n  " + counters_ + "[i] = i;\n  " + extremes_ +
                      "[i] = (int)(i * 0x9e3779b9u);\n}\n" + kBarrier,
                  {},
                  {},
                  true,
                  0});
  }
}

void Generator::groupStatement(Block& to, const Flow& flow) {
  const int dice = random_.below(100);
  if (dice < 45) return exchange(to, flow);
  if (dice < 65) return reduction(to);
  if (!counters_.empty()) return random_.percent(40) ? localAtomic(to) : readCounters(to);
  exchange(to, flow);
}

/// Another work-item's place in a local array.
Expression Generator::neighbour() {
  const Type u{Base::UInt, 1};
  const std::string k = std::to_string(random_.between(1, 9));
  switch (random_.below(6)) {
  case 0: return make(u, "(lid + " + k + "u) % ls");
  case 1: return make(u, "ls - 1u - lid");
  case 2: return make(u, "(lid * " + k + "u + 1u) % ls");
  case 3: return make(u, "((lid ^ " + k + "u) < ls ? lid ^ " + k + "u : lid)");
  case 4: return make(u, "(uint)$0 % ls", {expression(someInteger().element(), 1)});
  default: return make({Base::Int, 1}, "((int)lid >= " + k + " ? (int)lid - " + k + " : 0)");
  }
}

void Generator::exchange(Block& to, const Flow& flow) {
  std::vector<std::size_t> free;
  for (std::size_t i = 0; i < locals_.size(); ++i)
    if (!locals_[i].busy) free.push_back(i);
  if (free.empty()) return assignment(to, flow);
  const std::size_t which = random_.pick(free);
  const LocalArray array = locals_[which];
  const Type type = array.type;
  const std::string name = fresh("v");
  const std::string put = array.text + "[lid] = $0;\n";
  switch (random_.below(5)) {
  case 0: { // the same element for all
    const std::string from = "[" + std::to_string(random_.below(7)) + "u % ls]";
    to.push_back({put + kBarrier + "\n" + type.name() + " u" + name + " = " + array.text + from + ";\n" + kBarrier,
                  {expression(type, deep())},
                  {},
                  false,
                  0});
    scope_.push_back({"u" + name, type, 0, 0, -1, true, true});
    return;
  }
  case 1: { // all of them
    const std::string i = fresh("i");
    const std::string from = random_.percent(50) ? i : "(lid + " + i + ") % ls";
    to.push_back({put + kBarrier + "\n" + type.name() + " " + name + " = $1;\nfor (uint " + i + " = 0; " + i +
                      " < ls; " + i + "++) " + name + " = rotate(" + name + ", (" + type.name() + ")(3)) ^ " +
                      array.text + "[" + from + "];\n" + kBarrier,
                  {expression(type, deep()), literal(type)},
                  {},
                  false,
                  0});
    break;
  }
  case 2: { // statements between the barriers
    Statement statement{put + kBarrier + "\n@0\n" + kBarrier, {expression(type, deep())}, {}, false, 0};
    locals_[which].busy = true;
    const std::size_t before = scope_.size();
    Block inner;
    inner.push_back({type.name() + " " + name + " = " + array.text + "[$0];", {neighbour()}, {}, false, 0});
    scope_.push_back({name, type, 0, 0, -1, false, true});
    Flow flowInner = flow;
    flowInner.depth++;
    // Leaving without the second barrier would let the next one write while others still read.
    flowInner.mayBreak = flowInner.mayContinue = flowInner.mayReturn = false;
    Block rest = block(flowInner, random_.between(1, 3));
    inner.insert(inner.end(), rest.begin(), rest.end());
    fold(inner, make(type, name));
    scope_.resize(before);
    locals_[which].busy = false;
    statement.blocks.push_back(std::move(inner));
    to.push_back(std::move(statement));
    return;
  }
  case 3: { // in a function
    const std::string function = "exchange_" + type.name() + "_" + std::to_string(seed_);
    if (!exchanges_.contains(type.name())) {
      exchanges_[type.name()] = true;
      program_.units.push_back({type.name() + " " + function + "(local " + type.name() + "* l, uint at, uint from, " +
                                    type.name() + " value) {\n  l[at] = value;\n  " + kBarrier + "\n  " + type.name() +
                                    " result = l[from];\n  " + kBarrier + "\n  return result;\n}",
                                {},
                                {},
                                false,
                                0});
    }
    to.push_back({type.name() + " " + name + " = " + function + "(" + array.text + ", lid, $1, $0);",
                  {expression(type, deep()), neighbour()},
                  {},
                  false,
                  0});
    break;
  }
  default: {
    to.push_back({put + kBarrier + "\n" + type.name() + " " + name + " = " + array.text + "[$1];\n" + kBarrier,
                  {expression(type, 3), neighbour()},
                  {},
                  false,
                  0});
    break;
  }
  }
  scope_.push_back({name, type, 0, 0, -1, false, true});
}

void Generator::reduction(Block& to) {
  std::vector<LocalArray> free;
  for (const LocalArray& array : locals_)
    if (!array.busy) free.push_back(array);
  if (free.empty()) return;
  const LocalArray& array = random_.pick(free);
  const Type type = array.type;
  const std::string op = type.isUnsigned() && random_.percent(60) ? "+=" : "^=";
  const std::string s = fresh("i");
  const std::string name = fresh("v");
  const std::string& l = array.text;
  const std::string put = l + "[lid] = $0;\n" + kBarrier + "\n";
  const std::string loop = "for (uint " + s + " = 1; " + s + " < ls; " + s + " *= 2) {\n";
  if (random_.percent(50)) {
    to.push_back({put + loop + "  if (lid % (2 * " + s + ") == 0 && lid + " + s + " < ls) " + l + "[lid] " + op + " " +
                      l + "[lid + " + s + "];\n  " + kBarrier + "\n}\n" + type.name() + " u" + name + " = " + l +
                      "[0];\n" + kBarrier,
                  {expression(type, deep())},
                  {},
                  false,
                  0});
    scope_.push_back({"u" + name, type, 0, 0, -1, true, true});
  } else {
    to.push_back({put + loop + "  " + type.name() + " t = " + zero(type) + ";\n  if (lid >= " + s + ") t = " + l +
                      "[lid - " + s + "];\n  " + kBarrier + "\n  " + l + "[lid] " + op + " t;\n  " + kBarrier +
                      "\n}\n" + type.name() + " " + name + " = " + l + "[lid];\n" + kBarrier,
                  {expression(type, deep())},
                  {},
                  false,
                  0});
    scope_.push_back({name, type, 0, 0, -1, false, true});
  }
}

void Generator::localAtomic(Block& to) {
  Expression where = maskedIndex(8);
  if (random_.percent(50)) {
    to.push_back({"atomic_" + extremeOperation_ + "(&" + extremes_ + "[$0], $1);",
                  {where, expression({Base::Int, 1}, deep())},
                  {},
                  false,
                  0});
    return;
  }
  static const std::vector<std::string> kForms = {"atomic_add(%, $1);", "atomic_sub(%, $1);", "atomic_inc(%);",
                                                  "atomic_dec(%);"};
  std::string form = random_.pick(kForms);
  form.replace(form.find('%'), 1, "&" + counters_ + "[$0]");
  to.push_back({form, {where, expression({Base::UInt, 1}, deep())}, {}, false, 0});
}

void Generator::readCounters(Block& to) {
  const std::string name = fresh("v");
  to.push_back({std::string(kBarrier) + "\nuint " + name + " = " + counters_ + "[$0] ^ (uint)" + extremes_ + "[$1];\n" +
                    kBarrier,
                {maskedIndex(8), maskedIndex(8)},
                {},
                false,
                0});
  scope_.push_back({name, {Base::UInt, 1}, 0, 0, -1, false, true});
}

} // namespace clotho::fuzz
