// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "spelling_worker.hpp"

#include "contender.hpp"
#include "spelling.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <ctime>
#include <iostream>
#include <map>
#include <regex>
#include <sstream>
#include <stdexcept>

namespace bench {

namespace {

/// ms of processor time, and of time: a driver may find out by running a kernel how it is best run, and what it builds
/// meanwhile takes no less time where the kernel has many processors.
constexpr double kSettled = 1500;
constexpr double kSample = 25; ///< ms of processor time that a sample takes at least

/// Processor time of all threads of this process, in ms.
double processorTime() {
  timespec time{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return 1e3 * static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_nsec);
}

/// A spelling or one of the other table's kernels with its data on the device and its kernels built.
class Prepared {
 public:
  Prepared(const KernelCase& what, SpelledProblem made, const std::string& options)
      : made_(std::move(made)), contender_(openClContender()) {
    made_.problem.options += options;
    contender_->prepare(what, made_.problem);
    contender_->rebuild(0);
  }

  /// Nothing, or how the result of one iteration differs from what it must be.
  std::optional<std::string> verify() {
    contender_->reset();
    contender_->run(1);
    Buffer expected = made_.problem.buffers[static_cast<std::size_t>(made_.result)];
    expected.content = made_.expected;
    return difference(expected, contender_->read(made_.result));
  }

  /// The processor time after an iteration.
  double run() {
    contender_->reset();
    contender_->run(1);
    return processorTime();
  }

  std::string widths() const {
    const std::string log = contender_->log();
    const std::regex line("kernel [^:]*: ([0-9]+) work-item");
    std::string widths;
    for (std::sregex_iterator match(log.begin(), log.end(), line), end; match != end; ++match)
      widths += (widths.empty() ? "" : ",") + (*match)[1].str();
    if (widths.empty()) throw std::runtime_error("the build log has no report");
    return widths;
  }

  void settle() {
    const double end = processorTime() + kSettled;
    const auto endOfTime = std::chrono::steady_clock::now() + std::chrono::duration<double, std::milli>(kSettled);
    do
      contender_->run(1);
    while (processorTime() < end || std::chrono::steady_clock::now() < endOfTime);
  }

  /// The first iteration brings code and data back into the caches, which others have used since.
  double measure() {
    const double once = timeOf(1);
    return timeOf(static_cast<int>(std::clamp(std::ceil(kSample / once), 1.0, 1000.0)));
  }

 private:
  double timeOf(int iterations) {
    const double begin = processorTime();
    contender_->run(iterations);
    return (processorTime() - begin) / iterations;
  }

  SpelledProblem made_;
  const std::unique_ptr<Contender> contender_;
};

class SpellingWorker {
 public:
  std::string answer(const std::string& request) {
    std::istringstream words(request);
    std::string verb, path, scale, options;
    words >> verb >> path >> scale;
    std::getline(words, options);
    if (verb == "prepare") return prepare(path, scale == "quick", options);
    if (verb == "settle") {
      prepared_.at(path)->settle();
      return "settled";
    }
    if (verb == "widths") return prepared_.at(path)->widths();
    if (verb == "run") return std::to_string(prepared_.at(path)->run() - begins_.at(path));
    if (verb == "measure") return std::to_string(prepared_.at(path)->measure());
    throw std::runtime_error("unknown request: " + request);
  }

 private:
  std::string prepare(const std::string& path, bool isQuick, const std::string& options) {
    begins_[path] = processorTime();
    const std::string family = path.substr(0, path.find('/')), name = path.substr(path.find('/') + 1);
    if (family == kKernelFamily) {
      const KernelCase* what = findKernelCase(name);
      if (!what) throw std::runtime_error("no such kernel: " + name);
      prepared_[path] = std::make_unique<Prepared>(*what, SpelledProblem{what->make(Scale{isQuick}), 0, {}}, options);
      return "made";
    }
    const Spelling* spelling = findSpelling(path);
    if (!spelling) throw std::runtime_error("no such spelling: " + path);
    const std::string folder = "spellings/" + family;
    KernelCase what{spelling->name.c_str(), folder.c_str(), nullptr};
    what.folder = folder.c_str();
    auto made = std::make_unique<Prepared>(what, spelling->make(Scale{isQuick}), options);
    if (std::optional<std::string> wrong = made->verify()) return "WRONG " + *wrong;
    if (!isQuick) made->settle();
    prepared_[path] = std::move(made);
    return "verified";
  }

  std::map<std::string, std::unique_ptr<Prepared>> prepared_;
  std::map<std::string, double> begins_; ///< processor time when a program was begun
};

} // namespace

void serveSpellingRequests() {
  SpellingWorker worker;
  for (std::string request; std::getline(std::cin, request);) {
    std::string answer;
    try {
      answer = worker.answer(request);
    } catch (const std::exception& error) {
      answer = std::string("error ") + error.what();
    }
    std::replace(answer.begin(), answer.end(), '\n', ' ');
    std::cout << answer << std::endl;
  }
}

} // namespace bench
