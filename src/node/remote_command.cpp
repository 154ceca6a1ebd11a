// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "node/remote_command.hpp"

#include "base/clock.hpp"
#include "node/session.hpp"

namespace clotho::node {

namespace {

bool isInto(const Command& command, const SlotBuffer& slots) noexcept {
  const auto* copy = std::get_if<Copy>(&command);
  return copy && slots.size != 0 && copy->target == slots.memory.get();
}

} // namespace

RemoteCommand::RemoteCommand(Session& session, std::shared_ptr<DeviceQueue> queue, std::uint64_t number,
                             Command&& command, SlotBuffer slots)
    : Node(queue.get(), work_, state_, /*isTimed=*/true), session_(session), queue_(std::move(queue)), number_(number),
      work_(std::move(command)), slots_(std::move(slots)), writesSlots_(isInto(work_, slots_)) {}

RemoteCommand::~RemoteCommand() = default;

void RemoteCommand::report(std::string message, LogLevel level) noexcept {
  session_->report(number_, std::move(message), level);
}

void RemoteCommand::print(std::string_view text) noexcept { session_->print(number_, text); }

void RemoteCommand::stamp(Stamp stamp) noexcept { stamps_[stamp] = hostTime(); }

void RemoteCommand::storeTimes(std::uint64_t started, std::uint64_t ended) noexcept {
  stamps_[Started] = started;
  stamps_[Completed] = ended;
}

void RemoteCommand::ended(cl_int status, WorkList&) noexcept {
  session_->ended(*this, {.number = number_,
                          .status = static_cast<std::uint32_t>(status),
                          .started = stamps_[Started] != 0 ? stamps_[Started] : stamps_[Completed],
                          .ended = stamps_[Completed]});
}

} // namespace clotho::node
