# SPDX-License-Identifier: Apache-2.0
"""Operations of random programs that read and write memory."""

import numpy as np

from program_builder import Memory
from program_ops import DTYPES, LIMITS, Op, Value, tile
from program_tiles import TileSteps


class MemorySteps(TileSteps):
    """Inputs may be smaller than what is read. Every program of the grid has a place of its own in each output, except where
    it adds atomically."""

    def new_input(self, shape, type, kind="view"):
        order = list(range(len(shape)))
        self.random.shuffle(order)
        # Arrays of the host go to addresses that are multiples of 256 bytes.
        facts = [f"tile.div_by = {self.random.choice((4, 16, 128))} : i64"] if self.random.random() < 0.3 else []
        memory = Memory(f"%x{len(self.memory)}", self.values(type, shape), order if kind == "view" else None, kind,
                        facts=facts)
        self.memory.append(memory)
        return memory

    def load(self):
        """A block of a view, whole, or over its edges, through a permuted view, of some dims."""
        rank = self.random.choice((1, 2, 2, 2, 3))
        shape = self.extents(rank)
        type = self.random.choice(("i32", "f16", "f32", "f32", "i8", "i64"))
        walks = [True] * rank + [False] * self.random.choice((0, 0, 0, 1))
        self.random.shuffle(walks)
        extents = iter(shape)
        block = [next(extents) if walk else 1 for walk in walks]
        sizes, offsets, lows = [], [], []
        for extent in block:
            offset, low, high = self.offset(extent)
            offsets.append(offset)
            lows.append(low)
            size = max(0, high + extent + self.random.choice((0, 0, 0, 0, 1, 7, -1, -extent // 2, -extent)))
            sizes.append(size)
        while np.prod(sizes) > 100_000:
            sizes[int(np.argmax(sizes))] //= 2
        memory = self.new_input(sizes, type)
        self.random.shuffle(order := list(range(len(block))))
        if self.random.random() < 0.6:
            order = list(range(len(block)))
        self.load_block(memory, order, walks, block, offsets, lows, type)

    def load_block(self, memory, order, walks, block, offsets, lows, type):
        """`block`, `offsets` and `walks` are in the order of memory's dims; the view that is read is permuted by `order`."""
        shape = [block[dim] for dim in order if walks[dim]]
        view, views = memory.name, []
        if order != list(range(len(order))):
            view = "{%d}" % len(order)
            views = [self.scalar(f"tile.permute_view {memory.name} {order} : {memory.type()} to {memory.type(order)}",
                                 lambda context: None, type="view")]
        dims = [position for position, dim in enumerate(order) if walks[dim]]
        dims_text = f" dims {dims}" if len(dims) < len(order) else ""
        promised = ""
        if self.random.random() < 0.4:
            flags = [self.random.random() < 0.7 and lows[dim] >= 0 and
                     offsets[dim].bound + block[dim] <= memory.values.shape[dim] for dim in order]
            promised = f" in_bounds [{', '.join('true' if flag else 'false' for flag in flags)}]"
        places = ", ".join(f"{{{i}}}" for i in range(len(order)))

        def run(context, *numbers):
            numbers = numbers[: len(order)]
            values = context.memory[memory.name].transpose(order)
            indices = [np.arange(number, number + block[dim]) for number, dim in zip(numbers, order)]
            inside = np.ix_(*[(i >= 0) & (i < size) for i, size in zip(indices, values.shape)])
            result = np.zeros([block[dim] for dim in order], values.dtype)
            clipped = [i[(i >= 0) & (i < size)] for i, size in zip(indices, values.shape)]
            result[inside] = values[np.ix_(*clipped)]
            return result.reshape(shape)

        self.emit(f"{{r0}} = tile.load {view}[{places}]{dims_text}{promised} pad(zero) : {memory.type(order)} -> "
                  f"{tile(shape, type)}", [offsets[dim] for dim in order] + views, [Value(type, shape, self.bound_of(type))], run)

    def offset(self, extent):
        """An offset, its lowest and its highest value: id * extent, a loop's variable, a number, or a sum."""
        found = self.visible(lambda value: value.type == "index")
        pick = self.random.random()
        if pick < 0.35 and self.ids:
            value = self.random.choice(self.ids)
            step = self.constant(extent)
            flags = self.random.choice((" overflow<nsw>", ""))
            product = self.scalar(f"arith.muli {{0}}, {{1}}{flags} : index", lambda context, a, b: a * b, (value, step),
                                  value.bound * extent, low=0)
            return product, 0, product.bound
        if pick < 0.65 and found:
            value = self.random.choice(found)
            return value, value.low, value.bound
        if pick < 0.75 and found:
            value, more = self.random.choice(found), self.random.choice((-2, 1, 5))
            total = self.scalar("arith.addi {0}, {1} overflow<nsw> : index", lambda context, a, b: a + b,
                                (value, self.constant(more)), value.bound + abs(more), low=value.low + more)
            return total, total.low, total.bound
        number = self.random.choice((0, 0, 0, 1, 3, -1, -5))
        return (self.constant(number) if self.random.random() < 0.6 else self.number(number)), number, max(number, 0)

    def index_tile(self, length, size):
        """A rank-1 i32 tile of numbers about 0 to `size`: from memory, or computed."""
        if self.random.random() < 0.5:
            memory = Memory(f"%x{len(self.memory)}", self.data.integers(-2, size + 2, length).astype(np.int32))
            self.memory.append(memory)
            zero = self.constant(0)
            self.load_block(memory, [0], [True], [length], [zero], [0], "i32")
            return self.scopes[-1][-1]
        iota = self.iota(length)
        factor = self.random.choice((1, 1, 2, 3))
        factors = self.dense(factor, (length,), "i32")
        return self.emit(f"{{r0}} = arith.muli {{0}}, {{1}} : {tile((length,), 'i32')}", [iota, factors],
                         [Value("i32", (length,))], lambda context, a, b: a * b)

    def gather(self):
        rows, columns = self.extents(2, 256)
        type = self.random.choice(("f32", "i32", "f16"))
        size = self.random.choice((1, rows, rows + 5))
        memory = self.new_input((size, columns), type)
        indices = self.index_tile(rows, size)
        zero = self.constant(0)

        def run(context, numbers, _):
            values = context.memory[memory.name]
            result = np.zeros((rows, columns), values.dtype)
            inside = (numbers >= 0) & (numbers < size)
            result[inside] = values[numbers[inside]]
            return result

        self.emit(f"{{r0}} = tile.gather {memory.name}[{{0}}, {{1}}] pad(zero) : {memory.type()}"
                  f"[{tile((rows,), 'i32')}, index] -> {tile((rows, columns), type)}", [indices, zero],
                  [Value(type, (rows, columns), self.bound_of(type))], run)

    def pointers(self, name, type, shape, row_step, column_step, base):
        """A tile of pointers at base + row * row_step + column * column_step; their values are numbers of elements."""
        rows, columns = shape
        self.is_fixed = True
        parts = []
        for dim, (extent, step) in enumerate(((rows, row_step), (columns, column_step))):
            iota = self.iota(extent)
            steps = self.dense(step, (extent,), "i32")
            scaled = self.emit(f"{{r0}} = arith.muli {{0}}, {{1}} overflow<nsw> : {tile((extent,), 'i32')}", [iota, steps],
                               [Value("i32", (extent,))], lambda context, a, b: a * b)
            long = (extent, 1) if dim == 0 else (1, extent)
            parts.append(self.spread(self.reshape_to(scaled, long), shape))
        total = self.emit(f"{{r0}} = arith.addi {{0}}, {{1}} overflow<nsw> : {tile(shape, 'i32')}", parts,
                          [Value("i32", shape)], lambda context, a, b: a + b)
        start = self.constant(base, "i32")
        pointer = self.scalar(f"tile.ptr_add {name}, {{0}} : !tile.ptr<{type}>, i32", lambda context, a: a, (start,),
                              type="ptr")
        splat = self.emit(f"{{r0}} = tile.splat {{0}} : !tile.ptr<{type}> -> {tile(shape, f'!tile.ptr<{type}>')}", [pointer],
                          [Value("ptr")], lambda context, a: a)
        both = self.emit(f"{{r0}} = tile.ptr_add {{0}}, {{1}} : {tile(shape, f'!tile.ptr<{type}>')}, {tile(shape, 'i32')}",
                         [splat, total], [Value("ptr")], lambda context, a, b: a + b)
        self.is_fixed = False
        return both

    def load_pointers(self):
        shape = self.extents(2, 256)
        type = self.random.choice(("f32", "i32"))
        row_step = self.random.choice((shape[1], shape[1] + 3, 1, 0))
        column_step = 1 if row_step != 1 else shape[0]
        base = self.random.choice((0, 4, 16))
        self.is_fixed = True
        mask, holds = self.limit_mask(shape)
        self.is_fixed = False
        places = base + np.arange(shape[0])[:, None] * row_step + np.arange(shape[1])[None, :] * column_step
        # Lanes that are masked out may point anywhere.
        needed = int(places[holds].max()) + 1 if holds.any() else 1
        memory = self.new_input((needed + self.random.choice((0, 5)),), type, "pointer")
        pointers = self.pointers(memory.name, type, shape, row_step, column_step, base)
        other = self.dense(self.random.choice((0, 3)), shape, type)

        def run(context, places, mask, other):
            values = context.memory[memory.name]
            return np.where(mask, values[np.where(mask, places, 0)], other)

        self.emit(f"{{r0}} = tile.load_ptr {{0}} mask {{1}} other {{2}} : {tile(shape, f'!tile.ptr<{type}>')}",
                  [pointers, mask, other], [Value(type, shape, self.bound_of(type))], run)

    def new_output(self, tail, type, initial=None):
        """An output with a place for each program, whose tail has these extents."""
        shape = [max(extent, 1) for extent in self.grid] + list(tail)
        order = list(range(len(shape)))
        if self.random.random() < 0.4:
            self.random.shuffle(order)
        values = np.full(shape, {"i1": 0}.get(type, 77), DTYPES[type]) if initial is None else initial(shape)
        memory = Memory(f"%y{len(self.memory)}", values, order, is_output=True)
        memory.has_places = True
        self.memory.append(memory)
        return memory

    def finish(self):
        """Stores a tile: whole, cut at the edges, permuted, added, or behind pointers."""
        value = self.tile_value()
        pick = self.random.random()
        if pick < 0.2 and value.type in ("i32", "f32"):
            return self.add_into(value)
        if pick < 0.35 and len(value.shape) == 2:
            return self.store_pointers(value)
        cut = [max(0, extent - self.random.choice((0, 0, 0, 1, extent // 2))) for extent in value.shape]
        memory = self.new_output(cut, value.type)
        axes = len(self.grid)
        zeros = [self.constant(0) for _ in value.shape]
        dims = list(range(axes, axes + len(value.shape)))
        places = ", ".join(f"{{{i + 1}}}" for i in range(axes + len(value.shape)))

        def run(context, x, *numbers):
            context.memory[memory.name][tuple(numbers[:axes])] = x[tuple(slice(0, extent) for extent in cut)]
            return ()

        self.emit_store(f"tile.store {{0}}, {memory.name}[{places}] dims {dims} : {value.text}, {memory.type()}",
                        [value, *self.ids, *zeros], run)
        if tuple(cut) == value.shape and self.random.random() < 0.3:
            self.read_back(memory, value, places, dims, zeros)

    def emit_store(self, template, operands, run):
        self.block.ops.append(Op(template, operands, [], run, True))

    def read_back(self, memory, value, places, dims, zeros):
        """What was stored is read, changed and stored again; the order of the three must stay."""
        axes = len(self.grid)
        names = ", ".join(f"{{{i}}}" for i in range(axes + len(value.shape)))
        again = self.emit(f"{{r0}} = tile.load {memory.name}[{names}] dims {dims} : {memory.type()} -> {value.text}",
                          [*self.ids, *zeros], [Value(value.type, value.shape, value.bound)],
                          lambda context, *numbers: context.memory[memory.name][tuple(numbers[:axes])].copy())
        if value.type not in ("i32", "i64"):
            return
        twice = self.plain_op("addi", np.add, again, again, 0)

        def run(context, x, *numbers):
            context.memory[memory.name][tuple(numbers[:axes])] = x
            return ()

        self.emit_store(f"tile.store {{0}}, {memory.name}[{places}] dims {dims} : {value.text}, {memory.type()}",
                        [twice, *self.ids, *zeros], run)

    def add_into(self, value):
        """Every program adds to one place, atomically; integers and small floats come to the same in any order."""
        if value.type == "f32" and value.bound * 27 * 25 > LIMITS["f32"]:
            return
        shape = [max(0, extent - self.random.choice((0, 0, 1))) for extent in value.shape]
        memory = Memory(f"%y{len(self.memory)}", self.values(value.type, shape), is_output=True)
        self.memory.append(memory)
        zeros = [self.constant(0) for _ in shape]
        places = ", ".join(f"{{{i + 1}}}" for i in range(len(shape)))

        def run(context, x, *_):
            context.memory[memory.name][...] += x[tuple(slice(0, extent) for extent in shape)]
            return ()

        kind = "fadd" if value.type == "f32" else "add"
        self.emit_store(f"tile.reduce_into {kind} gpu {{0}}, {memory.name}[{places}] : {value.text}, {memory.type()}",
                        [value, *zeros], run)

    def store_pointers(self, value):
        """Each program stores a masked tile behind pointers into its own part of memory."""
        rows, columns = value.shape
        if value.type == "i1":
            return
        programs = int(np.prod([max(extent, 1) for extent in self.grid]))
        memory = Memory(f"%y{len(self.memory)}", np.full(programs * rows * columns, 77, DTYPES[value.type]), None, "pointer",
                        True)
        self.memory.append(memory)
        flat = self.ids[0]
        for extent, value_of in zip(self.grid[1:], self.ids[1:]):
            size = self.constant(max(extent, 1))
            flat = self.scalar("arith.muli {0}, {1} overflow<nsw> : index", lambda context, a, b: a * b, (flat, size),
                               programs, low=0)
            flat = self.scalar("arith.addi {0}, {1} overflow<nsw> : index", lambda context, a, b: a + b,
                               (flat, value_of), programs, low=0)
        size = self.constant(rows * columns)
        start = self.scalar("arith.muli {0}, {1} overflow<nsw> : index", lambda context, a, b: a * b, (flat, size),
                            programs * rows * columns, low=0)
        narrow = self.scalar("arith.index_cast {0} : index to i32", lambda context, a: a, (start,), type="i32")
        mask, _ = self.limit_mask(value.shape)
        pointer_type = f"!tile.ptr<{value.type}>"
        pointers = self.pointers(memory.name, value.type, value.shape, columns, 1, 0)
        self.is_fixed = True
        starts = self.emit(f"{{r0}} = tile.splat {{0}} : i32 -> {tile(value.shape, 'i32')}", [narrow],
                           [Value("i32", value.shape)], lambda context, a: np.full(value.shape, a, np.int32))
        moved = self.emit(f"{{r0}} = tile.ptr_add {{0}}, {{1}} : {tile(value.shape, pointer_type)}, {starts.text}",
                          [pointers, starts], [Value("ptr")], lambda context, a, b: a + b)
        self.is_fixed = False

        def run(context, x, places, mask):
            context.memory[memory.name][places[mask]] = x[mask]
            return ()

        self.emit_store(f"tile.store_ptr {{0}}, {{1}} mask {{2}} : {tile(value.shape, pointer_type)}", [value, moved, mask], run)
