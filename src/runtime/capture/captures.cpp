// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/capture/captures.hpp"

#include "base/log.hpp"
#include "base/options.hpp"
#include "runtime/capture/launch_capture.hpp"
#include "runtime/objects/kernel.hpp"
#include "runtime/objects/queue.hpp"

#include <filesystem>
#include <new>

namespace clotho {

namespace {

std::string textOf(const std::string& value) { return value; }
std::string textOf(std::uint64_t value) { return std::to_string(value); }
std::string textOf(bool value) { return value ? "1" : "0"; }

/// Whether a replay has the option, too: neither the process that is captured has its node any more, nor may the secret
/// of that be in a file that is passed on.
bool isKept(std::string_view variable) { return !variable.starts_with("CLOTHO_CLUSTER"); }

/// Options that are not as they are without a word of the user.
std::vector<capture::Named> changedOptions() {
  const Options defaults;
  std::vector<capture::Named> changed;
#define OPTION(field, type, standard, variable, help)                                                                  \
  if (options().field != defaults.field && isKept(variable)) changed.push_back({variable, textOf(options().field)});
#include "base/options.def"
#undef OPTION
  return changed;
}

} // namespace

std::unique_ptr<Captures> Captures::fromOptions() {
  std::string why;
  auto choice = capture::Choice::parse(options().capture, why);
  if (!why.empty()) CLOTHO_LOG(Runtime, Error, "CLOTHO_CAPTURE: %s", why.c_str());
  if (!choice) return nullptr;
  // The process may change its folder later.
  std::error_code ignored;
  if (const auto folder = std::filesystem::absolute(choice->folder, ignored); !ignored)
    choice->folder = folder.string();
  return std::make_unique<Captures>(std::move(*choice), changedOptions());
}

std::uint64_t Captures::count(const std::string& kernel) {
  if (!choice_.wantsKernel(kernel)) return 0;
  MutexLock lock(mutex_);
  const std::uint64_t number = ++counts_[kernel];
  return choice_.wantsLaunch(number) ? number : 0;
}

bool Captures::wantAny(const std::map<std::string, std::uint64_t, std::less<>>& launches) {
  MutexLock lock(mutex_);
  for (const auto& [kernel, count] : launches) {
    if (!choice_.wantsKernel(kernel)) continue;
    const auto known = counts_.find(kernel);
    const std::uint64_t before = known == counts_.end() ? 0 : known->second;
    for (std::uint64_t number = before + 1; number <= before + count; ++number)
      if (choice_.wantsLaunch(number)) return true;
  }
  for (const auto& [kernel, count] : launches)
    if (choice_.wantsKernel(kernel)) counts_[kernel] += count;
  return false;
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
    } catch (const std::bad_alloc&) {
      complain("no memory to capture a launch");
    }
  }
  if (!capture) return queue.submit(range.type, std::move(launch), deps);
  return LaunchCapture::submit(std::move(capture), range.type, std::move(launch), deps);
}

} // namespace clotho
