// SPDX-License-Identifier: Apache-2.0
#include "tilewright/EmulatorJit/EmulatedModule.h"

#include "mlir/Parser/Parser.h"

#include <gtest/gtest.h>

#include <cstring>

using namespace mlir;
using namespace tilewright;

namespace {
class EmulatedModuleTest : public ::testing::Test {
protected:
  EmulatedModuleTest() {
    DialectRegistry registry;
    registerEmulatedModuleDialects(registry);
    context.appendDialectRegistry(registry);
    context.allowUnregisteredDialects();
  }

  std::unique_ptr<EmulatedModule> compile(StringRef text, unsigned optLevel = 1) {
    ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
      diagnostics += diagnostic.str() + "\n";
      return success();
    });
    OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(text, &context);
    if (!module)
      return nullptr;
    FailureOr<std::unique_ptr<EmulatedModule>> compiled = EmulatedModule::compile(*module, {optLevel});
    return succeeded(compiled) ? std::move(*compiled) : nullptr;
  }

  template <typename T> uint64_t make(const std::string &label, const std::vector<T> &values) {
    std::string error;
    uint64_t address = memory.allocate(values.size() * sizeof(T), label, &error);
    std::memcpy(memory.find(address, values.size() * sizeof(T)), values.data(), values.size() * sizeof(T));
    return address;
  }
  template <typename T> std::vector<T> read(uint64_t address, size_t count) {
    std::vector<T> values(count);
    std::memcpy(values.data(), memory.find(address, count * sizeof(T)), count * sizeof(T));
    return values;
  }
  std::string run(const EmulatedModule &module, StringRef kernel, std::vector<uint64_t> slots, uint64_t numCtas = 1,
                  size_t stackBytes = 256 * 1024) {
    const KernelCode *code = module.lookup(kernel);
    if (!code)
      return "no kernel";
    LaunchShape shape;
    shape.grid[0] = numCtas;
    shape.numThreads = 32;
    EngineOptions options;
    options.stackBytes = stackBytes;
    return Engine(options).run(*code, shape, slots.data(), memory).message;
  }

  MLIRContext context;
  DeviceMemory memory;
  std::string diagnostics;
};
} // namespace

// c[i] = a[i] + b[i] for i = 32 * program + lane < n. Slots: a, b, c, n.
static const char *vectorAdd = R"mlir(
module attributes {tile_gpu.locations = ["add.mlir:3:4", "add.mlir:5:6"]} {
  llvm.func @tweLaneId(!llvm.ptr) -> i32
  llvm.func @tweProgramId(!llvm.ptr, i32) -> i64
  llvm.func @tweGlobalRead(!llvm.ptr, i64, i64, i64, i32) -> !llvm.ptr
  llvm.func @tweGlobalWrite(!llvm.ptr, i64, i64, i64, i32) -> !llvm.ptr
  llvm.func @add(%thread: !llvm.ptr, %slots: !llvm.ptr) attributes {tile_gpu.num_threads = 32 : i32} {
    %a = llvm.load %slots : !llvm.ptr -> i64
    %bSlot = llvm.getelementptr %slots[1] : (!llvm.ptr) -> !llvm.ptr, i64
    %b = llvm.load %bSlot : !llvm.ptr -> i64
    %cSlot = llvm.getelementptr %slots[2] : (!llvm.ptr) -> !llvm.ptr, i64
    %c = llvm.load %cSlot : !llvm.ptr -> i64
    %nSlot = llvm.getelementptr %slots[3] : (!llvm.ptr) -> !llvm.ptr, i64
    %n = llvm.load %nSlot : !llvm.ptr -> i64
    %x = llvm.mlir.constant(0 : i32) : i32
    %one = llvm.mlir.constant(1 : i32) : i32
    %c4 = llvm.mlir.constant(4 : i64) : i64
    %c32 = llvm.mlir.constant(32 : i64) : i64
    %program = llvm.call @tweProgramId(%thread, %x) : (!llvm.ptr, i32) -> i64
    %lane32 = llvm.call @tweLaneId(%thread) : (!llvm.ptr) -> i32
    %lane = llvm.sext %lane32 : i32 to i64
    %base = llvm.mul %program, %c32 : i64
    %i = llvm.add %base, %lane : i64
    %inside = llvm.icmp "slt" %i, %n : i64
    llvm.cond_br %inside, ^body, ^end
  ^body:
    %offset = llvm.mul %i, %c4 : i64
    %aAddress = llvm.add %a, %offset : i64
    %bAddress = llvm.add %b, %offset : i64
    %cAddress = llvm.add %c, %offset : i64
    %aHost = llvm.call @tweGlobalRead(%thread, %aAddress, %c4, %c4, %x) : (!llvm.ptr, i64, i64, i64, i32) -> !llvm.ptr
    %bHost = llvm.call @tweGlobalRead(%thread, %bAddress, %c4, %c4, %x) : (!llvm.ptr, i64, i64, i64, i32) -> !llvm.ptr
    %aValue = llvm.load %aHost : !llvm.ptr -> f32
    %bValue = llvm.load %bHost : !llvm.ptr -> f32
    %sum = llvm.fadd %aValue, %bValue : f32
    %cHost = llvm.call @tweGlobalWrite(%thread, %cAddress, %c4, %c4, %one) : (!llvm.ptr, i64, i64, i64, i32) -> !llvm.ptr
    llvm.store %sum, %cHost : f32, !llvm.ptr
    llvm.br ^end
  ^end:
    llvm.return
  }
})mlir";

TEST_F(EmulatedModuleTest, VectorAdd) {
  for (unsigned optLevel : {0u, 1u}) {
    std::unique_ptr<EmulatedModule> module = compile(vectorAdd, optLevel);
    ASSERT_TRUE(module) << diagnostics;
    std::vector<float> a(100), b(100);
    for (size_t i = 0; i < 100; ++i) {
      a[i] = float(i) / 2;
      b[i] = float(7 * i);
    }
    uint64_t c = make("c", std::vector<float>(100));
    EXPECT_EQ(run(*module, "add", {make("a", a), make("b", b), c, 100}, 4), "");
    std::vector<float> result = read<float>(c, 100);
    for (size_t i = 0; i < 100; ++i)
      EXPECT_EQ(result[i], a[i] + b[i]);
  }
}

TEST_F(EmulatedModuleTest, ReportsCarryTheLocationOfTheCall) {
  std::unique_ptr<EmulatedModule> module = compile(vectorAdd);
  ASSERT_TRUE(module) << diagnostics;
  uint64_t a = make("a", std::vector<float>(64)), c = make("c", std::vector<float>(40));
  std::string message = run(*module, "add", {a, a, c, 64}, 2);
  EXPECT_NE(message.find("add.mlir:5:6: kernel 'add', program (1, 0, 0), thread 8: global write of 4 bytes"),
            std::string::npos)
      << message;
  EXPECT_NE(message.find("0 bytes past the end of buffer 'c' of 160 bytes"), std::string::npos) << message;
  EXPECT_EQ(module->lookup("sub"), nullptr);
  EXPECT_EQ(module->lookup("tweLaneId"), nullptr);
}

TEST_F(EmulatedModuleTest, UnknownFunctionIsAnError) {
  EXPECT_FALSE(compile(R"mlir(
    llvm.func @launch_missiles()
    llvm.func @k(%thread: !llvm.ptr, %slots: !llvm.ptr) {
      llvm.call @launch_missiles() : () -> ()
      llvm.return
    })mlir"));
  EXPECT_NE(diagnostics.find("cannot compile for the emulator"), std::string::npos) << diagnostics;
  EXPECT_NE(diagnostics.find("launch_missiles"), std::string::npos) << diagnostics;
}

TEST_F(EmulatedModuleTest, LocationsMustBeStrings) {
  EXPECT_FALSE(compile("module attributes {tile_gpu.locations = [1]} {}"));
  EXPECT_EQ(diagnostics, "expected 'tile_gpu.locations' to be an array of strings, found [1]\n");
}

TEST_F(EmulatedModuleTest, NotInTheLlvmDialect) {
  EXPECT_FALSE(compile("\"some.op\"() : () -> ()"));
  EXPECT_NE(diagnostics, "");
}

// Each lane converts in[lane] (f64, f32 or bits) there and back. Slots: host addresses of in and out, for the test's
// sake.
static std::string makeConversion(StringRef body) {
  return (R"mlir(
  llvm.func @tweLaneId(!llvm.ptr) -> i32
  llvm.func @k(%thread: !llvm.ptr, %slots: !llvm.ptr) {
    %in = llvm.load %slots : !llvm.ptr -> !llvm.ptr
    %outSlot = llvm.getelementptr %slots[1] : (!llvm.ptr) -> !llvm.ptr, i64
    %out = llvm.load %outSlot : !llvm.ptr -> !llvm.ptr
    %lane = llvm.call @tweLaneId(%thread) : (!llvm.ptr) -> i32
)mlir" + body +
          "llvm.return }")
      .str();
}

TEST_F(EmulatedModuleTest, NarrowFloats) {
  std::string text = makeConversion(R"mlir(
    %p = llvm.getelementptr %in[%lane] : (!llvm.ptr, i32) -> !llvm.ptr, f64
    %x = llvm.load %p : !llvm.ptr -> f64
    %single = llvm.fptrunc %x : f64 to f32
    %half = llvm.fptrunc %x : f64 to f16
    %bfloat = llvm.fptrunc %x : f64 to bf16
    %half2 = llvm.fptrunc %single : f32 to f16
    %bfloat2 = llvm.fptrunc %single : f32 to bf16
    %back = llvm.fpext %half : f16 to f32
    %back2 = llvm.fpext %bfloat : bf16 to f32
    %o = llvm.getelementptr %out[%lane] : (!llvm.ptr, i32) -> !llvm.ptr, !llvm.struct<(f16, bf16, f16, bf16, f32, f32)>
    %o1 = llvm.getelementptr %o[2] : (!llvm.ptr) -> !llvm.ptr, i8
    %o2 = llvm.getelementptr %o[4] : (!llvm.ptr) -> !llvm.ptr, i8
    %o3 = llvm.getelementptr %o[6] : (!llvm.ptr) -> !llvm.ptr, i8
    %o4 = llvm.getelementptr %o[8] : (!llvm.ptr) -> !llvm.ptr, i8
    %o5 = llvm.getelementptr %o[12] : (!llvm.ptr) -> !llvm.ptr, i8
    llvm.store %half, %o : f16, !llvm.ptr
    llvm.store %bfloat, %o1 : bf16, !llvm.ptr
    llvm.store %half2, %o2 : f16, !llvm.ptr
    llvm.store %bfloat2, %o3 : bf16, !llvm.ptr
    llvm.store %back, %o4 : f32, !llvm.ptr
    llvm.store %back2, %o5 : f32, !llvm.ptr
)mlir");
  struct Result {
    uint16_t half, bfloat, half2, bfloat2;
    float back, back2;
  };
  struct Case {
    double value;
    uint16_t half, bfloat;
  };
  // A subnormal bf16 is kept, which AVX512-BF16 would flush.
  const Case cases[] = {{0.0, 0x0000, 0x0000},          {-0.0, 0x8000, 0x8000},         {1.0, 0x3c00, 0x3f80},
                        {-2.5, 0xc100, 0xc020},         {65504.0, 0x7bff, 0x4780},      {65536.0, 0x7c00, 0x4780},
                        {0x1p-24, 0x0001, 0x3380},      {0x1p-130, 0x0000, 0x0008},     {1.0 + 0x1p-9, 0x3c02, 0x3f80},
                        {1.0 + 0x1p-8, 0x3c04, 0x3f80}, {1.0 + 0x3p-8, 0x3c0c, 0x3f82}, {HUGE_VAL, 0x7c00, 0x7f80}};
  std::vector<double> in(32, 1.0);
  std::vector<Result> out(32);
  for (size_t i = 0; i < std::size(cases); ++i)
    in[i] = cases[i].value;
  for (unsigned optLevel : {0u, 1u}) {
    std::unique_ptr<EmulatedModule> module = compile(text, optLevel);
    ASSERT_TRUE(module) << diagnostics;
    ASSERT_EQ(run(*module, "k", {reinterpret_cast<uintptr_t>(in.data()), reinterpret_cast<uintptr_t>(out.data())}), "");
    for (size_t i = 0; i < std::size(cases); ++i) {
      SCOPED_TRACE(cases[i].value);
      EXPECT_EQ(out[i].half, cases[i].half);
      EXPECT_EQ(out[i].half2, cases[i].half);
      EXPECT_EQ(out[i].bfloat, cases[i].bfloat);
      EXPECT_EQ(out[i].bfloat2, cases[i].bfloat);
      uint32_t bits;
      std::memcpy(&bits, &out[i].back2, 4);
      EXPECT_EQ(bits, uint32_t(cases[i].bfloat) << 16);
    }
    EXPECT_EQ(out[3].back, -2.5f);
    EXPECT_EQ(out[6].back, 0x1p-24f);
  }
}

TEST_F(EmulatedModuleTest, MathematicsOfTheHost) {
  std::unique_ptr<EmulatedModule> module = compile(makeConversion(R"mlir(
    %p = llvm.getelementptr %in[%lane] : (!llvm.ptr, i32) -> !llvm.ptr, f32
    %x = llvm.load %p : !llvm.ptr -> f32
    %e = llvm.intr.exp(%x) : (f32) -> f32
    %s = llvm.intr.sin(%e) : (f32) -> f32
    %r = llvm.intr.roundeven(%x) : (f32) -> f32
    %f = llvm.intr.fma(%s, %x, %r) : (f32, f32, f32) -> f32
    %m = llvm.frem %f, %x : f32
    %o = llvm.getelementptr %out[%lane] : (!llvm.ptr, i32) -> !llvm.ptr, f32
    llvm.store %m, %o : f32, !llvm.ptr
)mlir"));
  ASSERT_TRUE(module) << diagnostics;
  std::vector<float> in(32), out(32);
  for (size_t i = 0; i < 32; ++i)
    in[i] = float(i) * 0.25f + 0.5f;
  ASSERT_EQ(run(*module, "k", {reinterpret_cast<uintptr_t>(in.data()), reinterpret_cast<uintptr_t>(out.data())}), "");
  for (size_t i = 0; i < 32; ++i) {
    float x = in[i];
    EXPECT_EQ(out[i], std::fmod(std::fma(std::sin(std::exp(x)), x, std::nearbyint(x)), x));
  }
}

// A frame of 1 MiB whose far end is touched first would jump over any guard: it is probed page by page.
TEST_F(EmulatedModuleTest, LargeFramesMeetTheGuard) {
  std::unique_ptr<EmulatedModule> module = compile(makeConversion(R"mlir(
    %count = llvm.mlir.constant(1048576 : i64) : i64
    %buffer = llvm.alloca %count x i8 : (i64) -> !llvm.ptr
    %place = llvm.getelementptr %buffer[%lane] : (!llvm.ptr, i32) -> !llvm.ptr, !llvm.array<16384 x i8>
    llvm.store volatile %lane, %place : i32, !llvm.ptr
)mlir"));
  ASSERT_TRUE(module) << diagnostics;
  EXPECT_EQ(run(*module, "k", {0, 0}, 1, size_t(2) << 20), "");
  EXPECT_EQ(run(*module, "k", {0, 0}, 1, 256 * 1024),
            "unknown location: kernel 'k', program (0, 0, 0), thread 0: the emulated thread's stack is full; its last "
            "call was here");
}
