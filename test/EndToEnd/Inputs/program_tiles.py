# SPDX-License-Identifier: Apache-2.0
"""Operations of random programs that make tiles from tiles: shapes, arithmetic, masks, reductions, products."""

import numpy as np

from program_builder import MOST_ELEMENTS, Builder, divisors
from program_ops import DTYPES, LIMITS, Value, tile


class TileSteps(Builder):
    """Each step adds what it is called, on tiles that are at hand, or nothing where none fits."""

    def iota(self, extent):
        return self.emit(f"{{r0}} = tile.iota : {tile((extent,), 'i32')}", [], [Value("i32", (extent,))],
                         lambda context: np.arange(extent, dtype=np.int32))

    def dense(self, number, shape, type):
        text = f"{float(number)}" if type[0] == "f" else number
        return self.emit(f"{{r0}} = arith.constant dense<{text}> : {tile(shape, type)}", [],
                         [Value(type, shape, abs(number))], lambda context: np.full(shape, number, DTYPES[type]))

    def reshape_to(self, value, shape):
        return self.emit(f"{{r0}} = tile.reshape {{0}} : {value.text} -> {tile(shape, value.type)}", [value],
                         [Value(value.type, shape, value.bound)], lambda context, x: x.reshape(shape))

    def spread(self, value, shape):
        if value.shape == tuple(shape):
            return value
        return self.emit(f"{{r0}} = tile.broadcast {{0}} : {value.text} -> {tile(shape, value.type)}", [value],
                         [Value(value.type, shape, value.bound)], lambda context, x: np.broadcast_to(x, shape).copy())

    def reshape(self):
        value = self.tile_value()
        rest, shape = value.size, []
        for _ in range(self.random.choice((0, 1, 2))):
            shape.append(self.random.choice(divisors(rest)))
            rest //= shape[-1]
        shape.append(rest)
        self.random.shuffle(shape)
        self.reshape_to(value, shape)

    def permute(self):
        value = self.tile_value(wanted=lambda value: len(value.shape) > 1)
        if not value:
            return
        order = list(range(len(value.shape)))
        while order == sorted(order):
            self.random.shuffle(order)
        shape = [value.shape[dim] for dim in order]
        self.emit(f"{{r0}} = tile.permute {{0}} {order} : {value.text} -> {tile(shape, value.type)}", [value],
                  [Value(value.type, shape, value.bound)], lambda context, x: np.ascontiguousarray(x.transpose(order)))

    def broadcast(self):
        value = self.tile_value(wanted=lambda value: 1 in value.shape)
        if value:
            shape = [self.random.choice((1, 2, 3, 8)) if extent == 1 else extent for extent in value.shape]
            if np.prod(shape) <= MOST_ELEMENTS:
                self.spread(value, tuple(shape))

    def concat(self):
        value = self.tile_value()
        dim = self.random.randrange(len(value.shape))
        fits = lambda other: other.type == value.type and len(other.shape) == len(value.shape) and \
            np.delete(other.shape, dim).tolist() == np.delete(value.shape, dim).tolist()
        parts = [self.tile_value(wanted=lambda v: v.is_tile and fits(v)) for _ in range(self.random.choice((1, 2)))] + [value]
        shape = list(value.shape)
        shape[dim] = sum(part.shape[dim] for part in parts)
        if np.prod(shape) <= MOST_ELEMENTS:
            names = ", ".join(f"{{{i}}}" for i in range(len(parts)))
            self.emit(f"{{r0}} = tile.concat {names} dim {dim} : {', '.join(part.text for part in parts)} -> "
                      f"{tile(shape, value.type)}", parts, [Value(value.type, shape, max(part.bound for part in parts))],
                      lambda context, *xs: np.concatenate(xs, dim))

    def block_numbers(self, shape, block):
        return [self.index(0, whole // part - 1) for whole, part in zip(shape, block)]

    def extract(self):
        value = self.tile_value()
        block = [self.random.choice(divisors(extent)) for extent in value.shape]
        numbers = self.block_numbers(value.shape, block)

        def run(context, x, *numbers):
            return x[tuple(slice(n * part, (n + 1) * part) for n, part in zip(numbers, block))].copy()

        places = ", ".join(f"{{{i + 1}}}" for i in range(len(block)))
        self.emit(f"{{r0}} = tile.extract {{0}}[{places}] : {value.text} -> {tile(block, value.type)}", [value, *numbers],
                  [Value(value.type, block, value.bound)], run)

    def insert(self):
        value = self.tile_value()
        part = self.tile_value(value.type, wanted=lambda v: len(v.shape) == len(value.shape) and
                               not np.any(np.array(value.shape) % v.shape))
        numbers = self.block_numbers(value.shape, part.shape)

        def run(context, source, dest, *numbers):
            result = dest.copy()
            result[tuple(slice(n * e, (n + 1) * e) for n, e in zip(numbers, part.shape))] = source
            return result

        places = ", ".join(f"{{{i + 2}}}" for i in range(len(part.shape)))
        self.emit(f"{{r0}} = tile.insert {{0}}, {{1}}[{places}] : {part.text}, {value.text}", [part, value, *numbers],
                  [Value(value.type, value.shape, max(part.bound, value.bound))], run)

    def same_shape(self, value):
        return self.tile_value(value.type, wanted=lambda other: other.shape == value.shape)

    def binary(self):
        value = self.tile_value()
        other = self.same_shape(value)
        choices = {
            "f": (("addf", np.add, lambda a, b: a + b), ("subf", np.subtract, lambda a, b: a + b),
                  ("mulf", np.multiply, lambda a, b: a * b), ("maximumf", np.maximum, max), ("minimumf", np.minimum, max)),
            "i": (("addi", np.add, None), ("subi", np.subtract, None), ("muli", np.multiply, None),
                  ("maxsi", np.maximum, None), ("minsi", np.minimum, None), ("andi", np.bitwise_and, None),
                  ("xori", np.bitwise_xor, None), ("ori", np.bitwise_or, None)),
        }[value.type[0]]
        name, run, bound = self.random.choice(choices[5:] if value.type == "i1" else choices)
        bound = bound(value.bound, other.bound) if bound else 0
        if bound <= LIMITS.get(value.type, 0):
            self.emit(f"{{r0}} = arith.{name} {{0}}, {{1}} : {value.text}", [value, other],
                      [Value(value.type, value.shape, bound)], lambda context, a, b: run(a, b).astype(a.dtype))

    def divide(self):
        """By a constant; signed division rounds to zero."""
        value = self.tile_value("i32")
        if not value:
            return
        divisor = self.random.choice((1, 2, 3, 7, 16, -5))
        name = self.random.choice(("divsi", "remsi", "floordivsi", "shrsi"))
        divisor = abs(divisor) if name == "shrsi" else divisor
        numbers = self.dense(divisor, value.shape, "i32")

        def run(context, a, b):
            a, b = a.astype(np.int64), b.astype(np.int64)
            quotient = np.sign(a) * np.sign(b) * (np.abs(a) // np.abs(b))
            results = {"divsi": quotient, "remsi": a - quotient * b, "floordivsi": a // b, "shrsi": a >> np.abs(b)}
            return results[name].astype(np.int32)

        self.emit(f"{{r0}} = arith.{name} {{0}}, {{1}} : {value.text}", [value, numbers], [Value("i32", value.shape)], run)

    def cast(self):
        value = self.tile_value("i32", "i8", "f16", "f32", "i1")
        if not value:
            return
        rows = {
            "i1": (("extui", "i32"),),
            "i8": (("extsi", "i32"), ("extsi", "i64"), ("sitofp", "f32"), ("extui", "i32")),
            "i32": (("trunci", "i8"), ("extsi", "i64")),
            "f16": (("extf", "f32"), ("fptosi", "i32")),
            "f32": (("truncf", "f16"), ("fptosi", "i32"), ("fptosi", "i64")),
        }[value.type]
        name, to = self.random.choice(rows)
        if to == "f16" and value.bound > LIMITS["f16"]:
            return
        bound = 128 if name == "sitofp" else value.bound if to[0] == "f" else 0

        def run(context, x):
            return (x.view(np.uint8) if name == "extui" and x.dtype == np.int8 else x).astype(DTYPES[to])

        self.emit(f"{{r0}} = arith.{name} {{0}} : {value.text} to {tile(value.shape, to)}", [value],
                  [Value(to, value.shape, bound)], run)

    def compare(self):
        value = self.tile_value("i32", "f16", "f32", "i8")
        if not value:
            return
        other = self.same_shape(value)
        rows = (("slt", np.less), ("sge", np.greater_equal), ("eq", np.equal), ("ne", np.not_equal))
        name, run = self.random.choice(rows)
        if value.type[0] == "f":
            name = {"slt": "olt", "sge": "oge", "eq": "oeq", "ne": "une"}[name]
        self.emit(f"{{r0}} = arith.cmp{value.type[0]} {name}, {{0}}, {{1}} : {value.text}", [value, other],
                  [Value("i1", value.shape, 1)], lambda context, a, b: run(a, b))

    def select(self):
        mask = self.tile_value("i1")
        value = self.tile_value(wanted=lambda v: mask and v.shape == mask.shape)
        if not mask or not value:
            return
        other = self.same_shape(value)
        self.emit(f"{{r0}} = arith.select {{0}}, {{1}}, {{2}} : {mask.text}, {value.text}", [mask, value, other],
                  [Value(value.type, value.shape, max(value.bound, other.bound))], lambda context, m, a, b: np.where(m, a, b))

    def combiner(self, value, count):
        """An associative operation on elements of a tile: its text and NumPy function, or None where sums are too large."""
        rows = [("add", np.add), ("max", np.maximum), ("min", np.minimum)]
        name, run = self.random.choice(rows)
        if value.type[0] == "f":
            bound = value.bound * count if name == "add" else value.bound
            op = {"add": "addf", "max": "maximumf", "min": "minimumf"}[name]
        else:
            bound, op = 0, {"add": "addi", "max": "maxsi", "min": "minsi"}[name]
        if bound > LIMITS.get(value.type, 0):
            return None
        text = (f"{{{{\n    ^bb0(%p: {value.type}, %q: {value.type}):\n      %r = arith.{op} %p, %q : {value.type}\n"
                f"      tile.yield %r : {value.type}\n    }}}}")
        return text, run, bound

    def reduce(self):
        value = self.tile_value("i32", "i64", "f16", "f32", wanted=lambda value: len(value.shape) > 1)
        if not value:
            return
        dim = self.random.randrange(len(value.shape))
        combiner = self.combiner(value, value.shape[dim])
        if combiner:
            text, run, bound = combiner
            shape = [extent for d, extent in enumerate(value.shape) if d != dim]
            self.emit(f"{{r0}} = tile.reduce {{0}} dim {dim} : {value.text} -> {tile(shape, value.type)} {text}", [value],
                      [Value(value.type, shape, bound)],
                      lambda context, x: run.reduce(x, axis=dim, dtype=x.dtype))

    def scan(self):
        value = self.tile_value("i32", "i64", "f16", "f32")
        if not value:
            return
        dim, reverse = self.random.randrange(len(value.shape)), self.random.random() < 0.4
        combiner = self.combiner(value, value.shape[dim])
        if combiner:
            text, run, bound = combiner

            def scan(context, x):
                x = np.flip(x, dim) if reverse else x
                result = run.accumulate(x, axis=dim, dtype=x.dtype)
                return np.ascontiguousarray(np.flip(result, dim) if reverse else result)

            self.emit(f"{{r0}} = tile.scan {{0}} dim {dim} {'reverse ' if reverse else ''}: {value.text} -> {value.text} "
                      f"{text}", [value], [Value(value.type, value.shape, bound)], scan)

    def dot(self):
        """A product of a tile with another, whose sides fit or are made to."""
        lhs = self.tile_value("f16", "f32", "i8", wanted=lambda v: len(v.shape) in (2, 3) and v.bound <= 256)
        if not lhs:
            return
        *batch, m, k = lhs.shape
        rhs = self.tile_value(lhs.type, wanted=lambda v: len(v.shape) == len(lhs.shape) and
                              list(v.shape[:-1]) == [*batch, k] and v.bound <= 256)
        if not rhs or self.random.random() < 0.3:
            fitting = [e for e in (1, 4, 8, 16, 24, 32) if np.prod([*batch, m, e]) <= MOST_ELEMENTS]
            if not fitting:  # A loaded tile may be larger than what most steps make.
                return
            n = self.random.choice(fitting)
            memory = self.new_input([*batch, k, n], lhs.type)
            zero = self.constant(0)
            rank = len(batch) + 2
            self.load_block(memory, list(range(rank)), [True] * rank, [*batch, k, n], [zero] * rank, [0] * rank, lhs.type)
            rhs = self.scopes[-1][-1]
        shape = [*batch, m, rhs.shape[-1]]
        type = {"f16": self.random.choice(("f32", "f32", "f16")), "f32": "f32", "i8": "i32"}[lhs.type]
        acc = self.tile_value(type, wanted=lambda v: list(v.shape) == shape)
        if not acc or self.random.random() < 0.5:
            acc = self.dense(self.random.choice((0, 0, 1)), shape, type)
        bound = 0 if type == "i32" else acc.bound + k * lhs.bound * rhs.bound
        if np.prod(shape) > MOST_ELEMENTS or bound > LIMITS.get(type, 0):
            return
        self.emit(f"{{r0}} = tile.dot {{0}}, {{1}}, {{2}} : {lhs.text}, {rhs.text} -> {tile(shape, type)}", [lhs, rhs, acc],
                  [Value(type, shape, bound)],
                  self.multiply)

    def plain_op(self, name, run, a, b, bound):
        return self.emit(f"{{r0}} = arith.{name} {{0}}, {{1}} : {a.text}", [a, b], [Value(a.type, a.shape, bound)],
                         lambda context, x, y: run(x, y).astype(x.dtype))

    @staticmethod
    def multiply(context, a, b, c):
        return (a.astype(np.int64) @ b.astype(np.int64) + c.astype(np.int64)).astype(c.dtype)

    def limit_mask(self, shape):
        """A mask row < limit or column < limit, of the whole shape, and what it holds."""
        dim = self.random.randrange(2)
        extent = shape[dim]
        limit = self.random.randint(0, extent)
        long = (extent, 1) if dim == 0 else (1, extent)
        iota = self.reshape_to(self.iota(extent), long)
        if self.random.random() < 0.5:
            number = self.number(limit)
            narrow = self.scalar("arith.index_cast {0} : index to i32", lambda context, a: a, (number,), limit, "i32")
            bound = self.emit(f"{{r0}} = tile.splat {{0}} : i32 -> {tile(long, 'i32')}", [narrow], [Value("i32", long)],
                              lambda context, a: np.full(long, a, np.int32))
        else:
            bound = self.dense(limit, long, "i32")
        mask = self.emit(f"{{r0}} = arith.cmpi slt, {{0}}, {{1}} : {tile(long, 'i32')}", [iota, bound], [Value("i1", long)],
                         lambda context, a, b: a < b)
        holds = np.broadcast_to((np.arange(extent) < limit).reshape(long), shape)
        return self.spread(mask, shape), holds

    def select_edges(self):
        """Only the first rows or columns of a tile, as kernels with masks have it."""
        value = self.tile_value(wanted=lambda value: len(value.shape) == 2)
        if not value:
            return
        mask, _ = self.limit_mask(value.shape)
        other = self.dense(self.random.choice((0, 1)), value.shape, value.type)
        self.emit(f"{{r0}} = arith.select {{0}}, {{1}}, {{2}} : {mask.text}, {value.text}", [mask, value, other],
                  [Value(value.type, value.shape, max(value.bound, 1))], lambda context, m, a, b: np.where(m, a, b))
