// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/capture/captures.hpp"

#include "base/log.hpp"
#include "base/options.hpp"
#include "runtime/capture/launch_capture.hpp"
#include "runtime/objects/kernel.hpp"
#include "runtime/objects/queue.hpp"

namespace clotho {

std::unique_ptr<Captures> Captures::fromOptions() {
  std::string why;
  auto choice = capture::Choice::parse(options().capture, why);
  if (!why.empty()) CLOTHO_LOG(Runtime, Error, "CLOTHO_CAPTURE: %s", why.c_str());
  return choice ? std::make_unique<Captures>(std::move(*choice)) : nullptr;
}

std::uint64_t Captures::count(const std::string& kernel) {
  if (!choice_.wantsKernel(kernel)) return 0;
  MutexLock lock(mutex_);
  const std::uint64_t number = ++counts_[kernel];
  return choice_.wantsLaunch(number) ? number : 0;
}

void Captures::complain(const std::string& what) noexcept {
  const bool isFirst = !hasComplained_.exchange(true, std::memory_order_relaxed);
  if (isFirst)
    CLOTHO_LOG(Runtime, Error, "CLOTHO_CAPTURE: %s", what.c_str());
  else
    CLOTHO_LOG(Runtime, Info, "CLOTHO_CAPTURE: %s", what.c_str());
}

Ref<Event> Captures::submit(Queue& queue, const Kernel& kernel, const AskedRange& range, Command&& launch,
                            WaitList deps) {
  std::unique_ptr<LaunchCapture> capture;
  const std::uint64_t number = std::holds_alternative<Launch>(launch) ? count(kernel.info().name) : 0;
  if (number != 0) {
    try {
      capture = std::make_unique<LaunchCapture>(*this, queue, kernel, range, number, choice_.folder);
    } catch (const Error& error) {
      complain("a launch of kernel '" + kernel.info().name + "' is not captured: " + error.why);
    }
  }
  if (!capture) return queue.submit(range.type, std::move(launch), deps);
  return LaunchCapture::submit(std::move(capture), range.type, std::move(launch), deps);
}

} // namespace clotho
