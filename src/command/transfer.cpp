// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "command/transfer.hpp"

#include "base/log.hpp"
#include "trace/trace.hpp"

namespace clotho {

Transfer::Transfer(Storage& storage, DeviceQueue& queue, HomeId from, HomeId to, Range range, std::uint64_t version)
    : Node(&queue, work_, state_, trace::isOn()), storage_(storage), from_(from), to_(to), range_(range),
      version_(version), work_(Copy{.source = storage.address(from) + range.begin,
                                    .target = storage.address(to) + range.begin,
                                    .rowBytes = range.end - range.begin}) {
  failAlike();
  if (!trace::isOn()) return;
  setTraced(trace::transferQueue(&queue));
  stamp(Queued);
}

void Transfer::stamp(Stamp stamp) noexcept { stamps_[stamp] = trace::stampNow(); }

void Transfer::storeTimes(std::uint64_t started, std::uint64_t ended) noexcept {
  stamps_[Started] = started;
  stamps_[Completed] = ended;
}

void Transfer::traceEnd(cl_int status) noexcept {
  static constinit const trace::Name kToHost("to the host"), kToDevice("to the device"),
      kBetween("from another device");
  trace::add(trace::CommandRun{.queued = stamps_[Queued],
                               .submitted = stamps_[Submitted],
                               .started = stamps_[Started],
                               .ended = stamps_[Completed],
                               .amount = range_.end - range_.begin,
                               .id = traceId(),
                               .name = (to_ == kHostHome     ? kToHost
                                        : from_ == kHostHome ? kToDevice
                                                             : kBetween)
                                           .id(),
                               .status = status,
                               .ranHere = runsHere()});
}

void Transfer::ended(cl_int status, WorkList&) noexcept { storage_->transferEnded(*this, status >= 0); }

void Transfer::report(std::string message, LogLevel level) noexcept {
  if (logEnabled(LogArea::Device, level))
    logLine(LogArea::Device, level, "moving bytes between memories: %s", message.c_str());
}

} // namespace clotho
