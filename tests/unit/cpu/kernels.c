// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Hand-written work-group functions, as the compiler would make them (src/abi/cpu_kernel.h).
#include "abi/cpu_kernel.h"

#include <stddef.h>
#include <stdint.h>

#define EXPORT __attribute__((visibility("default")))

/// Tells fault reports which work-group runs: before it may trap.
static void startGroup(WorkerContext* context, uint64_t group) {
  volatile uint64_t* current = &context->currentGroup;
  *current = group;
}

#define KERNEL(name) EXPORT void name(const LaunchParams* params, WorkerContext* context, uint64_t first, uint64_t end)

struct Args {
  uint64_t* out;
  uint64_t number;
};
static const struct Args* argsOf(const LaunchParams* params) { return (const struct Args*)params->args; }

/// out[group] += number.
KERNEL(add_number) {
  for (uint64_t group = first; group < end; ++group) {
    startGroup(context, group);
    argsOf(params)->out[group] += argsOf(params)->number;
  }
}

/// out[group] = checksum of what was written to local memory and to the frame.
KERNEL(use_memory) {
  for (uint64_t group = first; group < end; ++group) {
    startGroup(context, group);
    uint64_t sum = 0, items = params->localSize[0];
    uint32_t *local = (uint32_t*)context->localMemory, *frame = (uint32_t*)context->frame;
    for (uint64_t i = 0; i < items; ++i)
      local[i] = (uint32_t)(group + i), frame[i] = (uint32_t)(2 * i);
    for (uint64_t i = 0; i < items; ++i)
      sum += local[i] + frame[i];
    argsOf(params)->out[group] = sum;
  }
}

/// Takes as long as `number` says, in a loop that nothing simplifies.
KERNEL(work) {
  for (uint64_t group = first; group < end; ++group) {
    startGroup(context, group);
    volatile uint64_t spun = 0;
    for (uint64_t i = 0; i < argsOf(params)->number; ++i)
      spun = spun + 1;
    argsOf(params)->out[group] += 1;
  }
}

/// Group `number` writes where nothing is; all groups if it is UINT64_MAX.
KERNEL(write_unmapped) {
  for (uint64_t group = first; group < end; ++group) {
    startGroup(context, group);
    argsOf(params)->out[group] = 1;
    if (group == argsOf(params)->number || argsOf(params)->number == UINT64_MAX) *(volatile uint32_t*)0x1230 = 1;
  }
}

KERNEL(read_unmapped) {
  for (uint64_t group = first; group < end; ++group) {
    startGroup(context, group);
    if (group == argsOf(params)->number) argsOf(params)->out[group] = *(volatile uint32_t*)0x4560;
  }
}

#if defined(__x86_64__)
KERNEL(not_canonical) {
  startGroup(context, first);
  argsOf(params)->out[first] = *(volatile uint64_t*)0x8000000000001000;
}
#endif

KERNEL(illegal) {
  startGroup(context, first);
  if (end > first) __builtin_trap();
}

#if defined(__x86_64__)
#define BREAKPOINT __asm__ volatile("int3")
#else
#define BREAKPOINT __asm__ volatile("brk #0")
#endif

KERNEL(breakpoint) {
  startGroup(context, first);
  if (end > first) BREAKPOINT;
}

KERNEL(single_step) {
  startGroup(context, first);
#if defined(__x86_64__)
  __asm__ volatile("pushfq\n\torq $0x100, (%%rsp)\n\tpopfq\n\tnop\n\tnop" ::: "memory", "cc");
#else
  BREAKPOINT;
#endif
}

static void sub_group(void* arguments, uint64_t index) { *(uint64_t*)arguments += index; }

/// More sub-groups than there can be stacks for.
KERNEL(many_sub_groups) {
  startGroup(context, first);
  context->subGroups->run(context, sub_group, argsOf(params)->out, UINT64_C(1) << 40);
}

KERNEL(divide) {
  startGroup(context, first);
#if defined(__x86_64__)
  uint32_t low = 1, high = 0;
  __asm__ volatile("divl %2" : "+a"(low), "+d"(high) : "r"((uint32_t)argsOf(params)->number));
  argsOf(params)->out[first] = low;
#else
  __builtin_trap();
#endif
}

__attribute__((noinline)) static uint64_t recurse(volatile uint64_t* above) {
  volatile uint64_t block[512];
  block[0] = *above + 1;
  return recurse(block) + block[0];
}
KERNEL(overflow) {
  startGroup(context, first);
  uint64_t start = 0;
  argsOf(params)->out[first] = recurse(&start);
}

/// Needs 4 MiB of stack, all of which it touches.
KERNEL(large_frame) {
  volatile uint8_t block[4 << 20];
  for (size_t i = 0; i < sizeof block; i += 4096)
    block[i] = (uint8_t)i;
  for (uint64_t group = first; group < end; ++group) {
    startGroup(context, group);
    argsOf(params)->out[group] = block[4096 * 3] + 1u;
  }
}

/// A program-scope variable: counts the groups that have run.
static uint64_t counter;
KERNEL(count) {
  for (uint64_t group = first; group < end; ++group) {
    startGroup(context, group);
    argsOf(params)->out[0] = __atomic_add_fetch(&counter, 1, __ATOMIC_RELAXED);
  }
}

/// Runs neighbours as one, as many as the launch says: out[group] = the first of them + 1. Writes to unmapped memory
/// instead where group `number` is among them.
KERNEL(merged) {
  for (uint64_t group = first, run; group < end; group += run) {
    const uint64_t left = params->numGroups[0] - group % params->numGroups[0];
    run = params->mergedGroups ? params->mergedGroups : 1;
    if (run > left) run = left;
    if (run > end - group) run = end - group;
    startGroup(context, group);
    *(volatile uint64_t*)&context->currentGroups = run;
    if (argsOf(params)->number >= group && argsOf(params)->number < group + run) *(volatile uint64_t*)0x1230 = 1;
    for (uint64_t i = 0; i < run; ++i)
      argsOf(params)->out[group + i] = group + 1;
  }
}

/// out[group] += the group's size, a decimal place of two digits for each dimension; group counted through the launch.
/// Writes to unmapped memory instead in group `number`.
KERNEL(boxes) {
  const uint64_t *from = params->firstGroup, *to = params->endGroup, *size = params->localSize;
  for (uint64_t index = first; index < end; ++index) {
    startGroup(context, index);
    const uint64_t row = index / (to[0] - from[0]);
    const uint64_t x = from[0] + index % (to[0] - from[0]), y = from[1] + row % (to[1] - from[1]),
                   z = from[2] + row / (to[1] - from[1]);
    const uint64_t group = (z * params->numGroups[1] + y) * params->numGroups[0] + x;
    if (group == argsOf(params)->number) *(volatile uint64_t*)0x1230 = 1;
    argsOf(params)->out[group] += size[0] + 100 * size[1] + 10000 * size[2];
  }
}

/// Prints "group %d: %s\n" (format 0) for each group.
KERNEL(print) {
  static const char kText[] = "a text";
  for (uint64_t group = first; group < end; ++group) {
    startGroup(context, group);
    PrintfBuffer* buffer = params->printf;
    uint64_t at = __atomic_fetch_add(&buffer->used, 24, __ATOMIC_RELAXED);
    if (at + 24 > buffer->capacity) continue;
    uint32_t header[2] = {24, 0};
    uint64_t number = group, text = (uint64_t)(uintptr_t)kText;
    __builtin_memcpy(buffer->data + at, header, 8);
    __builtin_memcpy(buffer->data + at + 8, &number, 8);
    __builtin_memcpy(buffer->data + at + 16, &text, 8);
  }
}

/// out[0] = the floating-point control register.
KERNEL(float_control) {
  startGroup(context, first);
#if defined(__x86_64__)
  uint32_t mxcsr;
  __asm__ volatile("stmxcsr %0" : "=m"(mxcsr));
  argsOf(params)->out[0] = mxcsr & 0xffc0;
#else
  argsOf(params)->out[0] = 0x1f80;
#endif
}

/// out[0] += 1; then waits until out[1] is `number`.
KERNEL(hold) {
  context->currentGroup = first;
  uint64_t* out = argsOf(params)->out;
  __atomic_fetch_add(&out[0], 1, __ATOMIC_RELAXED);
  while (__atomic_load_n(&out[1], __ATOMIC_ACQUIRE) != argsOf(params)->number) {
  }
}
