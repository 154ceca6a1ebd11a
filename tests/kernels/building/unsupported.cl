// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What clang lets through and work-items cannot do is an error of the build that names the line.
kernel void k(global int* a) {
  const int i = get_global_id(0);
  int x = a[i];
#if defined(ALLOCA)
  volatile char* p = (volatile char*)__builtin_alloca(x);
  p[0] = 3;
  x = p[0];
#elif defined(ALLOCA_IN_LOOP)
  for (int j = 0; j < x; ++j) {
    volatile char* p = (volatile char*)__builtin_alloca(64);
    p[j & 63] = 3;
    x += p[j & 63];
  }
#elif defined(ASSEMBLY)
  if (i & 1) __asm__("addl $1, %0" : "+r"(x));
#elif defined(JUMP)
  __asm__ goto("jmp %l0" : : : : out);
  x = 3;
out:
#elif defined(RETURN_ADDRESS)
  x = (int)(size_t)__builtin_return_address(0);
#elif defined(FRAME)
  x = (int)(size_t)__builtin_frame_address(0);
#elif defined(SETJMP)
  void* buffer[5];
  if (__builtin_setjmp(buffer) == 0) x = 4;
#elif defined(COMPUTED)
  void* label = x ? &&one : &&two;
  goto* label;
one:
  x = 1;
two:
#elif defined(EMPTY)
  __asm__ volatile("" : "+r"(x) : : "memory");
#elif defined(INVALID)
  a = (global int*)__builtin_assume_aligned(a, 4);
#endif
  a[i] = x;
}
#ifdef NAKED
__attribute__((naked)) int bare(int x) { __asm__("ret"); }
#endif
#ifdef FILE_SCOPE
__asm__(".globl foo");
#endif
