// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "spelling_worker.hpp"

#include "contender.hpp"
#include "spelling.hpp"

#include <algorithm>
#include <cmath>
#include <ctime>
#include <iostream>
#include <map>
#include <sstream>
#include <stdexcept>

namespace bench {

namespace {

constexpr double kSample = 25; ///< ms of processor time that a sample takes at least

/// Of all threads of this process, in ms.
double processorTime() {
  timespec time{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return 1e3 * static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_nsec);
}

/// A spelling with its data on the device and its kernels built.
class Prepared {
 public:
  Prepared(const Spelling& spelling, const std::string& family, Scale scale)
      : name_(spelling.name), folder_("spellings/" + family), made_(spelling.make(scale)),
        contender_(openClContender()) {
    KernelCase what{name_.c_str(), folder_.c_str(), nullptr};
    what.folder = folder_.c_str();
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

  const std::string name_, folder_;
  const SpelledProblem made_;
  const std::unique_ptr<Contender> contender_;
};

class SpellingWorker {
 public:
  std::string answer(const std::string& request) {
    std::istringstream words(request);
    std::string verb, path, scale;
    words >> verb >> path >> scale;
    if (verb == "prepare") return prepare(path, scale);
    if (verb == "measure") return std::to_string(prepared_.at(path)->measure());
    throw std::runtime_error("unknown request: " + request);
  }

 private:
  std::string prepare(const std::string& path, const std::string& scale) {
    const Spelling* spelling = findSpelling(path);
    if (!spelling) throw std::runtime_error("no such spelling: " + path);
    auto made = std::make_unique<Prepared>(*spelling, path.substr(0, path.find('/')), Scale{scale == "quick"});
    if (std::optional<std::string> wrong = made->verify()) return "WRONG " + *wrong;
    prepared_[path] = std::move(made);
    return "verified";
  }

  std::map<std::string, std::unique_ptr<Prepared>> prepared_;
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
