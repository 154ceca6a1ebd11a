// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/versions/specialiser.hpp"

#include "base/options.hpp"
#include "runtime/objects/program.hpp"
#include "runtime/process.hpp"
#include "runtime/versions/specialised_kernel.hpp"

#include <algorithm>

namespace clotho {

Specialiser::Specialiser(Program& program) : program_(program) {}

/// Versions for values, which came later, may have those for any on trial.
Specialiser::~Specialiser() {
  MutexLock lock(mutex_);
  while (!all_.empty())
    all_.pop_back();
}

SpecialisedKernel* Specialiser::findOrMake(const Launched& launched, const CodeVersion& version) {
  const bool knowsValues = version.knowsIntegers();
  unsigned ofKernel = 0;
  for (const auto& each : all_) {
    if (each->isFor(launched.device, launched.general, version)) return each.get();
    ofKernel += each->isOf(launched.general) && each->knowsValues() == knowsValues ? 1 : 0;
  }
  // One more serves all launches that have no version of their own.
  if (!version.isGeneral() && ofKernel >= (knowsValues ? kMostForValues : kMostOfAKernel)) return nullptr;
  SpecialisedKernel* without = knowsValues ? findOrMake(launched, version.withoutIntegers()) : nullptr;
  if (knowsValues && without == nullptr) return nullptr;
  SpecialisedKernel* made =
      all_.emplace_back(std::make_unique<SpecialisedKernel>(
                            launched.device, launched.general, version, without,
                            launched.tuned ? launched.tuned->find(launched.general.info().name, version) : nullptr))
          .get();
  if (without != nullptr) without->addForValues(*made);
  return made;
}

SpecialisedKernel* Specialiser::find(const Launched& launched, const CodeVersion& version) {
  SpecialisedKernel* found = nullptr;
  {
    MutexLock lock(mutex_);
    found = findOrMake(launched, version);
    if (found == nullptr && version.knowsIntegers()) {
      found = findOrMake(launched, version.withoutIntegers());
      if (found != nullptr) found->serveOtherValues();
    }
  }
  if (found != nullptr) found->expect(program_.secondsFor(launched.built, launched.general));
  return found;
}

LoadedCode Specialiser::codeFor(const Launched& launched, std::atomic<SpecialisedKernel*>& last) {
  // Another object would have program-scope variables of its own.
  if (options().specialise < kInBackground || launched.built.portable.empty() ||
      launched.built.hasProgramScopeVariables)
    return {&launched.general};
  SpecialisedKernel* version = last.load(std::memory_order_acquire); // perhaps made by another thread
  if (version == nullptr || !version->isOf(launched.general) || !version->isFor(launched.version)) {
    countStart(launched);
    version = find(launched, launched.version);
    if (version != nullptr) last.store(version, std::memory_order_release);
    // Too many versions: what serves any launch is better than what the first build has made.
    if (version == nullptr && launched.general.limits().lacksFaster) version = find(launched, {});
    if (version == nullptr) return {&launched.general};
  }
  if (const DeviceKernel* settled = version->settled()) {
    tell(*version, launched);
    return {settled};
  }
  SpecialisedKernel& acting = version->acting();
  const bool isOne = &acting == version;
  if (version->wantsRecall()) recall(*version, launched);
  if (!isOne && acting.wantsRecall()) recall(acting, launched);
  if (version->isWorthBuilding(launched.items))
    build(*version, launched);
  else if (!isOne && acting.isWorthBuilding(launched.items))
    build(acting, launched);
  if (launched.mayTry) buildWidth(acting, launched);
  LoadedCode code = version->code(launched.mayTry);
  tell(*version, launched);
  if (!isOne) tell(acting, launched);
  return code;
}

void Specialiser::build(SpecialisedKernel& version, const Launched& launched) noexcept {
  try {
    BuildRequest request = program_.requestLike(launched.device, launched.scope);
    if (options().specialise >= kAtOnce) return version.build(request);
    Process::get().builders().post(
        [self = Ref<Program>(program_), &version, request = std::move(request)] { version.build(request); });
  } catch (const std::exception&) { // out of memory: launches go on as they are
    version.forgo();
  }
}

void Specialiser::buildWidth(SpecialisedKernel& version, const Launched& launched) noexcept {
  const auto wanted = version.wantedWidth();
  if (!wanted) return;
  try {
    BuildRequest request = program_.requestLike(launched.device, launched.scope);
    Process::get().builders().post([self = Ref<Program>(program_), &version, request = std::move(request),
                                    wanted = *wanted] { version.buildWidth(request, wanted); });
  } catch (const std::exception&) { // out of memory: launches go on as they are
    version.forgoWidth(*wanted);
  }
}

void Specialiser::recall(SpecialisedKernel& version, const Launched& launched) noexcept {
  try {
    BuildRequest request = program_.requestLike(launched.device, launched.scope);
    Process::get().builders().post(
        [self = Ref<Program>(program_), &version, request = std::move(request)] { version.recall(request); });
  } catch (const std::exception&) {
    version.forgo();
  }
}

/// Once for a process, whatever the record says: a version that was dropped is to be tried again, too.
void Specialiser::countStart(const Launched& launched) noexcept {
  if (launched.tuned == nullptr || isStartCounted_.exchange(true, std::memory_order_relaxed)) return;
  try {
    Process::get().builders().post(
        [self = Ref<Program>(program_), program = program_.requestLike(launched.device, kTuningScope)] {
          Process::get().compiler().countTunedStart(program);
        });
  } catch (const std::exception&) {
    // Out of memory: another process counts its start.
  }
}

/// Keeps what has been found out, if there is anything new.
void Specialiser::tell(SpecialisedKernel& version, const Launched& launched) noexcept {
  try {
    std::optional<TunedCode> news = version.takeNews();
    if (!news || options().specialise != kInBackground) return;
    BuildRequest program = program_.requestLike(launched.device, kTuningScope);
    Process::get().builders().post([self = Ref<Program>(program_), program = std::move(program),
                                    news = *std::move(news)] { Process::get().compiler().keepTuned(program, news); });
  } catch (const std::exception&) {
    // Out of memory: it is found out again by others.
  }
}

} // namespace clotho
