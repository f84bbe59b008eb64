# SPDX-License-Identifier: Apache-2.0
"""Random tile programs from a seed, each with what it means in NumPy."""

import random

import numpy as np

from program_builder import Context
from program_memory import MemorySteps
from program_ops import LIMITS, Block, Choice, Loop, Value, Writer, all_blocks, drop_dead, tile, zeros

WARPS = (1, 2, 3, 4, 8)


class Program(MemorySteps):
    """The program of one seed: `source()` is its text, `arguments()` what it is launched with, `expected()` the result."""

    def __init__(self, seed):
        self.seed = seed
        self.random = random.Random(seed)
        self.data = np.random.default_rng(seed)
        self.memory = []
        self.numbers = []  # Index parameters: (name, value, facts).
        self.body = Block()
        self.block = self.body
        self.scopes = [[]]
        self.warps = self.random.choice(WARPS)
        self.depth = 0
        self.is_fixed = False
        axes = self.random.choice((1, 1, 2, 3))
        self.grid = [self.random.choice((1, 1, 2, 3)) for _ in range(axes)]
        if self.random.random() < 0.03:
            self.grid[self.random.randrange(axes)] = 0
        self.ids = [self.scalar(f"tile.program_id {'xyz'[axis]}", lambda context, axis=axis: context.ids[axis])
                    for axis in range(axes)]
        for extent, value in zip(self.grid, self.ids):
            value.bound, value.low = max(extent - 1, 0), 0
        for _ in range(self.random.choice((1, 2, 2, 3))):
            self.load()
        for _ in range(self.random.choice((5, 10, 15, 20, 30))):
            self.step()
        for _ in range(self.random.choice((1, 2, 3, 5))):
            self.finish()
        drop_dead(self.body)
        self.extents_of_grid = [self.extent_of_grid(axis, extent) for axis, extent in enumerate(self.grid)]

    # Control flow.

    def inside(self, build):
        """A block whose operations are written by `build`, which returns what it yields."""
        outer, self.block = self.block, Block()
        self.scopes.append([])
        self.depth += 1
        try:
            self.block.yields = build()
            return self.block
        finally:
            self.depth -= 1
            self.scopes.pop()
            self.block = outer

    def loop(self):
        """Sums, maxima or exchanges over a loop of no, one, or some trips."""
        if self.depth == 2:
            return
        trips = self.random.choice((0, 1, 2, 3, 5))
        step = self.random.choice((1, 1, 2, 16))
        lower = self.random.choice((0, 0, 0, 3, -4))
        upper = lower + max(0, trips * step - self.random.randrange(step)) - (2 if not trips and step == 1 else 0)
        bounds = [self.constant(n) if self.random.random() < 0.5 else self.number(n) for n in (lower, upper)]
        bounds.append(self.constant(step) if self.random.random() < 0.8 else self.number(step))
        variable = Value("index", None, max(abs(lower), abs(lower + max(trips - 1, 0) * step)), lower)
        initial = [self.tile_value("i32", "i64", "f16", "f32") for _ in range(self.random.choice((1, 1, 2)))]
        initial = [value for value in initial if value]
        if not initial:
            return
        # Integers may be read in the body; floats only in the sum at its end, so that their bound is known.
        carried = [Value(value.type, value.shape, 0) for value in initial]
        bounds_after = []

        def build():
            self.scopes[-1] += [variable] + [value for value in carried if value.type[0] == "i"]
            if self.random.random() < 0.7:
                self.load()
            for _ in range(self.random.choice((1, 2, 3, 5))):
                self.step()
            yields = []
            for value, start in zip(carried, initial):
                more = self.tile_value(value.type, wanted=lambda v: v.shape == value.shape and v is not value)
                more = more or start
                if value.type[0] == "i":
                    total, bound = self.plain_op("addi", np.add, value, more, 0), 0
                elif start.bound + trips * more.bound <= LIMITS[value.type]:
                    bound = start.bound + trips * more.bound
                    total = self.plain_op("addf", np.add, value, more, bound)
                else:
                    bound = max(start.bound, more.bound)
                    total = self.plain_op("maximumf", np.maximum, value, more, bound)
                bounds_after.append(bound)
                yields.append(total)
            if len(carried) == 2 and carried[0].text == carried[1].text and self.random.random() < 0.5 and \
                    carried[0].type[0] == "i":
                yields.reverse()
            return yields

        block = self.inside(build)
        results = [Value(value.type, value.shape, bound) for value, bound in zip(initial, bounds_after)]
        self.block.ops.append(Loop(bounds, variable, carried, initial, results, block))
        self.scopes[-1] += results

    def operand(self, memory, shape, offsets, way):
        """A block of a matrix: as it lies, turned by a permute, or through a permuted view."""
        order = [1, 0] if way == "view" else [0, 1]
        block = shape if way == "plain" else shape[::-1]
        offsets = offsets if way == "plain" else offsets[::-1]
        self.load_block(memory, order, [True, True], block, offsets, [offset.low for offset in offsets], memory.element)
        loaded = self.scopes[-1][-1]
        if way != "permute":
            return loaded
        return self.emit(f"{{r0}} = tile.permute {{0}} [1, 0] : {loaded.text} -> {tile(shape, loaded.type)}", [loaded],
                         [Value(loaded.type, shape, loaded.bound)], lambda context, x: np.ascontiguousarray(x.T))

    def product_loop(self):
        """acc = dot(a, b, acc) along K, as products of matrices have it, with any trips and any transposes."""
        if self.depth == 2:
            return
        m, n = self.extents(2)
        k = self.random.choice((1, 4, 8, 16, 32))
        trips = self.random.choice((0, 1, 2, 3, 6))
        size = max(0, trips * k - self.random.choice((0, 0, 0, 1, k // 2)))
        trips = -(-size // k)
        type = self.random.choice(("f16", "f16", "f32", "i8"))
        sum_type = "i32" if type == "i8" else "f32"
        ways = [self.random.choice(("plain", "permute", "view")) for _ in range(2)]
        row, column = (self.offset(extent)[0] for extent in (m, n))
        memories = []
        for rows, columns, way in ((row.bound + m, size, ways[0]), (size, column.bound + n, ways[1])):
            cut = self.random.choice((0, 0, 0, 1, 3))
            sizes = [max(rows - (cut if rows != size else 0), 0), max(columns - (cut if columns != size else 0), 0)]
            memories.append(self.new_input(sizes if way == "plain" else sizes[::-1], type))
            memories[-1].element = type
        acc = self.tile_value(sum_type, wanted=lambda v: v.shape == (m, n))
        if not acc or self.random.random() < 0.7:
            acc = self.dense(self.random.choice((0, 0, 0, 2)), (m, n), sum_type)
        bound = acc.bound + trips * k * self.bound_of(type) ** 2
        if bound > LIMITS["f32"]:
            return
        zero, step = self.constant(0), self.constant(k)
        if self.random.random() < 0.5:
            dim = 1 if ways[0] == "plain" else 0
            upper = self.scalar(f"tile.view_size {memories[0].name}, {dim} : {memories[0].type()}", lambda context: size, (),
                                size, low=size)
        else:
            upper = self.number(size) if self.random.random() < 0.6 else self.constant(size)
        variable = Value("index", None, max(trips - 1, 0) * k, 0)
        carried = Value(sum_type, (m, n), bound)

        def build():
            self.scopes[-1].append(variable)
            lhs = self.operand(memories[0], (m, k), [row, variable], ways[0])
            rhs = self.operand(memories[1], (k, n), [variable, column], ways[1])
            for _ in range(self.random.choice((0, 0, 1, 2))):
                self.step()
            return [self.emit(f"{{r0}} = tile.dot {{0}}, {{1}}, {{2}} : {lhs.text}, {rhs.text} -> {carried.text}",
                              [lhs, rhs, carried], [Value(sum_type, (m, n), bound)], self.multiply)]

        block = self.inside(build)
        result = Value(sum_type, (m, n), bound)
        self.block.ops.append(Loop([zero, upper, step], variable, [carried], [acc], [result], block))
        self.scopes[-1].append(result)

    def branch(self):
        if self.depth == 2:
            return
        left, right = self.index(0, 3), self.index(0, 3)
        name = self.random.choice(("slt", "eq", "sge"))
        compare = {"slt": lambda a, b: a < b, "eq": lambda a, b: a == b, "sge": lambda a, b: a >= b}[name]
        condition = self.scalar(f"arith.cmpi {name}, {{0}}, {{1}} : index", lambda context, a, b: compare(a, b),
                                (left, right), 1, "i1")
        start = self.tile_value()
        yields = []

        def build():
            for _ in range(self.random.choice((0, 1, 2))):
                self.step()
            yields.append(self.tile_value(start.type, wanted=lambda v: v.shape == start.shape))
            return [yields[-1]]

        blocks = (self.inside(build), self.inside(build))
        result = Value(start.type, start.shape, max(value.bound for value in yields))
        self.block.ops.append(Choice(condition, [result], blocks))
        self.scopes[-1].append(result)

    def step(self):
        steps = (self.load, self.binary, self.binary, self.cast, self.compare, self.select, self.select, self.divide,
                 self.reshape, self.permute, self.permute, self.broadcast, self.concat, self.extract, self.insert,
                 self.reduce, self.scan, self.dot, self.dot, self.loop, self.loop, self.branch, self.gather,
                 self.load_pointers, self.finish, self.select_edges, self.product_loop, self.product_loop, self.dot, self.permute)
        self.random.choice(steps)()

    # The whole.

    def extent_of_grid(self, axis, extent):
        """How the grid function comes to an extent: a constant, a parameter, a quotient, the size of an output."""
        pick = self.random.random()
        outputs = [memory for memory in self.memory if memory.is_output and memory.has_places]
        if pick < 0.3:
            return f"  %g{axis} = arith.constant {extent} : index\n"
        if pick < 0.6 and outputs and extent:
            memory = self.random.choice(outputs)
            return f"  %g{axis} = tile.view_size {memory.name}, {axis} : {memory.type()}\n"
        part = self.random.choice((1, 4, 16, 100))
        name = f"%n{len(self.numbers)}"
        self.numbers.append((name, max(0, extent * part - self.random.randrange(part)), []))
        return f"  %p{axis} = arith.constant {part} : index\n  %g{axis} = arith.ceildivsi {name}, %p{axis} : index\n"

    def source(self):
        writer = Writer()
        self.body.write(writer)
        text = "\n".join(writer.lines)
        parameters = [(memory.name, memory.type(), memory.facts) for memory in self.memory]
        parameters += [(name, "index", facts) for name, _, facts in self.numbers]
        names = ", ".join(f"{name}: {type}" for name, type, _ in parameters)
        facts = ", ".join(f"{name}: {type}" + (f" {{{', '.join(facts)}}}" if facts else "") for name, type, facts in parameters)
        extents = "".join(self.extents_of_grid)
        results = ", ".join(f"%g{axis}" for axis in range(len(self.grid)))
        types = ", ".join("index" for _ in self.grid)
        types = f"({types})" if len(self.grid) > 1 else types
        plain_types = ", ".join("index" for _ in self.grid)
        return (f"func.func @k({facts})\n    attributes {{tile.kernel, tile.num_warps = {self.warps} : i64, "
                f"tile.grid = @grid}} {{\n  %zero_index = arith.constant 0 : index\n{text}\n  return\n}}\n"
                f"func.func @grid({names}) -> {types} {{\n{extents}  return {results} : {plain_types}\n}}\n")

    def arguments(self):
        """For each array parameter what `lay_out` returns, afresh; and the numbers that follow them."""
        return [memory.lay_out(memory.values) for memory in self.memory], [value for _, value, _ in self.numbers]

    def expected(self):
        """What each array holds afterwards."""
        memory = {memory.name: memory.values.copy() for memory in self.memory}
        numbers = {name: value for name, value, _ in self.numbers}
        with np.errstate(over="ignore"):
            for ids in np.ndindex(*self.grid):
                self.body.execute(Context(ids, self.grid, memory, numbers), {})
        return [memory[m.name] for m in self.memory]

    def shrink(self, fails, tries=300):
        """Leaves operations out as long as `fails()` holds: stores and whole loops go, other results become zeros."""
        is_smaller = True
        while is_smaller:
            is_smaller = False
            for block in list(all_blocks(self.body)):
                for op in reversed(list(block.ops)):
                    tiles = [result for result in op.results if result.is_tile]
                    if op not in block.ops or op.is_fixed or op.is_zeros or len(tiles) < len(op.results):
                        continue
                    tries -= 1
                    if tries < 0:
                        return
                    before = [(other, list(other.ops)) for other in all_blocks(self.body)]
                    place = block.ops.index(op)
                    block.ops[place : place + 1] = [zeros(result) for result in op.results]
                    drop_dead(self.body)
                    if fails():
                        is_smaller = True
                    else:
                        for other, ops in before:
                            other.ops = ops
