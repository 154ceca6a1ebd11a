// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// clotho-random: random kernels, run at every width and with several local sizes, must give the same results.
#include "generator.hpp"
#include "printer.hpp"
#include "runner.hpp"

#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <iostream>
#include <sstream>
#include <stdexcept>

namespace {

using namespace clotho::fuzz;

const char* const kUsage =
    "usage: clotho-random --seeds A-B [--widths 1,4,8,16,0] [--devices LIST] [--vendor ICD]\n"
    "                     [--jobs N] [--timeout SECONDS] [--batch N]\n"
    "       clotho-random --print SEED [--edits EDITS]\n"
    "       clotho-random --reduce SEED [--widths 1,8] [--devices LIST] [--vendor ICD]\n"
    "With --mistake FROM=TO the text of the programs is changed for all ways but the first: to see it found.\n"
    "Compares with the first width; 0 is the device's own choice. --devices adds the first of other devices of\n"
    "Clotho, as CLOTHO_DEVICES names them; --vendor adds another driver, by its .icd file.\n"
    "Status: 0 no difference, 1 differences (a line each), 2 nothing could be run.\n";

struct Arguments {
  enum class Task : std::uint8_t { None, Compare, Print, Reduce, Work };
  Task task = Task::None;
  Options options;
  Work work;
  std::string vendor, devices;
  std::string widths = "1,4,8,16,0";
};

void range(const std::string& text, std::uint64_t& first, std::uint64_t& last) {
  char* after = nullptr;
  first = last = std::strtoull(text.c_str(), &after, 10);
  if (*after == '-') last = std::strtoull(after + 1, &after, 10);
  if (text.empty() || *after || last < first) throw std::invalid_argument("not a range of seeds: " + text);
}

Arguments parse(int argc, char** argv) {
  Arguments result;
  for (int i = 1; i < argc; ++i) {
    const std::string name = argv[i];
    if (name == "--dump") {
      result.work.dump = true;
      continue;
    }
    if (++i == argc) throw std::invalid_argument(name);
    const std::string value = argv[i];
    const auto seeds = [&](Arguments::Task task) {
      result.task = task;
      range(value, result.options.first, result.options.last);
    };
    if (name == "--seeds")
      seeds(Arguments::Task::Compare);
    else if (name == "--print")
      seeds(Arguments::Task::Print);
    else if (name == "--reduce")
      seeds(Arguments::Task::Reduce);
    else if (name == "--worker")
      seeds(Arguments::Task::Work);
    else if (name == "--widths")
      result.widths = value;
    else if (name == "--vendor")
      result.vendor = value;
    else if (name == "--devices")
      result.devices = value;
    else if (name == "--jobs")
      result.options.jobs = std::max(1, std::atoi(value.c_str()));
    else if (name == "--timeout")
      result.options.timeout = std::max(1, std::atoi(value.c_str()));
    else if (name == "--batch")
      result.options.batch = std::max<std::uint64_t>(1, std::strtoull(value.c_str(), nullptr, 10));
    else if (name == "--mistake")
      result.work.mistake = value;
    else if (name == "--edits")
      result.work.edits = editsFromText(value);
    else
      throw std::invalid_argument(name);
  }
  if (result.task == Arguments::Task::None) throw std::invalid_argument("nothing to do");
  result.work.first = result.options.first;
  result.work.last = result.options.last;
  result.work.batch = result.options.batch;
  std::istringstream widths(result.widths);
  for (std::string width; std::getline(widths, width, ',');)
    result.options.ways.push_back({"width " + width, std::atoi(width.c_str())});
  if (!result.vendor.empty()) result.options.ways.push_back({.name = "the other driver", .icd = result.vendor});
  if (!result.devices.empty()) result.options.ways.push_back({.name = result.devices, .devices = result.devices});
  if (result.options.ways.empty()) throw std::invalid_argument("--widths");
  for (std::size_t i = 1; i < result.options.ways.size(); ++i)
    result.options.ways[i].mistake = result.work.mistake;
  result.options.self = std::filesystem::read_symlink("/proc/self/exe").string();
  return result;
}

int printPrograms(const Arguments& arguments) {
  for (std::uint64_t seed = arguments.work.first; seed <= arguments.work.last; ++seed) {
    Program program = generate(seed);
    applyEdits(program, arguments.work.edits);
    std::istringstream launch(describe(program.launch));
    std::printf("// seed %" PRIu64 ", -cl-std=%s\n", seed, languageOf(seed));
    for (std::string line; std::getline(launch, line);)
      std::printf("// %s\n", line.c_str());
    std::printf("%s", print(program).c_str());
  }
  return 0;
}

} // namespace

int main(int argc, char** argv) {
  try {
    const Arguments arguments = parse(argc, argv);
    setenv("OCL_ICD_VENDORS", CLOTHO_ICD, 0); // the driver of this build, if nothing else is asked for
    switch (arguments.task) {
    case Arguments::Task::Print: return printPrograms(arguments);
    case Arguments::Task::Work: return work(arguments.work);
    case Arguments::Task::Reduce: return reduce(arguments.options);
    default: break;
    }
    const int differing = compareAll(arguments.options);
    std::printf("%" PRIu64 " programs, %d with a difference\n", arguments.options.last - arguments.options.first + 1,
                differing);
    return differing ? 1 : 0;
  } catch (const std::invalid_argument& error) {
    std::fprintf(stderr, "clotho-random: %s\n%s", error.what(), kUsage);
    return 2;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "clotho-random: %s\n", error.what());
    return 2;
  }
}
