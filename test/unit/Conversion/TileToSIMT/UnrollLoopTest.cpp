// SPDX-License-Identifier: Apache-2.0
#include "tilewright/Conversion/TileToSIMT/UnrollLoop.h"
#include "../../Analysis/IndexInterpreter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"
#include "llvm/Support/FormatVariadic.h"

#include <gtest/gtest.h>

using namespace mlir;
using namespace tilewright::simt;
using indextest::IndexInterpreter;

static UnrollShape plan(std::optional<int64_t> trips, int64_t copies, std::optional<int64_t> step = 1, unsigned width = 64) {
  return planUnrollShape(trips, step ? std::optional<APInt>(APInt(width, *step)) : std::nullopt, width, copies);
}
static void expectShape(UnrollShape shape, int64_t copies, TripForm main, TripForm rest) {
  EXPECT_EQ(shape.copies, copies);
  EXPECT_EQ(shape.main, main);
  EXPECT_EQ(shape.rest, rest);
}

TEST(UnrollLoop, KnownTripsLeaveWhatIsNeeded) {
  expectShape(plan(12, 4), 4, TripForm::Loop, TripForm::Never);
  expectShape(plan(13, 4), 4, TripForm::Loop, TripForm::Once);
  expectShape(plan(14, 4), 4, TripForm::Loop, TripForm::Loop);
  expectShape(plan(4, 4), 4, TripForm::Once, TripForm::Never);
  expectShape(plan(6, 4), 4, TripForm::Once, TripForm::Loop);
  expectShape(plan(3, 4), 3, TripForm::Once, TripForm::Never); // No more copies than trips.
  expectShape(plan(1, 4), 1, TripForm::Once, TripForm::Never);
  expectShape(plan(0, 4), 1, TripForm::Never, TripForm::Never);
  expectShape(plan(7, 1), 1, TripForm::Loop, TripForm::Never);
}

TEST(UnrollLoop, UnknownTripsHaveARest) {
  expectShape(plan(std::nullopt, 4), 4, TripForm::Loop, TripForm::Loop);
  expectShape(plan(std::nullopt, 4, std::nullopt), 4, TripForm::Loop, TripForm::Loop);
  expectShape(plan(std::nullopt, 1), 1, TripForm::Loop, TripForm::Never);
}

TEST(UnrollLoop, NarrowVariablesHaveRoomForFewTrips) {
  expectShape(plan(std::nullopt, 3, 42, 8), 3, TripForm::Loop, TripForm::Loop);       // 126
  expectShape(plan(std::nullopt, 4, 32, 8), 4, TripForm::AtMostOnce, TripForm::Loop); // 128
  expectShape(plan(std::nullopt, 4, 64, 8), 4, TripForm::Never, TripForm::Loop);      // 256
  expectShape(plan(std::nullopt, 256, std::nullopt, 8), 256, TripForm::Never, TripForm::Loop);
  expectShape(plan(std::nullopt, 4, int64_t(1) << 62, 64), 4, TripForm::Never, TripForm::Loop);
}

namespace {
/// A loop that lists its variables, and with what it carries, mixes them.
class Program {
public:
  /// Bounds and step are constants, or "%arg" and so run-time values of type i5.
  Program(bool isUnsigned, const std::string &lower, const std::string &upper, const std::string &step) {
    context.loadDialect<arith::ArithDialect, func::FuncDialect, scf::SCFDialect>();
    context.allowUnregisteredDialects();
    std::string constants, names[3];
    const std::string *given[] = {&lower, &upper, &step};
    for (int i = 0; i < 3; ++i) {
      names[i] = given[i]->front() == '%' ? *given[i] : "%c" + std::to_string(i);
      if (given[i]->front() != '%')
        constants += names[i] + " = arith.constant " + *given[i] + " : i5\n";
    }
    module = parseSourceString<ModuleOp>(llvm::formatv(R"(
      func.func @f(%lower: i5, %upper: i5, %step: i5) -> i32 {{
        %three = arith.constant 3 : i32
        {0}
        %r = scf.for {1} %i = {2} to {3} step {4} iter_args(%a = %three) -> (i32) : i5 {{
          "test.trip"(%i, %a) : (i5, i32) -> ()
          %w = arith.extui %i : i5 to i32
          %m = arith.muli %a, %three : i32
          %n = arith.addi %m, %w : i32
          scf.yield %n : i32
        }
        return %r : i32
      })",
                                                       constants, isUnsigned ? "unsigned" : "", names[0], names[1], names[2])
                                             .str(),
                                         &context);
  }

  void unroll(const UnrollShape &shape) {
    module->walk([&](scf::ForOp loop) {
      IRRewriter rewriter(&context);
      unrollLoop(rewriter, loop, shape);
      return WalkResult::interrupt();
    });
    ASSERT_TRUE(succeeded(module->verify()));
  }

  /// Variables of all trips, what is carried, and the result.
  std::vector<std::optional<int64_t>> run(int64_t lower, int64_t upper, int64_t step) {
    IndexInterpreter interpreter;
    interpreter.wrapsLoops = true;
    interpreter.scalars = {{0, lower}, {1, upper}, {2, step}};
    std::vector<std::optional<int64_t>> seen;
    interpreter.probe = [&](Operation *op) {
      for (Value value : op->getOperands())
        seen.push_back(interpreter.valueOf(value));
    };
    EXPECT_TRUE(interpreter.run(*module->getOps<func::FuncOp>().begin()));
    seen.insert(seen.end(), interpreter.results.begin(), interpreter.results.end());
    return seen;
  }
  int64_t count(StringRef name) {
    int64_t found = 0;
    module->walk([&](Operation *op) { found += op->getName().getStringRef() == name; });
    return found;
  }

private:
  MLIRContext context;
  OwningOpRef<ModuleOp> module;
};
} // namespace

static constexpr int64_t kSteps[] = {1, 2, 3, 5, 8, 15};
static constexpr int64_t kCopies[] = {2, 3, 4, 7, 16, 32};

/// Whether the language promises that a loop ends: in 5 bits, signed or not.
static bool ends(bool isUnsigned, int64_t lower, int64_t upper, int64_t step) {
  return lower >= upper || upper + step - 1 <= (isUnsigned ? 31 : 15);
}

/// Runs all bounds of 5 bits by both programs.
static void compareAll(Program &plain, Program &unrolled, bool isUnsigned, int64_t step) {
  int64_t least = isUnsigned ? 0 : -16;
  auto read = [](int64_t value) { return value > 15 ? value - 32 : value; };
  for (int64_t lower = least; lower < least + 32; ++lower)
    for (int64_t upper = least; upper < least + 32; ++upper)
      if (ends(isUnsigned, lower, upper, step)) {
        ASSERT_EQ(unrolled.run(read(lower), read(upper), step), plain.run(read(lower), read(upper), step))
            << lower << " to " << upper << " step " << step << (isUnsigned ? " unsigned" : "");
      }
}

TEST(UnrollLoop, AnyBoundsOfRunTimeGiveTheSameTrips) {
  for (bool isUnsigned : {false, true}) {
    Program plain(isUnsigned, "%lower", "%upper", "%step");
    for (int64_t copies : kCopies) {
      Program unrolled(isUnsigned, "%lower", "%upper", "%step");
      unrolled.unroll(plan(std::nullopt, copies, std::nullopt, 5));
      for (int64_t step : kSteps)
        compareAll(plain, unrolled, isUnsigned, step);
    }
  }
}

TEST(UnrollLoop, AnyBoundsAndConstantStepGiveTheSameTrips) {
  for (bool isUnsigned : {false, true})
    for (int64_t step : kSteps) {
      Program plain(isUnsigned, "%lower", "%upper", std::to_string(step));
      for (int64_t copies : kCopies) {
        Program unrolled(isUnsigned, "%lower", "%upper", std::to_string(step));
        unrolled.unroll(plan(std::nullopt, copies, step, 5));
        compareAll(plain, unrolled, isUnsigned, step);
      }
    }
}

TEST(UnrollLoop, ConstantBoundsGiveTheSameTrips) {
  for (bool isUnsigned : {false, true})
    for (int64_t lower : isUnsigned ? std::vector<int64_t>{0, 3, 17} : std::vector<int64_t>{-16, -3, 0, 2})
      for (int64_t upper = lower - 1; upper < lower + 24; ++upper)
        for (int64_t step : {1, 3, 5}) {
          if (!ends(isUnsigned, lower, upper, step) || upper > (isUnsigned ? 31 : 15) || upper < (isUnsigned ? 0 : -16))
            continue;
          int64_t trips = lower < upper ? (upper - lower + step - 1) / step : 0;
          auto make = [&] {
            auto text = [](int64_t value) { return std::to_string(value > 15 ? value - 32 : value); };
            return std::make_unique<Program>(isUnsigned, text(lower), text(upper), text(step));
          };
          auto plain = make();
          for (int64_t copies : {2, 3, 4, 7, 30}) {
            auto unrolled = make();
            unrolled->unroll(plan(trips, copies, step, 5));
            ASSERT_EQ(unrolled->run(0, 0, 0), plain->run(0, 0, 0)) << lower << " to " << upper << " step " << step;
            int64_t most = std::min(copies, trips), rest = most == 0 ? 0 : trips % most;
            EXPECT_EQ(unrolled->count("test.trip"), most + (rest != 0));
            EXPECT_EQ(unrolled->count("scf.for"), (most > 0 && trips / most > 1) + (rest > 1));
          }
        }
}
