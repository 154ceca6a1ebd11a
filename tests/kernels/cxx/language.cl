// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// C++ for OpenCL: what the language has beyond OpenCL C.

template <class T> constexpr T square(T x) { return x * x; }
template <int N> struct Power {
  static constexpr int value = 2 * Power<N - 1>::value;
};
template <> struct Power<0> {
  static constexpr int value = 1;
};

kernel void templates(global int* out) {
  const int i = get_global_id(0);
  static_assert(Power<5>::value == 32, "");
  out[i] = square(i) + Power<3>::value;
}

kernel void lambdas(global int* out) {
  const int i = get_global_id(0);
  int sum = 0;
  auto add = [&sum](int x) { sum += x; };
  for (int k = 0; k < i % 5; ++k)
    add(k);
  out[i] = sum;
}

// Overloads for arguments of several types and address spaces.
int where(global int*) { return 1; }
int where(local int*) { return 2; }
int where(private int*) { return 3; }
int where(float) { return 4; }

kernel void overloads(global int* out) {
  local int shared;
  int own;
  out[get_global_id(0)] = where(out) * 1000 + where(&shared) * 100 + where(&own) * 10 + where(1.0f);
}

// Methods are chosen by the address space of their object.
struct Cell {
  int value;
  int space() { return 4; }
  int space() __global { return 1; }
  int space() __local { return 3; }
};

kernel void methods(global struct Cell* out) {
  const int i = get_global_id(0);
  local Cell shared;
  Cell own;
  out[i].value = out[i].space() * 100 + shared.space() * 10 + own.space();
}

void increment(int& x) { ++x; }

kernel void references(global int* out) {
  const int i = get_global_id(0);
  int x = i;
  increment(x);
  increment(out[i] = x);
}

class Counted {
 public:
  explicit Counted(global int* place) : place_(place) { *place_ += 1; }
  ~Counted() { *place_ *= 10; }

 private:
  global int* place_;
};

kernel void destructors(global int* out) {
  const int i = get_global_id(0);
  out[i] = 0;
  {
    Counted outer(out + i);
    if (i % 2 == 0) return;
    Counted inner(out + i);
  }
  out[i] += 3;
}

kernel void casts(global int* out) {
  const int i = get_global_id(0);
  out[i] = i;
  int* anywhere = out + i;
  *addrspace_cast<global int*>(anywhere) += 7;
}

kernel void version(global int* out) { out[get_global_id(0)] = __OPENCL_CPP_VERSION__; }

kernel void features(global int* out) {
#ifdef __opencl_c_generic_address_space
  out[get_global_id(0)] = 1;
#else
  out[get_global_id(0)] = 0;
#endif
}

struct Shape {
  int sides;
  Shape& set(int n) {
    sides = n;
    return *this;
  }
};
struct Square : Shape {
  Square() { sides = 4; }
};

kernel void builtins(global int* out) {
  const int i = get_global_id(0);
  local atomic_int count;
  if (get_local_id(0) == 0) atomic_store(&count, 0);
  work_group_barrier(CLK_LOCAL_MEM_FENCE);
  atomic_fetch_add(&count, 1);
  work_group_barrier(CLK_LOCAL_MEM_FENCE);
  Square square;
  const int4 v = int4(i) + (int4)(1, 2, 3, 4);
  out[i] = (atomic_load(&count) == (int)get_local_size(0)) * 1000000 + max(v.w, square.set(5).sides) + clamp(i, 2, 9);
}

extern "C" kernel void output(global int* out) {
  printf("%d %s\n", square(6), "text");
  out[get_global_id(0)] = 0;
}
