// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "thread.hpp"

#include <algorithm>

namespace ptx {

void Thread::fail(Error error, const std::string& what) {
  if (block->fault.error == Error::None) {
    block->fault.error = error;
    const Frame& frame = frames.back();
    const int line = next > frame.function->code.data() ? next[-1].line : 0;
    block->fault.text = "kernel " + block->launch->kernel->name + ", function " + frame.function->name + ", line " +
                        std::to_string(line) + ", block " + std::to_string(block->id.x) + ' ' +
                        std::to_string(block->id.y) + ' ' + std::to_string(block->id.z) + ", thread " +
                        std::to_string(id.x) + ' ' + std::to_string(id.y) + ' ' + std::to_string(id.z) + ": " + what;
  }
  state = State::Exited;
}

void Thread::enter(const Function& function, const CallSite* call) {
  if (frames.size() > 4096) return fail(Error::IllegalAddress, "calls are too deep");
  Frame made;
  made.function = &function;
  made.back = next;
  made.call = call;
  made.slots = slotStack.size();
  made.parameters = parameterStack.size();
  made.local = (localTop + 15) / 16 * 16;
  localTop = made.local + function.localSize;
  slotStack.insert(slotStack.end(), function.slots.begin(), function.slots.end());
  parameterStack.resize(made.parameters + (function.parameterSize + 15) / 16 * 16, 0xdb);
  if (local.size() < localTop) local.resize(localTop, 0xdb);
  std::uint8_t* own = parameterStack.data() + made.parameters;
  if (call) {
    const std::uint8_t* from = parameterStack.data() + frames.back().parameters;
    for (std::size_t i = 0; i < function.parameters.size(); ++i)
      std::memcpy(own + function.parameters[i].offset, from + call->arguments[i].offset, function.parameters[i].size);
  } else {
    const std::vector<std::uint8_t>& given = block->launch->parameters;
    std::copy_n(given.begin(), std::min(given.size(), function.parameterSize), own);
  }
  for (const Spill& each : function.spills)
    std::memcpy(local.data() + made.local + each.local, own + each.parameter.offset, each.parameter.size);
  frames.push_back(made);
  slots = slotStack.data() + made.slots;
  parameters = own;
  localBase = made.local;
  next = function.code.data();
}

bool Thread::leave() {
  const Frame left = frames.back();
  if (frames.size() == 1) return false;
  frames.pop_back();
  const Frame& caller = frames.back();
  std::uint8_t* to = parameterStack.data() + caller.parameters;
  for (std::size_t i = 0; i < left.function->results.size(); ++i)
    std::memcpy(to + left.call->results[i].offset, parameters + left.function->results[i].offset,
                left.function->results[i].size);
  slotStack.resize(left.slots);
  parameterStack.resize(left.parameters);
  localTop = left.local;
  slots = slotStack.data() + caller.slots;
  parameters = to;
  localBase = caller.local;
  next = left.back;
  return true;
}

void runThread(Thread& thread, unsigned turn) {
  unsigned left = turn;
  while (left != 0) {
    --left;
    const Instruction& it = *thread.next++;
    if (it.guard != kNoSlot && ((thread.slots[it.guard] & 1) != 0) == it.isGuardNegated) continue;
    it.run(thread, it);
    if (thread.state != State::Running) [[unlikely]]
      break;
  }
  thread.ran += turn - left;
}

} // namespace ptx
