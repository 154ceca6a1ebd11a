; SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
; A module divided among two threads: each function is in one part, the larger one alone. Internal functions can be called
; from the other part if they are used there. Constants are in both parts; variables, and constants whose address matters, are in the first.
; RUN: %opt --passes=verify --parts=2 --part=0 %s | %check --check-prefixes=BOTH,FIRST
; RUN: %opt --passes=verify --parts=2 --part=1 %s | %check --check-prefixes=BOTH,SECOND
; RUN: not %opt --passes=verify --parts=9 --part=5 %s 2>&1 | %check --check-prefix=FEW
; FEW: error: there are 3 parts

; BOTH-DAG: @copied = internal unnamed_addr constant i32 1
@copied = internal unnamed_addr constant i32 1
; FIRST-DAG: @table = hidden constant [2 x i32] [i32 3, i32 4]
; SECOND-DAG: @table = available_externally hidden constant [2 x i32] [i32 3, i32 4]
@table = internal constant [2 x i32] [i32 3, i32 4]
; FIRST-DAG: @counter = hidden global i32 5
; SECOND-DAG: @counter = external hidden global i32
@counter = internal global i32 5
; FIRST-DAG: @[[UNNAMED:clotho.unnamed.cl[0-9.]*]] = hidden global i32 6
; SECOND-DAG: @[[UNNAMED:clotho.unnamed.cl[0-9.]*]] = external hidden global i32
@0 = internal global i32 6
; FIRST-DAG: @exported = global i32 7
; SECOND-DAG: @exported = external global i32
@exported = global i32 7
; FIRST-DAG: @llvm.compiler.used
; SECOND-NOT: @llvm.compiler.used
@llvm.compiler.used = appending global [1 x ptr] [ptr @exported], section "llvm.metadata"

; FIRST: define hidden i32 @large(
; SECOND: declare hidden i32 @large(i32)
define internal i32 @large(i32 %x) {
  %a = load i32, ptr @counter
  %b = load i32, ptr @table
  %c = load i32, ptr @copied
  %d = load i32, ptr @0
  %ab = add i32 %a, %b
  %cd = add i32 %c, %d
  %abcd = mul i32 %ab, %cd
  %y = mul i32 %abcd, %x
  ret i32 %y
}

; FIRST: declare void @kernel(ptr)
; SECOND: define void @kernel(
; SECOND: call i32 @large(
define void @kernel(ptr %p) {
  %v = load i32, ptr %p
  %r = call i32 @large(i32 %v)
  %s = call i32 @small(i32 %r)
  %c = load i32, ptr @copied
  %t = add i32 %s, %c
  store i32 %t, ptr @0
  ret void
}

; FIRST: declare {{.*}}i32 @small(i32)
; SECOND: define internal i32 @small(
define internal i32 @small(i32 %x) {
  %v = load i32, ptr @table
  %w = load i32, ptr @counter
  %y = add i32 %v, %w
  ret i32 %y
}
