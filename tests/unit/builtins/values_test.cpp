// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Runs library functions on this machine: one case for each defect of libclc that src/builtins mends, and spot checks
// of what is Clotho's own. Expected values are exact or the C library's.
#include "compiler/builtins/library.hpp"

#include <gtest/gtest.h>
#include <llvm/AsmParser/Parser.h>
#include <llvm/ExecutionEngine/Orc/LLJIT.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/InstrTypes.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>
#include <llvm/Support/SourceMgr.h>
#include <llvm/Support/TargetSelect.h>

#include <cmath>
#include <limits>
#include <random>

namespace clotho::compiler {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

/// Compiles `text`, which declares builtins and calls them from functions of the C convention.
class Machine {
 public:
  explicit Machine(const std::string& text) { compile(text); }

  template <typename F> F* function(const char* name) {
    if (!jit_) return nullptr;
    auto address = jit_->lookup(name);
    if (!address) {
      fail(address.takeError());
      return nullptr;
    }
    return address->toPtr<F*>();
  }

 private:
  void compile(const std::string& text) {
    llvm::InitializeNativeTarget();
    llvm::InitializeNativeTargetAsmPrinter();
    auto library = BuiltinLibrary::open(CLOTHO_TEST_LIBRARY);
    if (!library) return fail(library.takeError());
    auto jit = llvm::orc::LLJITBuilder().create();
    if (!jit) return fail(jit.takeError());
    auto context = std::make_unique<llvm::LLVMContext>();
    llvm::SMDiagnostic error;
    auto module = llvm::parseAssemblyString(text, error, *context);
    if (!module) {
      ADD_FAILURE() << error.getMessage().str();
      return;
    }
    if (llvm::Error failure = (*library)->linkInto(*module)) return fail(std::move(failure));
    // The host has no such convention.
    for (llvm::Function& function : *module) {
      if (function.getCallingConv() == llvm::CallingConv::SPIR_FUNC) function.setCallingConv(llvm::CallingConv::C);
      for (llvm::Instruction& instruction : llvm::instructions(function))
        if (auto* call = llvm::dyn_cast<llvm::CallBase>(&instruction)) call->setCallingConv(llvm::CallingConv::C);
    }
    module->setDataLayout((*jit)->getDataLayout());
    module->setTargetTriple((*jit)->getTargetTriple());
    if (llvm::Error failure = (*jit)->addIRModule({std::move(module), std::move(context)}))
      return fail(std::move(failure));
    jit_ = std::move(*jit);
  }

  static void fail(llvm::Error error) { ADD_FAILURE() << llvm::toString(std::move(error)); }
  std::unique_ptr<llvm::orc::LLJIT> jit_;
};

/// T f(T...) around a builtin of the same type.
template <typename F> struct Wrapped;
template <typename R, typename... A> struct Wrapped<R(A...)> {
  explicit Wrapped(const char* symbol) : machine(text(symbol)), function(machine.function<R(A...)>("f")) {}
  R operator()(A... a) const { return function(a...); }
  explicit operator bool() const { return function != nullptr; }

  template <typename T> static const char* name() {
    return std::is_same_v<T, float> ? "float" : std::is_same_v<T, double> ? "double" : "i32";
  }
  static std::string text(const char* symbol) {
    std::string types, arguments;
    int i = 0;
    ((types += std::string(i ? ", " : "") + name<A>(),
      arguments += std::string(i ? ", " : "") + name<A>() + " %" + std::to_string(i), ++i),
     ...);
    const std::string r = name<R>();
    return "declare spir_func " + r + " @" + symbol + "(" + types + ")\ndefine " + r + " @f(" + types +
           ") {\n  %r = call spir_func " + r + " @" + symbol + "(" + arguments + ")\n  ret " + r + " %r\n}\n";
  }

  Machine machine;
  R (*function)(A...);
};

TEST(BuiltinValues, ExponentialsKeepDenormals) {
  const Wrapped<float(float)> exp("_Z3expf"), exp2("_Z4exp2f"), erfc("_Z4erfcf");
  ASSERT_TRUE(exp && exp2 && erfc);
  EXPECT_NEAR(exp(-90.0f), std::exp(-90.0), 0x1p-149);
  EXPECT_EQ(exp(-104.0f), 0.0f);
  EXPECT_EQ(exp(89.0f), kInfinity);
  EXPECT_EQ(exp(-kInfinity), 0.0f);
  EXPECT_EQ(exp(0.0f), 1.0f);
  EXPECT_TRUE(std::isnan(exp(kNan)));
  for (int k = -149; k < 128; ++k)
    EXPECT_EQ(exp2(k), std::ldexp(1.0f, k)) << k;
  EXPECT_EQ(exp2(128.0f), kInfinity);
  EXPECT_NEAR(erfc(9.5f), std::erfc(9.5), 0x1p-149);
  for (float x = -80.0f; x < 80.0f; x += 0.37f)
    EXPECT_NEAR(exp(x) / std::exp(static_cast<double>(x)), 1.0, 1.5e-7);
}

TEST(BuiltinValues, LdexpRoundsDenormalsOnceAndKeepsNan) {
  const Wrapped<float(float, int)> ldexp("_Z5ldexpfi");
  const Wrapped<double(double, int)> ldexpDouble("_Z5ldexpdi");
  ASSERT_TRUE(ldexp && ldexpDouble);
  std::mt19937 random(1);
  for (int i = 0; i < 10000; ++i) {
    const float x = std::ldexp(static_cast<float>(random()), static_cast<int>(random() % 200) - 180);
    const int k = static_cast<int>(random() % 400) - 200;
    EXPECT_EQ(ldexp(x, k), std::ldexp(x, k)) << x << " " << k;
  }
  EXPECT_TRUE(std::isnan(ldexp(kNan, 3)));
  EXPECT_TRUE(std::isnan(ldexpDouble(kNan, -100)));
  EXPECT_EQ(ldexpDouble(1.0, -1074), 0x1p-1074);
  EXPECT_EQ(ldexp(1.0f, std::numeric_limits<int>::min()), 0.0f);
}

TEST(BuiltinValues, RemaindersOfDenormals) {
  const Wrapped<float(float, float)> fmod("_Z4fmodff"), remainder("_Z9remainderff");
  ASSERT_TRUE(fmod && remainder);
  const float values[] = {1.0f, 0x1p-149f, 0x1.8p-140f, -0x1.23456p-127f, 0x1.fffffep+127f, 3.7f, -1e10f, 5e-20f};
  for (float x : values) {
    for (float y : values) {
      EXPECT_EQ(fmod(x, y), std::fmod(x, y)) << x << " " << y;
      EXPECT_EQ(remainder(x, y), std::remainder(x, y)) << x << " " << y;
    }
  }
  EXPECT_TRUE(std::isnan(fmod(1.0f, 0.0f)));
}

// libclc looks beyond its tables for these.
TEST(BuiltinValues, HyperbolicFunctionsOfAnything) {
  const Wrapped<double(double)> cosh("_Z4coshd"), sinh("_Z4sinhd");
  ASSERT_TRUE(cosh && sinh);
  EXPECT_EQ(cosh(1e300), kInfinity);
  EXPECT_EQ(sinh(-1e300), -kInfinity);
  EXPECT_EQ(cosh(-kInfinity), kInfinity);
  EXPECT_TRUE(std::isnan(cosh(kNan)));
  EXPECT_TRUE(std::isnan(sinh(kNan)));
  EXPECT_NEAR(cosh(1.0), std::cosh(1.0), 1e-15);
}

TEST(BuiltinValues, PowersWithHugeExponents) {
  const Wrapped<double(double, double)> pow("_Z3powdd");
  ASSERT_TRUE(pow);
  for (double x : {2.0, 0.5, -2.0, 1.0, -1.0, 1.0000000000000002, 0.9999999999999999, 0.0})
    for (double y : {1e30, -1e30, 1e300, -1e300, 0x1p+53, 3.0, std::numeric_limits<double>::infinity()})
      EXPECT_EQ(pow(x, y), std::pow(x, y)) << x << " " << y;
  EXPECT_TRUE(std::isnan(pow(2.0, kNan)));
}

TEST(BuiltinValues, FloatPowersAtEnds) {
  const Wrapped<float(float, float)> pow("_Z3powff"), powr("_Z4powrff");
  const Wrapped<float(float, int)> pown("_Z4pownfi"), rootn("_Z5rootnfi");
  ASSERT_TRUE(pow && powr && pown && rootn);
  for (float x : {2.0f, 0.5f, -2.0f, 1.0f, -1.0f, 0.0f, -0.0f, 0x1p-149f, -0x1p-140f, kInfinity, -kInfinity})
    for (float y : {0.0f, -0.0f, 1.0f, -1.0f, 3.0f, -4.0f, 0.5f, 16777215.0f, 1e10f, -1e10f, kInfinity, -kInfinity}) {
      const float got = pow(x, y), expected = std::pow(x, y);
      EXPECT_EQ(std::isnan(got), std::isnan(expected)) << x << " " << y;
      if (std::isnan(expected)) continue;
      EXPECT_FLOAT_EQ(got, expected) << x << " " << y;
      EXPECT_EQ(std::signbit(got), std::signbit(expected)) << x << " " << y;
    }
  const float nan = std::numeric_limits<float>::quiet_NaN();
  EXPECT_TRUE(pow(nan, 0.0f) == 1.0f && pow(1.0f, nan) == 1.0f && std::isnan(pow(nan, 1.0f)) &&
              std::isnan(pow(2.0f, nan)));
  EXPECT_TRUE(std::isnan(powr(1.0f, kInfinity)) && std::isnan(powr(0.0f, 0.0f)) && std::isnan(powr(-1.0f, 2.0f)));
  // The exponent is no float.
  EXPECT_FLOAT_EQ(pown(1.0f + 0x1p-22f, 67108863), std::pow(1.0f + 0x1p-22f, 67108863.0));
  // The exponent's larger part leads to a normal number, the sum does not.
  EXPECT_FLOAT_EQ(pown(-0x1.fffffep-1f, 1465264071), static_cast<float>(-std::pow(0x1.fffffep-1, 1465264071.0)));
  EXPECT_TRUE(pown(-0.0f, -3) == -kInfinity && pown(nan, 0) == 1.0f);
  EXPECT_TRUE(rootn(-8.0f, 3) == -2.0f && std::isnan(rootn(-8.0f, 2)) && std::isnan(rootn(8.0f, 0)));
  EXPECT_TRUE(rootn(-0.0f, -3) == -kInfinity && rootn(-0.0f, -2) == kInfinity);
}

/// The sign of zero, too.
template <class T> void expectSame(T actual, T expected, T x, T y) {
  EXPECT_TRUE(actual == expected && std::signbit(actual) == std::signbit(expected))
      << actual << ", not " << expected << ", of " << x << " and " << y;
}

TEST(BuiltinValues, RemaindersOfDistantNumbers) {
  const Wrapped<float(float, float)> fmodFloat("_Z4fmodff"), remainderFloat("_Z9remainderff");
  const Wrapped<double(double, double)> fmod("_Z4fmoddd"), remainder("_Z9remainderdd");
  ASSERT_TRUE(fmodFloat && remainderFloat && fmod && remainder);
  for (float x : {3.4028235e38f, 1e10f, -7.5f, -5.0f, 0x1p-149f, -0.0f, 0.0f})
    for (float y : {0x1p-149f, 0x1.8p-140f, 1e-10f, 1.0f / 3, 5.0f, 3e38f, kInfinity}) {
      expectSame(fmodFloat(x, y), std::fmod(x, y), x, y);
      expectSame(remainderFloat(x, y), std::remainder(x, y), x, y);
    }
  for (double x : {1.7976931348623157e308, 1e300, -7.5, -5.0, 0x1p-1074, -0.0, 0.0})
    for (double y : {0x1p-1074, 0x1.8p-1060, 1e-10, 1.0 / 3, 5.0, 1.5e308}) {
      expectSame(fmod(x, y), std::fmod(x, y), x, y);
      expectSame(remainder(x, y), std::remainder(x, y), x, y);
    }
}

TEST(BuiltinValues, Gamma) {
  const Wrapped<double(double)> tgamma("_Z6tgammad");
  const Wrapped<float(float)> tgammaFloat("_Z6tgammaf"), lgamma("_Z6lgammaf");
  ASSERT_TRUE(tgamma && tgammaFloat && lgamma);
  for (double x = -170.3; x < 171.6; x += 0.7) {
    const double expected = std::tgamma(x);
    EXPECT_NEAR(tgamma(x), expected, 16 * std::abs(std::nextafter(expected, 0.0) - expected)) << x;
  }
  EXPECT_FLOAT_EQ(tgammaFloat(5.0f), 24.0f);
  EXPECT_FLOAT_EQ(tgammaFloat(-0x1p-127f), -0x1p+127f);
  EXPECT_EQ(tgammaFloat(-0.0f), -kInfinity);
  EXPECT_TRUE(std::isnan(tgammaFloat(-3.0f)));
  EXPECT_EQ(tgammaFloat(-126.5f), 0.0f);
  EXPECT_NEAR(lgamma(-0x1p-69f), 69 * std::log(2.0), 1e-5);
}

TEST(BuiltinValues, ZerosKeepTheirSign) {
  for (const char* symbol :
       {"_Z4asind", "_Z6asinpid", "_Z4atand", "_Z6atanpid", "_Z3erfd", "_Z5expm1d", "_Z3sind", "_Z3tand", "_Z4sinhd"}) {
    const Wrapped<double(double)> f(symbol);
    ASSERT_TRUE(f);
    EXPECT_TRUE(f(-0.0) == 0.0 && std::signbit(f(-0.0))) << symbol;
    EXPECT_FALSE(std::signbit(f(0.0))) << symbol;
  }
  const Wrapped<float(float)> sinpi("_Z5sinpif"), tanpi("_Z5tanpif");
  ASSERT_TRUE(sinpi && tanpi);
  EXPECT_TRUE(std::signbit(sinpi(-1.0f)));
  EXPECT_TRUE(std::signbit(tanpi(1.0f)));
  EXPECT_FALSE(std::signbit(tanpi(2.0f)));
}

TEST(BuiltinValues, NativeFunctionsAreClose) {
  const struct {
    const char* symbol;
    double (*expected)(double);
    float from, to;
    double relative, absolute;
  } cases[] = {
      {"_Z10native_expf", std::exp, -80, 80, 1e-5, 0},        {"_Z11native_exp2f", std::exp2, -120, 120, 3e-7, 0},
      {"_Z10native_logf", std::log, 0.01f, 1e6f, 1e-6, 1e-6}, {"_Z11native_log2f", std::log2, 0.01f, 1e6f, 1e-6, 1e-6},
      {"_Z10native_sinf", std::sin, -1000, 1000, 0, 1e-6},    {"_Z10native_cosf", std::cos, -1000, 1000, 0, 1e-6},
      {"_Z11native_sqrtf", std::sqrt, 0, 1e6f, 1e-7, 0},
  };
  for (const auto& c : cases) {
    const Wrapped<float(float)> f(c.symbol);
    ASSERT_TRUE(f);
    for (int i = 0; i <= 2000; ++i) {
      const float x = c.from + (c.to - c.from) * static_cast<float>(i) / 2000;
      const double expected = c.expected(x);
      EXPECT_NEAR(f(x), expected, c.absolute + c.relative * std::abs(expected)) << c.symbol << " " << x;
    }
    EXPECT_TRUE(std::isnan(f(kNan))) << c.symbol;
  }
}

// Rounding modes: the results enclose the number and are neighbours.
TEST(BuiltinValues, HalvesAreRoundedAsAsked) {
  Machine machine(R"(
    declare spir_func void @_Z15vstore_half_rtpfmPDh(float, i64, ptr)
    declare spir_func void @_Z15vstore_half_rtnfmPDh(float, i64, ptr)
    declare spir_func void @_Z15vstore_half_rtzfmPDh(float, i64, ptr)
    declare spir_func float @_Z10vload_halfmPKDh(i64, ptr)
    define void @f(float %x, ptr %out) {
      %h = alloca [4 x half]
      call spir_func void @_Z15vstore_half_rtpfmPDh(float %x, i64 0, ptr %h)
      call spir_func void @_Z15vstore_half_rtnfmPDh(float %x, i64 1, ptr %h)
      call spir_func void @_Z15vstore_half_rtzfmPDh(float %x, i64 2, ptr %h)
      %a = call spir_func float @_Z10vload_halfmPKDh(i64 0, ptr %h)
      %b = call spir_func float @_Z10vload_halfmPKDh(i64 1, ptr %h)
      %c = call spir_func float @_Z10vload_halfmPKDh(i64 2, ptr %h)
      store float %a, ptr %out
      %out1 = getelementptr float, ptr %out, i64 1
      store float %b, ptr %out1
      %out2 = getelementptr float, ptr %out, i64 2
      store float %c, ptr %out2
      ret void
    })");
  auto* round = machine.function<void(float, float*)>("f");
  ASSERT_TRUE(round);
  std::mt19937 random(2);
  for (int i = 0; i < 20000; ++i) {
    float x = std::ldexp(static_cast<float>(random()), static_cast<int>(random() % 80) - 72);
    if (random() % 2) x = -x;
    float h[3];
    round(x, h);
    EXPECT_GE(h[0], x);
    EXPECT_LE(h[1], x);
    EXPECT_EQ(h[2], x > 0 ? h[1] : h[0]);
  }
  float h[3];
  round(70000.0f, h);
  EXPECT_EQ(h[0], kInfinity);
  EXPECT_EQ(h[1], 65504.0f);
  round(0x1p-149f, h);
  EXPECT_EQ(h[0], 0x1p-24f);
  EXPECT_EQ(h[2], 0.0f);
  round(kNan, h);
  EXPECT_TRUE(std::isnan(h[0]) && std::isnan(h[1]) && std::isnan(h[2]));
}

} // namespace
} // namespace clotho::compiler
