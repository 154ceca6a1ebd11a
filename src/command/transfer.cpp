// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "command/transfer.hpp"

#include "base/log.hpp"

namespace clotho {

Transfer::Transfer(Storage& storage, DeviceQueue& queue, HomeId from, HomeId to, Range range, std::uint64_t version)
    : Node(&queue, work_, state_, /*isTimed=*/false), storage_(storage), from_(from), to_(to), range_(range),
      version_(version), work_(Copy{.source = storage.address(from) + range.begin,
                                    .target = storage.address(to) + range.begin,
                                    .rowBytes = range.end - range.begin}) {
  failAlike();
}

void Transfer::ended(cl_int status, WorkList&) noexcept { storage_->transferEnded(*this, status >= 0); }

void Transfer::report(std::string message, LogLevel level) noexcept {
  if (logEnabled(LogArea::Device, level))
    logLine(LogArea::Device, level, "moving bytes between memories: %s", message.c_str());
}

} // namespace clotho
