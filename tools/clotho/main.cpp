// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cluster.hpp"
#include "cluster_status.hpp"
#include "compile.hpp"
#include "replay/replay.hpp"
#include "trace/trace_command.hpp"

#include <CLI/CLI.hpp>
#include <llvm/Config/llvm-config.h>

#include <algorithm>
#include <string_view>

namespace {

void addBuildOptions(CLI::App& sub, CompileCommand& command) {
  sub.add_option("input", command.input, "file with source or SPIR-V, or a captured launch; - for standard input")
      ->required();
  sub.add_option("--options", command.options, "build options, as clBuildProgram takes them");
  sub.add_option("--spec", command.specConstants, "the value of a specialisation constant of SPIR-V, as ID=VALUE");
  sub.add_option("--kernel", command.kernel, "the only kernel to build, with --code-version");
  sub.add_option("--code-version", command.version,
                 "what launches of --kernel have in common, as logs say it: 'local=256x1x1 rows=whole arg2=rgba.unorm8 "
                 "arg3=sampler:15 arg5=17 width=16', or some of that");
  sub.add_option("--cpu", command.cpu, "LLVM's name of the CPU, default this one");
  sub.add_option("--data", command.dataFolder, "folder with builtins.clotho and rt.o");
}

CLI::App* addReplay(CLI::App& app, ReplayCommand& command) {
  CLI::App* sub = app.add_subcommand("replay", "Run a captured launch again and compare its results");
  sub->add_option("capture", command.input, "file that CLOTHO_CAPTURE has made the driver write")->required();
  sub->add_option("--width", command.width, "how many work-items to run at once, as CLOTHO_WIDTH");
  sub->add_option("--cpu", command.cpu, "LLVM's name of the CPU whose instructions are used, as CLOTHO_CPU");
  sub->add_option("--check", command.check, "run checked code, by -clotho-check=TEXT, and fail if it reports faults");
  sub->add_option("--options", command.options, "more build options");
  sub->add_option("--driver", command.driver, "run it on this driver: a library, a file for loaders, or its name");
  sub->add_option("--repeat", command.repeat, "take so many times, each of as many runs as take 25 ms");
  sub->add_option("--settle", command.settle, "run it for so many seconds before times are taken")->needs("--repeat");
  sub->add_option("--ulp", command.ulp, "let floats differ by so many units in the last place");
  sub->add_option("--against", command.against, "compare with the results on this driver instead of the captured ones");
  sub->add_option("--against-width", command.againstWidth, "compare with the results at this width");
  sub->add_option("--write", command.output, "write a capture with the results of this run");
  sub->add_option("--reduce", command.reduced, "write a smaller capture that still fails");
  sub->add_option("--most-runs", command.mostRuns, "end a reduction after so many candidates");
  sub->add_option("--time-limit", command.timeLimit,
                  "take runs for hanging after so many seconds, default 60 and 100 times the captured time");
  sub->add_flag("--bisect", command.bisects, "find the pass of the compiler after which the launch fails");
  sub->add_flag("--show", command.shows, "say what is in the file");
  sub->add_flag("--source", command.showsSource, "print the program's source");
  sub->add_flag("!--no-compare", command.compares, "compare with nothing");
  sub->add_flag("--serve", command.serves)->group(""); // for the command itself
  sub->add_flag("--guard", command.isGuarded, "let accesses behind the end of a buffer fail");
  return sub;
}

CLI::App* addCluster(CLI::App& app, clotho::tools::ClusterCommand& command) {
  CLI::App* sub = app.add_subcommand(
      "cluster", "Run a program with devices of other processes, as `clotho cluster -- PROGRAM ARGUMENTS`");
  sub->add_option("--devices", command.devices,
                  "devices of the command's own node, as CLOTHO_DEVICES, or none; default cpu, none with --join");
  sub->add_option("--join", command.join, "services to join, which clotho node has started: HOST:PORT,...");
  sub->add_option("--interface", command.interface, "network for other machines, default that on the way to them");
  return sub;
}

CLI::App* addNode(CLI::App& app, clotho::tools::ClusterCommand& command) {
  CLI::App* sub = app.add_subcommand("node", "Offer devices of this machine to programs of other machines");
  sub->add_option("--devices", command.devices, "devices to offer, as CLOTHO_DEVICES; default cpu");
  sub->add_option("--listen", command.listen,
                  "own address, HOST:PORT; default localhost, or the address of --interface, and port 24912");
  sub->add_option("--interface", command.interface, "network to listen at, and no other one");
  return sub;
}

} // namespace

int main(int argc, char** argv) {
  CLI::App app("Clotho's tools");
  app.set_version_flag("--version", "clotho " CLOTHO_VERSION ", LLVM " LLVM_VERSION_STRING);
  app.require_subcommand(1);
  CompileCommand command;
  CLI::App* sub = app.add_subcommand("compile", "Compile OpenCL C, C++ for OpenCL or SPIR-V");
  sub->add_option("-o,--output", command.output,
                  "output file, default standard output for text, else a and what is written");
  sub->add_option("--emit", command.emit, "what to write")
      ->check(
          CLI::IsMember({"spirv", "portable", "lowered", "llvm", "asm", "obj", "so", "compiled", "binary", "info"}));
  addBuildOptions(*sub, command);
  sub->add_option("--gpu", command.gpu, "compile for NVIDIA GPUs from this architecture on, such as sm_90, to PTX");
  sub->add_option("--scope", command.scope,
                  "how much code to make: that of a program's first build, what launches need "
                  "soon, or all; default all")
      ->check(CLI::IsMember({"first", "needed", "all"}));
  sub->add_flag("--validate", command.validate, "of SPIR-V, say what SPIRV-Tools' validator has against it");
  sub->add_option("--repeat", command.repeat, "build so many times, for measurements with CLOTHO_TIME=1");

  sub->add_option("--print-before", command.printBefore, "print the IR before these passes: NAME,NAME...");
  sub->add_option("--print-after", command.printAfter, "print the IR after these passes: NAME,NAME...");
  sub->add_flag("--print-after-all", command.printAfterAll, "print the IR after each pass");
  sub->add_option("--skip-passes", command.skipPasses, "leave these passes out: NAME,NAME...");
  sub->add_option("--bisect-limit", command.bisectLimit,
                  "run so many skippable passes only, and say the number of each; -1 runs all");
  sub->add_flag("--time-passes", command.timePasses, "say how long each pass took");

  CLI::App* report = app.add_subcommand("report", "Say how the kernels of a program are vectorised");
  addBuildOptions(*report, command);
  report->add_option("--html", command.page, "write a page with the source, what became of each line, and why");
  report->add_option("--remarks", command.remarks, "write remarks as LLVM's opt-viewer reads them, in YAML");

  ReplayCommand again;
  const CLI::App* replayed = addReplay(app, again);

  bool clears = false;
  CLI::App* records = app.add_subcommand("tuned", "List which code of kernels trials have found best");
  records->add_flag("--clear", clears, "delete that, so that programs try again");

  clotho::tools::TraceCommand trace;
  CLI::App* traces =
      app.add_subcommand("trace", "Run a program with a trace, as `clotho trace -- PROGRAM ARGUMENTS`, or show "
                                  "traces, as `clotho trace FILES`");
  traces->add_option("-o,--output", trace.output,
                     "of a program that is run, the file for its trace, default trace.json");
  traces->add_flag("--counters", trace.counts, "count processor cycles, instructions and cache misses of kernels, too");
  traces->add_option("files", trace.files, "traces to show");
  traces->add_option("--html", trace.page, "write a page with timeline, tables and roofline instead of a summary");

  clotho::tools::ClusterCommand node;
  CLI::App *cluster = addCluster(app, node), *service = addNode(app, node);
  std::string asked;
  const CLI::Option* status =
      cluster
          ->add_option("--status", asked, "show what nodes have done: services, HOST:PORT,..., or those of a program")
          ->expected(0, 1);

  // Arguments behind -- are another program's.
  char** const end = argv + argc;
  char** const dashes = std::find(argv, end, std::string_view("--"));
  const std::string_view first = argc > 1 ? argv[1] : "";
  const bool runs = (first == "trace" || first == "cluster") && dashes != end && dashes + 1 != end;
  CLI11_PARSE(app, runs ? static_cast<int>(dashes - argv) : argc, argv);
  if (status->count() > 0) return clotho::tools::showClusterStatus(asked, node.interface);
  if (cluster->parsed()) return runs ? node.run(dashes + 1) : app.exit(CLI::RequiredError("a program behind --"));
  if (service->parsed()) return node.serve();
  if (traces->parsed()) {
    if (runs) return trace.run(dashes + 1);
    if (trace.files.empty()) return app.exit(CLI::RequiredError("a program behind --, or a trace"));
    return trace.show();
  }
  if (!command.gpu.empty() && command.emit == "so") command.emit = "asm"; // PTX is all there is
  if (replayed->parsed()) return replay(again);
  if (records->parsed()) return tuned(clears);
  return report->parsed() ? ::report(command) : compile(command);
}
