// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "registers.hpp"

#include "thread.hpp"

#include <chrono>
#include <map>

namespace ptx {

namespace {

template <auto read> void special(Thread& t, const Instruction& i) { t.slots[i.to] = read(t); }

std::uint64_t nanoseconds() {
  return static_cast<std::uint64_t>(std::chrono::system_clock::now().time_since_epoch() / std::chrono::nanoseconds(1));
}

#define READ(expression) special<+[](const Thread& t) -> std::uint64_t { return expression; }>
const std::map<std::string_view, Handler> kRegisters = {
    {"%tid.x", READ(t.id.x)},
    {"%tid.y", READ(t.id.y)},
    {"%tid.z", READ(t.id.z)},
    {"%ntid.x", READ(t.block->launch->block.x)},
    {"%ntid.y", READ(t.block->launch->block.y)},
    {"%ntid.z", READ(t.block->launch->block.z)},
    {"%ctaid.x", READ(t.block->id.x)},
    {"%ctaid.y", READ(t.block->id.y)},
    {"%ctaid.z", READ(t.block->id.z)},
    {"%nctaid.x", READ(t.block->launch->grid.x)},
    {"%nctaid.y", READ(t.block->launch->grid.y)},
    {"%nctaid.z", READ(t.block->launch->grid.z)},
    {"%laneid", READ(t.lane)},
    {"%warpid", READ(t.warp)},
    {"%nwarpid", READ((t.block->threads.size() + 31) / 32)},
    {"%smid", READ(t.block->id.x % 132)},
    {"%nsmid", READ((static_cast<void>(t), 132))},
    {"%gridid", READ((static_cast<void>(t), 0))},
    {"%lanemask_eq", READ(1U << t.lane)},
    {"%lanemask_lt", READ((1U << t.lane) - 1)},
    {"%lanemask_le", READ((2U << t.lane) - 1)},
    {"%lanemask_gt", READ(std::uint32_t{~((2U << t.lane) - 1)})},
    {"%lanemask_ge", READ(std::uint32_t{~((1U << t.lane) - 1)})},
    {"%clock", READ(static_cast<std::uint32_t>(nanoseconds() + t.ran))},
    {"%clock_hi", READ((nanoseconds() + t.ran) >> 32)},
    {"%clock64", READ(nanoseconds() + t.ran)},
    {"%globaltimer", READ((static_cast<void>(t), nanoseconds()))},
    {"%globaltimer_lo", READ((static_cast<void>(t), static_cast<std::uint32_t>(nanoseconds())))},
    {"%globaltimer_hi", READ((static_cast<void>(t), nanoseconds() >> 32))},
    {"%dynamic_smem_size", READ(t.block->launch->sharedBytes)},
    {"%total_smem_size", READ(t.block->sharedSize)},
};
#undef READ

} // namespace

Handler specialRegister(std::string_view name) {
  const auto found = kRegisters.find(name);
  return found == kRegisters.end() ? nullptr : found->second;
}

} // namespace ptx
