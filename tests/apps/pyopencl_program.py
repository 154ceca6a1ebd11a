#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A numerical program on pyopencl: arrays, elementwise kernels, reductions, scans, own kernels, events. Run twice by
pyopencl.sh: the second run takes its programs from the binaries that pyopencl has kept."""
import numpy as np
import pyopencl as cl
import pyopencl.array
import pyopencl.clmath
import pyopencl.clrandom
from pyopencl.elementwise import ElementwiseKernel
from pyopencl.reduction import ReductionKernel
from pyopencl.scan import GenericScanKernel

SOURCE = """
// Conway's game on a torus, with a tile and its margin in local memory.
kernel void life(global const uchar* now, global uchar* next, int width, int height, local uchar* tile) {
  const int lx = get_local_id(0), ly = get_local_id(1), w = get_local_size(0) + 2, h = get_local_size(1) + 2;
  const int x0 = get_group_id(0) * get_local_size(0) + width - 1, y0 = get_group_id(1) * get_local_size(1) + height - 1;
  for (int y = ly; y < h; y += get_local_size(1))
    for (int x = lx; x < w; x += get_local_size(0)) tile[y * w + x] = now[(y0 + y) % height * width + (x0 + x) % width];
  barrier(CLK_LOCAL_MEM_FENCE);
  int living = 0;
  for (int y = 0; y < 3; ++y)
    for (int x = 0; x < 3; ++x) living += tile[(ly + y) * w + lx + x];
  const uchar self = tile[(ly + 1) * w + lx + 1];
  living -= self;
  next[get_global_id(1) * width + get_global_id(0)] = living == 3 || (self && living == 2);
}

typedef struct { float x, y; int count; } Point;
kernel void gather(global const Point* points, global float* out, float2 scale) {
  const int i = get_global_id(0);
  out[i] = points[i].x * scale.x + points[i].y * scale.y + points[i].count;
}
"""


def check_arrays(queue):
    rng = np.random.default_rng(5)
    a_host, b_host = rng.random(50000, dtype=np.float32), rng.random(50000, dtype=np.float32)
    a, b = cl.array.to_device(queue, a_host), cl.array.to_device(queue, b_host)
    np.testing.assert_allclose((2 * a + b / 3 - a * b).get(), 2 * a_host + b_host / 3 - a_host * b_host, rtol=1e-5)
    np.testing.assert_allclose(cl.clmath.sin(a).get(), np.sin(a_host), rtol=1e-5)
    np.testing.assert_allclose(cl.clmath.exp(-b).get(), np.exp(-b_host), rtol=1e-5)
    np.testing.assert_allclose(cl.array.sum(a).get(), a_host.sum(dtype=np.float64), rtol=1e-4)
    np.testing.assert_allclose(cl.array.dot(a, b).get(), np.dot(a_host.astype(np.float64), b_host), rtol=1e-4)
    assert cl.array.max(a).get() == a_host.max() and cl.array.min(b).get() == b_host.min()
    counts = cl.array.arange(queue, 0, 1000, 1, dtype=np.int32)
    assert (counts[100:900:1].get() == np.arange(100, 900)).all()
    assert (counts.reverse().get() == np.arange(1000)[::-1]).all()
    chosen = cl.array.take(counts, cl.array.to_device(queue, np.array([5, 999, 0], dtype=np.int32)))
    assert (chosen.get() == [5, 999, 0]).all()
    doubles = cl.array.to_device(queue, np.linspace(0, 1, 1000))
    np.testing.assert_allclose((doubles ** 2.5).get(), np.linspace(0, 1, 1000) ** 2.5, rtol=1e-12)
    complexes = cl.array.to_device(queue, (a_host + 1j * b_host).astype(np.complex64))
    np.testing.assert_allclose((complexes * complexes).get(), (a_host + 1j * b_host) ** 2, rtol=1e-4, atol=1e-5)


def check_kernels(context, queue):
    n = 20000
    x = cl.array.to_device(queue, np.arange(n, dtype=np.float32))
    y = cl.array.zeros(queue, n, np.float32)
    ElementwiseKernel(context, "float a, float *x, float *y", "y[i] = a * x[i] + (i & 1)", "axpy")(np.float32(3), x, y)
    assert (y.get() == 3 * np.arange(n) + np.arange(n) % 2).all()

    largest = ReductionKernel(context, np.float32, neutral="-INFINITY", reduce_expr="fmax(a, b)", map_expr="x[i] * y[i]",
                              arguments="__global const float *x, __global const float *y")
    assert largest(x, y).get() == np.float32((x.get() * y.get()).max())
    total = ReductionKernel(context, np.int64, neutral="0", reduce_expr="a + b", map_expr="(long)x[i]", arguments="__global const int *x")
    numbers = cl.array.to_device(queue, np.arange(100001, dtype=np.int32))
    assert total(numbers).get() == 100001 * 100000 // 2

    scan = GenericScanKernel(context, np.int32, arguments="__global const int *in, __global int *out", input_expr="in[i]",
                             scan_expr="a + b", neutral="0", output_statement="out[i] = item")
    for size in (1, 17, 1000, 50021):
        values = np.random.default_rng(size).integers(0, 100, size, dtype=np.int32)
        into = cl.array.empty(queue, size, np.int32)
        scan(cl.array.to_device(queue, values), into)
        assert (into.get() == np.cumsum(values)).all(), size


def check_own_program(context, queue):
    program = cl.Program(context, SOURCE).build("-cl-std=CL1.2")
    width, height = 96, 64
    world = (np.random.default_rng(1).random((height, width)) < 0.3).astype(np.uint8)
    expected = world
    now, following = cl.array.to_device(queue, world), cl.array.empty(queue, world.shape, np.uint8)
    for _ in range(20):
        neighbours = sum(np.roll(expected, (dy, dx), (0, 1)) for dy in (-1, 0, 1) for dx in (-1, 0, 1)) - expected
        expected = ((neighbours == 3) | ((expected == 1) & (neighbours == 2))).astype(np.uint8)
        event = program.life(queue, (width, height), (16, 8), now.data, following.data, np.int32(width), np.int32(height),
                             cl.LocalMemory(18 * 10))
        now, following = following, now
    event.wait()
    assert event.profile.end >= event.profile.start > 0
    assert (now.get() == expected).all() and expected.any()

    points = np.zeros(500, dtype=[("x", "f4"), ("y", "f4"), ("count", "i4")])
    points["x"], points["y"], points["count"] = np.arange(500), 2, np.arange(500) * 7
    buffer = cl.Buffer(context, cl.mem_flags.READ_ONLY | cl.mem_flags.COPY_HOST_PTR, hostbuf=points)
    out = cl.array.empty(queue, 500, np.float32)
    program.gather(queue, (500,), None, buffer, out.data, cl.cltypes.make_float2(0.5, 10))
    assert (out.get() == points["x"] * 0.5 + 20 + points["count"]).all()

    # The program again from its binary.
    binary = program.get_info(cl.program_info.BINARIES)[0]
    copy = cl.Program(context, context.devices, [binary]).build()
    again = cl.array.empty(queue, 500, np.float32)
    copy.gather(queue, (500,), None, buffer, again.data, cl.cltypes.make_float2(0.5, 10))
    assert (again.get() == out.get()).all()

    # Memory the host maps, sub-buffers, fill, copies in rectangles.
    mapped, _ = cl.enqueue_map_buffer(queue, out.data, cl.map_flags.READ, 0, (500,), np.float32)
    assert mapped[3] == points["x"][3] * 0.5 + 20 + 21
    mapped.base.release(queue)
    cl.enqueue_fill_buffer(queue, out.data, np.float32(7), 0, 400)
    assert (out.get()[:100] == 7).all() and out.get()[100] != 7

    try:
        cl.Program(context, "kernel void broken(global int* a) { a[0] = nonsense; }").build()
    except cl.RuntimeError as error:
        assert "nonsense" in str(error), error
    else:
        raise AssertionError("a broken program was built")


def main():
    context = cl.create_some_context(interactive=False)
    device = context.devices[0]
    print(device.platform.name, device.name, device.version)
    queue = cl.CommandQueue(context, properties=cl.command_queue_properties.PROFILING_ENABLE)
    check_arrays(queue)
    check_kernels(context, queue)
    check_own_program(context, queue)
    print("all right")


if __name__ == "__main__":
    main()
