// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/capture/captures.hpp"
#include "runtime/objects/command_buffer.hpp"

#include <algorithm>
#include <span>
#include <utility>

// Command buffers with launches that are captured (CLOTHO_CAPTURE).
namespace clotho {

namespace {

/// Whether the command is a launch that has work-items.
bool isLaunch(const CommandBuffer::Command& command) {
  return command.dispatch && command.command && std::holds_alternative<Launch>(command.command->command());
}

} // namespace

bool CommandBuffer::hasCaptures(Captures& captures) const {
  std::map<std::string, std::uint64_t, std::less<>> launches;
  for (const Command& command : commands_)
    if (isLaunch(command)) ++launches[command.dispatch->state->info().name];
  return captures.wantAny(launches);
}

/// Each command is one of its queue, so that the bytes before and after a launch can be looked at. Commands wait for
/// those that they wait for in the buffer, and the first ones for what the whole waits for. The last command, whose
/// event stands for the buffer, is a marker behind all of them.
Ref<Event> CommandBuffer::enqueueCaptured(std::span<const Ref<Queue>> queues, WaitList deps, bool isWanted,
                                          Captures& captures) {
  std::vector<Command> commands;
  Ref<Recording> recording;
  {
    MutexLock lock(mutex_);
    commands = commands_;
    recording = recording_;
  }
  std::vector<Ref<Event>> events;
  const auto waitsOf = [&](const Command& command) {
    std::vector<Event*> waits;
    waits.reserve(command.after.size());
    for (const std::uint32_t each : command.after)
      waits.push_back(events[each].get());
    if (waits.empty()) waits.assign(deps.begin(), deps.end());
    return waits;
  };
  for (std::size_t i = 0; i < commands.size(); ++i) {
    const Command& command = commands[i];
    Queue& queue = *queues[command.lane];
    const std::vector<Event*> waits = waitsOf(command);
    if (isLaunch(command)) {
      const Dispatch& dispatch = *command.dispatch;
      const Kernel& kernel = *dispatch.state;
      const AskedRange range{CL_COMMAND_NDRANGE_KERNEL, dispatch.dimensions, dispatch.offset.data(),
                             dispatch.global.data(), dispatch.hasLocal ? dispatch.local.data() : nullptr};
      events.push_back(captures.submit(queue, kernel, range,
                                       kernel.launch(queue.device(), queue.home(), *kernel.codeFor(queue.device()),
                                                     dispatch.range, /*mayTry=*/false),
                                       waits));
      continue;
    }
    Sequence one{
        .owner = recording,
        .commands =
            std::span(recording->commands()).subspan(recording->plan()->positionOf(static_cast<std::uint32_t>(i)), 1)};
    events.push_back(queue.submit(CL_COMMAND_COMMAND_BUFFER_KHR, std::move(one), waits));
  }
  std::vector<Event*> all(deps.begin(), deps.end());
  for (const Ref<Event>& event : events)
    all.push_back(event.get());
  Ref<Event> whole =
      queues.front()->submit(CL_COMMAND_COMMAND_BUFFER_KHR, Nothing{}, all, isWanted || queues.size() > 1);
  Event* const before = whole.get();
  for (const Ref<Queue>& queue : queues)
    if (queue != queues.front()) queue->submit(CL_COMMAND_MARKER, Nothing{}, {&before, 1}, /*isWanted=*/false);
  return whole;
}

} // namespace clotho
