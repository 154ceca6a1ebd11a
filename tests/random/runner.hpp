// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Runs programs in child processes, one for each way to run them, and compares.
#pragma once

#include "worker.hpp"

#include <sys/types.h>

namespace clotho::fuzz {

/// A way to run programs: a width of Clotho's, others of its devices, or another driver.
struct Way {
  std::string name;
  int width = 0;
  std::string icd{};     // of the other driver
  std::string devices{}; // a value of CLOTHO_DEVICES
  std::string mistake{}; // as in Work
};

/// What became of one program in one way.
struct Outcome {
  std::string failure;
  std::vector<std::string> runs;  // by variant: the hashes, as text
  std::vector<std::string> words; // buffer by buffer, if asked for
};
using Outcomes = std::map<std::uint64_t, Outcome>;

struct Options {
  std::uint64_t first = 0;
  std::uint64_t last = 0;
  std::vector<Way> ways;
  int jobs = 1;
  int timeout = 120; // seconds without a word from a child
  std::uint64_t batch = 8;
  std::string self; // path of this program
};

/// A child process at its work, with the pipe that it tells its results by.
class Child {
 public:
  Child(const Options& options, const Way& way, const Work& work);
  ~Child();
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  int pipe() const { return pipe_; }
  /// Takes what has arrived; false when the child has ended. Lines go to `outcomes`.
  bool read(Outcomes& outcomes);
  /// Seconds since the last word.
  double silence() const;
  void kill();
  /// After the end: how it failed, or empty.
  std::string wait();
  const Way& way;
  const Work work;
  /// The batch in progress; first > last: none is.
  std::uint64_t batchFirst = 1;
  std::uint64_t batchLast = 0;

 private:
  void line(const std::string& text, Outcomes& outcomes);
  pid_t pid_ = -1;
  int pipe_ = -1;
  std::string rest_;
  double lastWord_ = 0;
  bool timedOut_ = false;
};

/// What becomes of one program in one way.
Outcome runOne(const Options& options, const Way& way, const Work& work);

/// The difference of two outcomes in words; empty: none. The reference is compared with itself too: by local size.
std::string difference(const Launch& launch, const Way& reference, const Outcome& expected, const Way& way,
                       const Outcome& outcome);

/// The number of seeds that differ, each told on standard output.
int compareAll(const Options& options);

/// Prints a smaller program that still differs; 1: it does, 0: there was no difference.
int reduce(const Options& options);

} // namespace clotho::fuzz
