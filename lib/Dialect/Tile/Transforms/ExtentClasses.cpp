// SPDX-License-Identifier: Apache-2.0
#include "ExtentClasses.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tilewright;

static RankedTensorType tileType(Value value) { return dyn_cast<RankedTensorType>(value.getType()); }

SmallVector<std::pair<unsigned, unsigned>> tilewright::matchReshapedDims(ArrayRef<int64_t> from, ArrayRef<int64_t> to) {
  SmallVector<std::pair<unsigned, unsigned>> pairs;
  size_t f = 0, t = 0;
  while (true) {
    while (f < from.size() && from[f] == 1)
      ++f;
    while (t < to.size() && to[t] == 1)
      ++t;
    if (f == from.size() || t == to.size())
      return pairs;
    if (from[f] == to[t]) {
      pairs.push_back({f++, t++});
      continue;
    }
    // The smallest groups of dimensions with equal counts.
    int64_t fromCount = from[f++], toCount = to[t++];
    while (fromCount != toCount) {
      if (fromCount < toCount)
        fromCount *= from[f++];
      else
        toCount *= to[t++];
    }
  }
}

int TileDims::rootOf(int number) const {
  while (parents[number] != number)
    number = parents[number];
  return number;
}

int TileDims::classOf(Value tile, unsigned dim) const {
  auto it = dims.find(tile);
  return it == dims.end() || it->second[dim] < 0 ? -1 : rootOf(it->second[dim]);
}

int TileDims::dimIn(Value tile, int number) const {
  auto it = dims.find(tile);
  int found = -1;
  for (size_t dim = 0; it != dims.end() && dim < it->second.size(); ++dim)
    if (classOf(tile, dim) == number)
      found = found == -1 ? int(dim) : -2;
  return found;
}

void TileDims::unite(int a, int b) {
  if (a < 0 || b < 0)
    return;
  a = rootOf(a);
  b = rootOf(b);
  parents[std::max(a, b)] = std::min(a, b); // The first one stands for all: numbers do not depend on order.
}

void TileDims::pin(int number, Operation *op, const Twine &reason) {
  if (number >= 0)
    pins.push_back({number, op, reason.str()});
}

const TileDims::Pin *TileDims::pinOf(int number) const {
  for (const Pin &pin : pins)
    if (rootOf(pin.number) == number)
      return &pin;
  return nullptr;
}

void TileDims::add(Value value) {
  RankedTensorType type = tileType(value);
  if (!type)
    return;
  tiles.push_back(value);
  SmallVector<int, 2> &numbers = dims[value];
  for (int64_t extent : type.getShape()) {
    numbers.push_back(extent == 1 ? -1 : int(parents.size()));
    if (extent != 1)
      parents.push_back(parents.size());
  }
}

void TileDims::uniteAll(Value a, Value b) {
  RankedTensorType type = tileType(a), other = tileType(b);
  if (type && other && type.getRank() == other.getRank())
    for (unsigned dim = 0; dim < type.getRank(); ++dim)
      unite(classOf(a, dim), classOf(b, dim));
}

void TileDims::pinAll(Value value, Operation *op, const Twine &reason) {
  if (RankedTensorType type = tileType(value))
    for (unsigned dim = 0; dim < type.getRank(); ++dim)
      pin(classOf(value, dim), op, reason);
}

void TileDims::connect(Operation *op) {
  auto uniteTiles = [&] {
    Value first;
    auto join = [&](Value value) {
      if (!tileType(value))
        return;
      if (first)
        uniteAll(first, value);
      first = first ? first : value;
    };
    llvm::for_each(op->getOperands(), join);
    llvm::for_each(op->getResults(), join);
  };
  auto uniteExcept = [&](Value a, Value b, int64_t except) {
    for (unsigned dim = 0; dim < tileType(a).getRank(); ++dim)
      if (dim != except)
        unite(classOf(a, dim), classOf(b, dim));
  };
  llvm::TypeSwitch<Operation *>(op)
      .Case<arith::ConstantOp>([&](arith::ConstantOp x) {
        if (tileType(x) && !isa<SplatElementsAttr>(x.getValue()))
          pinAll(x, op, "lists its elements one by one");
      })
      .Case<ub::PoisonOp, tile::SplatOp, tile::IotaOp, tile::LoadOp, tile::StoreOp, tile::ReduceIntoOp,
            tile::ToScalarOp, tile::YieldOp, scf::YieldOp, scf::ConditionOp>(
          [](auto) {}) // Nothing to join, or done by the op around.
      .Case<tile::GatherOp>([&](tile::GatherOp x) {
        int64_t dim = x.indexedDim();
        unite(classOf(x.getOffsets()[dim], 0), classOf(x.getResult(), dim));
      })
      .Case<tile::ScatterOp>([&](tile::ScatterOp x) {
        int64_t dim = x.indexedDim();
        unite(classOf(x.getOffsets()[dim], 0), classOf(x.getValue(), dim));
        pin(classOf(x.getValue(), dim), op, "writes rows that nothing bounds to what is walked");
      })
      .Case<tile::DotOp>([&](tile::DotOp x) {
        unsigned rank = x.getAcc().getType().getRank();
        uniteAll(x.getAcc(), x.getResult());
        for (unsigned dim = 0; dim + 2 < rank; ++dim) {
          unite(classOf(x.getAcc(), dim), classOf(x.getLhs(), dim));
          unite(classOf(x.getAcc(), dim), classOf(x.getRhs(), dim));
        }
        unite(classOf(x.getAcc(), rank - 2), classOf(x.getLhs(), rank - 2));
        unite(classOf(x.getAcc(), rank - 1), classOf(x.getRhs(), rank - 1));
        unite(classOf(x.getLhs(), rank - 1), classOf(x.getRhs(), rank - 2));
      })
      .Case<tile::ReduceOp>([&](tile::ReduceOp x) {
        int64_t dim = x.getDim();
        for (Value source : x.getSources())
          uniteAll(x.getSources()[0], source);
        for (Value result : x.getResults())
          if (RankedTensorType type = tileType(result))
            for (unsigned d = 0; d < type.getRank(); ++d)
              unite(classOf(result, d), classOf(x.getSources()[0], d < dim ? d : d + 1));
      })
      .Case<tile::ScanOp>([&](tile::ScanOp x) {
        uniteTiles();
        pin(classOf(x.getSources()[0], x.getDim()), op, "scans along this dimension");
      })
      .Case<tile::BroadcastOp, tile::ExtractOp, tile::InsertOp>([&](auto) {
        Value a = op->getOperand(0), b = op->getResult(0);
        for (unsigned dim = 0; dim < tileType(b).getRank(); ++dim) {
          if (tileType(a).getDimSize(dim) == tileType(b).getDimSize(dim)) {
            unite(classOf(a, dim), classOf(b, dim));
          } else if (!isa<tile::BroadcastOp>(op)) {
            pin(classOf(a, dim), op, "cuts this dimension into blocks");
            pin(classOf(b, dim), op, "cuts this dimension into blocks");
          }
        }
        if (auto insert = dyn_cast<tile::InsertOp>(op))
          uniteAll(insert.getDest(), insert.getResult());
      })
      .Case<tile::ReshapeOp>([&](tile::ReshapeOp x) {
        Value a = x.getSource(), b = x.getResult();
        llvm::SmallDenseSet<unsigned> from, to;
        for (auto [f, t] : matchReshapedDims(tileType(a).getShape(), tileType(b).getShape())) {
          unite(classOf(a, f), classOf(b, t));
          from.insert(f);
          to.insert(t);
        }
        for (unsigned dim = 0; dim < tileType(a).getRank(); ++dim)
          if (!from.contains(dim))
            pin(classOf(a, dim), op, "splits or merges this dimension");
        for (unsigned dim = 0; dim < tileType(b).getRank(); ++dim)
          if (!to.contains(dim))
            pin(classOf(b, dim), op, "splits or merges this dimension");
      })
      .Case<tile::PermuteOp>([&](tile::PermuteOp x) {
        for (auto [dim, source] : llvm::enumerate(x.getOrder()))
          unite(classOf(x.getResult(), dim), classOf(x.getSource(), source));
      })
      .Case<tile::ConcatOp>([&](tile::ConcatOp x) {
        int64_t dim = x.getDim();
        for (Value source : x.getSources()) {
          uniteExcept(source, x.getResult(), dim);
          pin(classOf(source, dim), op, "joins tiles along this dimension");
        }
        pin(classOf(x.getResult(), dim), op, "joins tiles along this dimension");
      })
      .Case<tile::LoadPtrOp, tile::StorePtrOp, tile::AtomicRmwOp, tile::AtomicCasOp, tile::PtrAddOp, tile::PtrCastOp>(
          [&](auto) { uniteTiles(); })
      .Case<scf::ForOp>([&](scf::ForOp x) {
        for (auto [init, argument, yielded, result] :
             llvm::zip(x.getInitArgs(), x.getRegionIterArgs(), x.getYieldedValues(), x.getResults())) {
          uniteAll(init, argument);
          uniteAll(init, yielded);
          uniteAll(init, result);
        }
      })
      .Case<scf::WhileOp>([&](scf::WhileOp x) {
        for (auto [init, argument, yielded] :
             llvm::zip(x.getInits(), x.getBeforeArguments(), x.getYieldOp().getResults())) {
          uniteAll(init, argument);
          uniteAll(init, yielded);
        }
        for (auto [passed, argument, result] :
             llvm::zip(x.getConditionOp().getArgs(), x.getAfterArguments(), x.getResults())) {
          uniteAll(passed, argument);
          uniteAll(passed, result);
        }
      })
      .Case<scf::IfOp>([&](scf::IfOp x) {
        if (x.getNumResults() == 0)
          return;
        for (auto [a, b, result] : llvm::zip(x.thenYield().getResults(), x.elseYield().getResults(), x.getResults())) {
          uniteAll(a, b);
          uniteAll(a, result);
        }
      })
      .Default([&](Operation *) {
        if (op->hasTrait<OpTrait::Elementwise>() && op->getNumRegions() == 0)
          return uniteTiles();
        auto pinTile = [&](Value value) { pinAll(value, op, "has no known meaning for another extent"); };
        llvm::for_each(op->getOperands(), pinTile);
        llvm::for_each(op->getResults(), pinTile);
        for (Region &region : op->getRegions())
          for (Block &block : region)
            llvm::for_each(block.getArguments(), pinTile);
      });
}

TileDims::TileDims(func::FuncOp kernel) {
  llvm::for_each(kernel.getArguments(), [&](Value argument) { add(argument); });
  kernel.walk<WalkOrder::PreOrder>([&](Operation *op) {
    llvm::for_each(op->getResults(), [&](Value result) { add(result); });
    if (op != kernel)
      for (Region &region : op->getRegions())
        for (Block &block : region)
          llvm::for_each(block.getArguments(), [&](Value argument) { add(argument); });
  });
  kernel.walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (op != kernel)
      connect(op);
  });
}
