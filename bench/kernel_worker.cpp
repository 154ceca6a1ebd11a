// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "kernel_worker.hpp"

#include "contender.hpp"
#include "session.hpp"
#include "statistics.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <iostream>
#include <sstream>
#include <stdexcept>

namespace bench {

namespace {

constexpr double kSample = 4; ///< ms: iterations of a sample together take this at least, so that clocks do not matter
/// ms: an OpenCL driver may find out by running a kernel how it is best run, so each runs so long before it is
/// measured; where it is no CPU, there are versions for images at most.
constexpr double kSettled = 1000, kSettledAlone = 300;
constexpr double kSamples = 40; ///< ms: all samples of a request together

double timeOf(Contender& contender, int iterations) {
  auto begin = Clock::now();
  contender.run(iterations);
  return milliseconds(Clock::now() - begin) / iterations;
}

class KernelWorker {
 public:
  explicit KernelWorker(const std::string& who) : compilers_(hostCompilers()) {
    if (compilers_.empty()) throw std::runtime_error("no library with the C++ versions of the kernels is there");
    reference_ = referenceContender(who);
    const std::string_view spirv = kSpirvSeat, cuda = kCudaSeat;
    isHost_ = std::find(compilers_.begin(), compilers_.end(), who) != compilers_.end();
    contender_ = isHost_                  ? hostContender(who)
                 : who.starts_with(spirv) ? openClContender(who.substr(spirv.size()))
                 : who.starts_with(cuda)  ? cudaContender(who.substr(cuda.size()))
                                          : openClContender();
  }

  std::string answer(const std::string& request) {
    std::istringstream words(request);
    std::string verb, name, scale;
    words >> verb >> name >> scale;
    if (verb == "prepare") return prepare(name, scale);
    if (verb == "measure") return measure();
    if (verb == "drop") {
      contender_->drop();
      return "dropped";
    }
    throw std::runtime_error("unknown request: " + request);
  }

  void dropAfterError() { contender_->drop(); }

 private:
  /// Two OpenMP libraries in one process: the reference's must not bind the thread that the measured one will see, or
  /// that one finds a single processor.
  std::unique_ptr<Contender> referenceContender(const std::string& who) {
    const char* binding = getenv("OMP_PROC_BIND");
    if (!binding || who == compilers_.front()) return hostContender(compilers_.front());
    const std::string kept = binding;
    unsetenv("OMP_PROC_BIND");
    std::unique_ptr<Contender> reference = hostContender(compilers_.front());
    setenv("OMP_PROC_BIND", kept.c_str(), 1);
    return reference;
  }

  std::string prepare(const std::string& name, const std::string& scale) {
    const KernelCase* what = findKernelCase(name);
    if (!what) throw std::runtime_error("no such kernel: " + name);
    problem_ = what->make(Scale{scale == "quick"});
    contender_->prepare(*what, problem_);
    std::optional<double> build = contender_->rebuild(0);
    contender_->reset();
    contender_->run(1);
    std::optional<std::string> wrong = verify(*what);
    if (build) build = timeToBuild(*build, scale == "full" ? 3 : 1);
    if (!isHost_ && scale == "full") settle(kSettled);
    if (!isHost_ && scale == "alone") settle(kSettledAlone);
    std::ostringstream answer;
    answer << "ready ";
    if (build)
      answer << *build;
    else
      answer << '-';
    answer << (wrong ? " WRONG " + *wrong : " verified");
    return answer.str();
  }

  std::optional<std::string> verify(const KernelCase& what) {
    reference_->prepare(what, problem_);
    reference_->run(1);
    std::optional<std::string> wrong;
    for (std::size_t i = 0; i < problem_.buffers.size() && !wrong; ++i) {
      if (!problem_.buffers[i].result) continue;
      Buffer expected = problem_.buffers[i];
      expected.content = reference_->read(static_cast<int>(i));
      wrong = difference(expected, contender_->read(static_cast<int>(i)));
      if (wrong) wrong = "buffer " + std::to_string(i) + ": " + *wrong;
    }
    reference_->drop();
    return wrong;
  }

  /// The first build is not the only one where building is fast enough for more. The iteration in it is no part of the
  /// time.
  double timeToBuild(double first, int builds) {
    double iteration = timeOf(*contender_, 1);
    std::vector<double> samples = {first};
    for (int number = 1; number < builds && first < 150; ++number)
      samples.push_back(*contender_->rebuild(number));
    return std::max(0.0, *median(samples) - iteration);
  }

  void settle(double time) {
    const auto begin = Clock::now();
    do
      contender_->run(1);
    while (milliseconds(Clock::now() - begin) < time);
  }

  std::string measure() {
    contender_->run(1);
    double once = timeOf(*contender_, 1);
    int iterations = static_cast<int>(std::clamp(std::ceil(kSample / once), 1.0, 1000.0));
    std::vector<double> samples;
    auto begin = Clock::now();
    do
      samples.push_back(timeOf(*contender_, iterations));
    while (samples.size() < 2 || milliseconds(Clock::now() - begin) < kSamples);
    return std::to_string(*median(samples));
  }

  Problem problem_;
  std::vector<std::string> compilers_;
  bool isHost_ = false; ///< the measured one is a C++ compiler's code
  std::unique_ptr<Contender> reference_, contender_;
};

} // namespace

void serveKernelRequests(const std::string& who) {
  KernelWorker worker(who);
  for (std::string request; std::getline(std::cin, request);) {
    std::string answer;
    try {
      answer = worker.answer(request);
    } catch (const std::exception& error) {
      answer = std::string("error ") + error.what();
      worker.dropAfterError();
    }
    for (char& c : answer)
      if (c == '\n') c = ' ';
    std::cout << answer << std::endl;
  }
}

} // namespace bench
