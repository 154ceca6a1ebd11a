// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Copies of command buffers for other queues (cl_khr_command_buffer_multi_device).
#include "api/command_buffer.hpp"
#include "api/image_region.hpp"

#include <algorithm>
#include <numeric>

namespace clotho::api {

namespace {

using Recorded = CommandBuffer::Command;

/// The address, in the home of `queue`, of what lies at `address` in another home.
template <class Byte> void moveSide(Byte*& address, const Operand& operand, HomeId from, const Queue& queue) {
  if (!operand.memory) return;
  const auto& memory = static_cast<const MemoryObject&>(*operand.memory);
  if (memory.image())
    checkImagesFor(queue, {&memory});
  else
    checkAlignment(queue, memory);
  address = memory.bytesOn(queue.home()) + (address - memory.addressOn(from));
}

Command moved(const Command& command, HomeId from, const Queue& queue) {
  if (const auto* original = std::get_if<Copy>(&command)) {
    Copy copy = *original;
    moveSide(copy.source, copy.from, from, queue);
    moveSide(copy.target, copy.to, from, queue);
    return copy;
  }
  if (const auto* original = std::get_if<Fill>(&command)) {
    Fill fill = *original;
    moveSide(fill.target, fill.to, from, queue);
    return fill;
  }
  return Nothing{};
}

void move(Recorded& command, const Queue& from, const Queue& to) {
  if (command.dispatch) {
    Dispatch& dispatch = *command.dispatch;
    const CheckedLaunch checked = checkDispatch(to, dispatch, /*mayLackArguments=*/!command.command);
    dispatch.range = checked.range;
    command.command = recordedLaunch(to, dispatch, checked);
  } else {
    command.command =
        Ref<RecordedCommand>::adopt(new RecordedCommand(moved(command.command->command(), from.home(), to)));
  }
}

/// Whether the kernels of a lane are built for the device.
bool canRun(const std::vector<Recorded>& commands, std::uint32_t lane, const Device& device) {
  return std::all_of(commands.begin(), commands.end(), [&](const Recorded& each) {
    return each.lane != lane || !each.dispatch || each.dispatch->state->codeFor(device) != nullptr;
  });
}

/// The queue for each lane: the lanes in turn, devices with many compute units first. A lane stays together, since its
/// commands mostly wait for each other and use the same memory.
std::vector<std::uint32_t> chooseLanes(const std::vector<Recorded>& commands, std::size_t lanes,
                                       const std::vector<Ref<Queue>>& queues) {
  std::vector<std::uint32_t> order(queues.size());
  std::iota(order.begin(), order.end(), 0U);
  std::sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
    const cl_uint unitsOfA = queues[a]->device().properties().computeUnits,
                  unitsOfB = queues[b]->device().properties().computeUnits;
    return unitsOfA != unitsOfB ? unitsOfA > unitsOfB : a < b;
  });
  std::vector<std::uint32_t> chosen(lanes);
  for (std::uint32_t lane = 0; lane < lanes; ++lane) {
    chosen[lane] = order[lane % order.size()];
    for (std::size_t i = 0; i < order.size(); ++i) {
      const std::uint32_t candidate = order[(lane + i) % order.size()];
      if (!canRun(commands, lane, queues[candidate]->device())) continue;
      chosen[lane] = candidate;
      break;
    }
  }
  return chosen;
}

std::vector<std::uint32_t> numbersOf(const CommandBuffer& buffer, cl_uint count,
                                     const cl_mutable_command_khr* handles) {
  std::vector<std::uint32_t> numbers;
  numbers.reserve(count);
  for (cl_uint i = 0; i < count; ++i) {
    try {
      const Ref<MutableCommand> handle = object(handles[i]);
      static_cast<void>(buffer.commandOf(*handle));
      numbers.push_back(handle->number());
    } catch (const Error&) {
      throw Error{CL_INVALID_VALUE, "a handle that is none of the command buffer's"};
    }
  }
  return numbers;
}

} // namespace

cl_command_buffer_khr CL_API_CALL clRemapCommandBufferKHR(cl_command_buffer_khr rawBuffer, cl_bool automatic,
                                                          cl_uint queueCount, const cl_command_queue* rawQueues,
                                                          cl_uint handleCount, const cl_mutable_command_khr* handles,
                                                          cl_mutable_command_khr* handlesOut, cl_int* status) {
  return create(status, [&] {
    const Ref<CommandBuffer> buffer = object(rawBuffer);
    const std::vector<Ref<Queue>>& lanes = buffer->queues();
    check(queueCount > 0 && rawQueues, CL_INVALID_VALUE, "no queues");
    check(automatic || queueCount == lanes.size(), CL_INVALID_VALUE,
          "not as many queues as the command buffer was made with");
    check((handleCount > 0) == (handles != nullptr) && (handleCount > 0) == (handlesOut != nullptr), CL_INVALID_VALUE,
          "handles and their number do not agree");
    const std::vector<std::uint32_t> numbers = numbersOf(*buffer, handleCount, handles);
    std::vector<Ref<Queue>> queues;
    for (cl_uint i = 0; i < queueCount; ++i) {
      queues.push_back(object(rawQueues[i]));
      check(&queues.back()->context() == &buffer->context(), CL_INVALID_CONTEXT,
            "a queue is of another context than the command buffer");
    }

    const bool isFinalized = buffer->state() != CL_COMMAND_BUFFER_STATE_RECORDING_KHR;
    std::vector<Recorded> commands = buffer->commands();
    std::vector<std::uint32_t> chosen(lanes.size());
    std::iota(chosen.begin(), chosen.end(), 0U);
    if (automatic) chosen = chooseLanes(commands, lanes.size(), queues);
    for (Recorded& command : commands) {
      move(command, *lanes[command.lane], *queues[chosen[command.lane]]);
      command.lane = chosen[command.lane];
    }
    Ref<CommandBuffer> copy = make<CommandBuffer>(std::move(queues), buffer->traits());
    copy->adopt(std::move(commands), isFinalized);
    std::vector<cl_mutable_command_khr> copies;
    copies.reserve(numbers.size());
    for (const std::uint32_t number : numbers)
      copies.push_back(copy->handleOf(number));
    std::copy(copies.begin(), copies.end(), handlesOut);
    return handOut(std::move(copy));
  });
}

} // namespace clotho::api
