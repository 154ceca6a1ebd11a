// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/versions/specialiser.hpp"

#include "runtime/objects/program.hpp"
#include "runtime/process.hpp"
#include "runtime/versions/specialise_option.hpp"
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
    recordNews(*version, launched);
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
  recordNews(*version, launched);
  if (!isOne) recordNews(acting, launched);
  return code;
}

template <class Work> bool Specialiser::inBackground(Device& device, CodeScope scope, Work work) noexcept {
  try {
    Process::get().builders().post([self = Ref<Program>(program_), request = program_.requestLike(device, scope),
                                    work = std::move(work)] { work(request); });
    return true;
  } catch (const std::exception&) {
    return false;
  }
}

void Specialiser::build(SpecialisedKernel& version, const Launched& launched) noexcept {
  if (options().specialise >= kAtOnce) {
    try {
      return version.build(program_.requestLike(launched.device, launched.scope));
    } catch (const std::exception&) {
      return version.forgo(); // out of memory
    }
  }
  if (!inBackground(launched.device, launched.scope, [&version](const BuildRequest& like) { version.build(like); }))
    version.forgo();
}

void Specialiser::buildWidth(SpecialisedKernel& version, const Launched& launched) noexcept {
  const auto wanted = version.wantedWidth();
  if (wanted && !inBackground(launched.device, launched.scope, [&version, wanted = *wanted](const BuildRequest& like) {
        version.buildWidth(like, wanted);
      }))
    version.forgoWidth(*wanted);
}

void Specialiser::recall(SpecialisedKernel& version, const Launched& launched) noexcept {
  if (!inBackground(launched.device, launched.scope, [&version](const BuildRequest& like) { version.recall(like); }))
    version.forgo();
}

/// Once for a process, whatever the record says: a version that was dropped is to be tried again, too.
void Specialiser::countStart(const Launched& launched) noexcept {
  if (launched.tuned == nullptr || isStartCounted_.exchange(true, std::memory_order_relaxed)) return;
  (void)inBackground(launched.device, kTuningScope,
                     [](const BuildRequest& program) { Process::get().compiler().countTunedStart(program); });
}

/// Keeps what has been found out, if there is anything new. Without memory, another process finds it out again.
void Specialiser::recordNews(SpecialisedKernel& version, const Launched& launched) noexcept {
  if (options().specialise != kInBackground) return;
  try {
    if (std::optional<TunedCode> news = version.takeNews())
      (void)inBackground(launched.device, kTuningScope, [news = *std::move(news)](const BuildRequest& program) {
        Process::get().compiler().keepTuned(program, news);
      });
  } catch (const std::exception&) {
    // Out of memory.
  }
}

} // namespace clotho
