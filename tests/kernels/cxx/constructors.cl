// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Objects at program scope that are constructed before the first kernel (C++ for OpenCL, OpenCL 2.2, section 3.2), in
// the order in which they are defined.

constexpr int kCells = 37;

struct Counted {
  int place;
  Counted();
};
int nextPlace = 100;
Counted::Counted() : place(nextPlace++) {}

Counted first;
static Counted second;
inline Counted anywhere;
struct Holder {
  static Counted third;
  Counted fourth;
};
Counted Holder::third;
Holder holder;

kernel void order(global int* out) {
  const bool isSomewhere = anywhere.place >= 100 && anywhere.place <= 104;
  const int early = anywhere.place < first.place ? 1 : 0; // an inline variable has no place in the order
  out[get_global_id(0)] = isSomewhere && second.place == first.place + 1 && Holder::third.place == second.place + 1 &&
                                  holder.fourth.place == Holder::third.place + 1 && first.place == 100 + early
                              ? nextPlace
                              : -1;
}

struct Table {
  int squares[kCells];
  Table(int factor) {
    for (int i = 0; i < kCells; ++i)
      squares[i] = factor * i * i;
  }
};
Table table(3);

kernel void arrays(global int* out) {
  const int i = get_global_id(0);
  out[i] = table.squares[i % kCells];
}

// One work-item, wherever that is asked for.
struct Place {
  int items, group, size, sum;
  Place()
      : items(get_global_size(0) * get_global_size(1) * get_global_size(2)),
        group(get_local_size(0) + get_num_groups(0) + get_enqueued_local_size(0)), size(get_sub_group_size()),
        sum(get_global_id(0) + get_local_id(0) + get_group_id(0) + get_global_offset(0)) {}
};
Place place;

kernel void oneWorkItem(global int* out) {
  out[get_global_id(0)] = place.items * 1000 + place.group * 100 + (place.size == 1) * 10 + place.sum;
}

template <class T> struct Root {
  static T value;
};
template <class T> T Root<T>::value = sqrt(T(get_global_size(0) * 16)) + native_cos(T(0));

kernel void templates(global int* out) { out[get_global_id(0)] = int(Root<float>::value) * 10; }

// Destructors at program scope never run: what they would print is not there.
struct Mortal {
  int value;
  Mortal(int v) : value(v) {}
  ~Mortal() { printf("destroyed\n"); }
};
Mortal mortal(get_global_size(0) + 8);

kernel void mortals(global int* out) {
  static Mortal own(mortal.value + 1);
  out[get_global_id(0)] = mortal.value + own.value;
}

// What a function computes, by way of other variables and of references.
int computed();
int late = computed();
int base = 5 + get_global_id(0);
int& reference = base;
int computed() { return base * 2; }
int fromReference = reference + late;

kernel void functions(global int* out) { out[get_global_id(0)] = late * 100 + fromReference; }

// Attributes of GNU C, which clang has in all languages.
__attribute__((constructor(200))) void afterwards() { nextPlace = nextPlace; }
global int attributed = 1;
__attribute__((constructor(101))) void doubled() { attributed *= 2; }
__attribute__((constructor(102))) void increased() { attributed += 5; }

kernel void attributes(global int* out) { out[get_global_id(0)] = attributed; }
