// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cuda_compiler.hpp"

#include "cuda_source.hpp"

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <thread>

namespace bench {

namespace {

std::string contentOf(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// Options of nvcc with the meaning of those of clBuildProgram. OpenCL asks for 2.5 ULP in division and 3 ULP in square
/// roots, and contracts products and sums, unless it is told otherwise.
std::string optionsFor(const std::string& options) {
  const auto has = [&](const char* option) { return options.find(option) != options.npos; };
  std::string result = "-O3 -std=c++20 --expt-relaxed-constexpr --cubin";
  if (has("-cl-fast-relaxed-math") || has("-cl-unsafe-math-optimizations")) return result + " -use_fast_math";
  if (has("-cl-denorms-are-zero")) result += " -ftz=true";
  if (!has("-cl-fp32-correctly-rounded-divide-sqrt")) result += " -prec-div=false -prec-sqrt=false";
  return result;
}

/// The first complaint of nvcc.
std::string reasonIn(const std::string& log) {
  std::ifstream lines(log);
  std::string first;
  for (std::string line; std::getline(lines, line);) {
    if (line.find("error") != line.npos || line.find("fatal") != line.npos) return line;
    if (first.empty()) first = line;
  }
  return first.empty() ? "nvcc fails" : first;
}

/// The version as nvcc prints it; empty if there is none.
std::string versionOf(const CudaCompiler& compiler) {
  std::string version;
  if (compiler.nvcc.empty()) return version;
  if (std::FILE* output = popen(("'" + compiler.nvcc + "' --version 2>&1 </dev/null").c_str(), "r")) {
    for (int letter = std::fgetc(output); letter != EOF; letter = std::fgetc(output))
      version += static_cast<char>(letter);
    pclose(output);
  }
  return version;
}

std::string compile(const KernelCase& what, const CudaCompiler& compiler, const std::string& version) {
  if (!isForCuda(what)) return "images are left out";
  const std::string options = what.make(Scale{true}).options;
  const std::string path = compiler.folder + "/" + what.name, source = path + ".cu",
                    cubin = cubinOf(what, compiler.folder), unfinished = path + ".unfinished.cubin",
                    log = path + ".log", madeBy = path + ".nvcc";
  const std::string arguments = optionsFor(options) + " -arch=" + compiler.architecture;
  const std::string text = "// " + arguments + "\n" +
                           contentOf(std::string(CLOTHO_BENCH_SOURCES) + "/nvcc/opencl.cuh") +
                           cudaSource(kernelSource(what), options);
  const bool isSameCompiler = compiler.nvcc.empty() || contentOf(madeBy) == version;
  if (isSameCompiler && contentOf(source) == text && std::filesystem::exists(cubin)) return {};
  if (compiler.nvcc.empty()) return "there is no code of this source";
  std::filesystem::remove(cubin);
  std::ofstream(source) << text;
  std::ofstream(madeBy) << version;
  const std::string command = "'" + compiler.nvcc + "' " + arguments + " -o '" + unfinished + "' '" + source + "' >'" +
                              log + "' 2>&1 </dev/null";
  if (std::system(command.c_str()) != 0) return reasonIn(log);
  std::filesystem::rename(unfinished, cubin);
  return {};
}

} // namespace

bool isForCuda(const KernelCase& what) {
  const Problem problem = what.make(Scale{true});
  return std::none_of(problem.buffers.begin(), problem.buffers.end(),
                      [](const Buffer& buffer) { return buffer.image.has_value(); });
}

std::string cubinOf(const KernelCase& what, const std::string& folder) { return folder + "/" + what.name + ".cubin"; }

std::vector<std::string> compileForCuda(const std::vector<const KernelCase*>& kernels, const CudaCompiler& compiler) {
  std::filesystem::create_directories(compiler.folder);
  const std::string version = versionOf(compiler);
  std::vector<std::string> problems(kernels.size());
  std::atomic<std::size_t> next = 0;
  const auto work = [&] {
    for (std::size_t i = next++; i < kernels.size(); i = next++)
      try {
        problems[i] = compile(*kernels[i], compiler, version);
      } catch (const std::exception& error) {
        problems[i] = error.what();
      }
  };
  std::vector<std::jthread> threads(std::min<std::size_t>(std::thread::hardware_concurrency(), kernels.size()));
  for (std::jthread& thread : threads)
    thread = std::jthread(work);
  threads.clear(); // waits
  return problems;
}

} // namespace bench
