# SPDX-License-Identifier: Apache-2.0
"""Parameters of a kernel, and how Python values become their arguments."""

from __future__ import annotations

import ctypes
from dataclasses import dataclass
from typing import Any, Mapping, Sequence

import numpy as np

from ._library import CArg, CParamInfo, lib
from .errors import LaunchError
from .types import TypedArray, element_type, is_integer_type, scalar_value

_DYNAMIC = -(2**63)
_KINDS = ("view", "pointer", "scalar")
_HOST, _SCALAR = 0, 2


def _dtype_numbers() -> dict[str, int]:
    numbers: dict[str, int] = {}
    while (name := lib.twDtypeName(len(numbers))) is not None:
        numbers[name.decode()] = len(numbers)
    return numbers


_DTYPES = _dtype_numbers()
_DTYPE_NAMES = tuple(_DTYPES)


@dataclass(frozen=True)
class Parameter:
    """One parameter: `kind` is "view", "pointer" or "scalar", `type` the element type or the scalar's type.

    `name` is None where the program gives none. Sizes and strides (in elements) are those of a view; None stands for
    one that the caller decides.
    """

    index: int
    name: str | None
    kind: str
    type: str
    sizes: tuple[int | None, ...]
    strides: tuple[int | None, ...]
    is_read: bool
    is_written: bool

    def __str__(self) -> str:
        prefix = f"{self.name}: " if self.name else ""
        if self.kind == "scalar":
            return prefix + self.type
        if self.kind == "pointer":
            return f"{prefix}!tile.ptr<{self.type}>"
        sizes = "".join(f"{'?' if size is None else size}x" for size in self.sizes)
        strides = ", ".join("?" if stride is None else str(stride) for stride in self.strides)
        return f"{prefix}!tile.view<{sizes}{self.type}, strides = [{strides}]>"

    def describe(self) -> str:
        """How messages call it."""
        return f"parameter '{self.name}'" if self.name else f"parameter {self.index}"


def read_parameters(bundle: ctypes.c_void_p, kernel: int) -> list[Parameter]:
    """Reads the parameters of one kernel of an open bundle."""
    parameters = []
    for index in range(lib.twBundleParamCount(bundle, kernel)):
        info = CParamInfo()
        if lib.twBundleParam(bundle, kernel, index, ctypes.byref(info)):
            raise LaunchError(f"parameter {index} cannot be read")
        parameters.append(
            Parameter(
                index=index,
                name=info.name.decode() or None,
                kind=_KINDS[info.kind],
                type=_DTYPE_NAMES[info.dtype],
                sizes=_dimensions(info.sizes, info.rank),
                strides=_dimensions(info.strides, info.rank),
                is_read=bool(info.is_read),
                is_written=bool(info.is_written),
            )
        )
    return parameters


def _dimensions(values: Any, rank: int) -> tuple[int | None, ...]:
    return tuple(None if values[i] == _DYNAMIC else int(values[i]) for i in range(rank))


class PackedArguments:
    """The C form of a launch's arguments and what keeps their memory alive."""

    def __init__(self, count: int) -> None:
        self.count = count
        self.array = (CArg * count)()
        self.alive: list[Any] = []


def pack_arguments(
    kernel: str, parameters: Sequence[Parameter], args: Sequence[Any], named: Mapping[str, Any]
) -> PackedArguments:
    """Matches values with parameters and converts them. Raises LaunchError that names the parameter."""
    if len(args) > len(parameters):
        raise LaunchError(f"kernel '{kernel}' expects {len(parameters)} arguments, got {len(args)}")
    values: dict[int, Any] = dict(enumerate(args))
    for name, value in named.items():
        matching = [parameter.index for parameter in parameters if parameter.name == name]
        if not matching:
            known = ", ".join(parameter.name or str(parameter.index) for parameter in parameters)
            raise LaunchError(f"kernel '{kernel}' has no parameter '{name}'; it has {known}")
        if matching[0] in values:
            raise LaunchError(f"parameter '{name}' of kernel '{kernel}' is given twice")
        values[matching[0]] = value
    missing = [parameter for parameter in parameters if parameter.index not in values]
    if missing:
        raise LaunchError(f"no argument for {missing[0].describe()} of kernel '{kernel}'")

    packed = PackedArguments(len(parameters))
    for parameter in parameters:
        value = values[parameter.index]
        if parameter.kind == "scalar":
            _pack_scalar(packed.array[parameter.index], parameter, value)
        else:
            _pack_array(packed, parameter, value)
    return packed


def _pack_scalar(arg: CArg, parameter: Parameter, value: Any) -> None:
    try:
        number = scalar_value(value, parameter.type)
    except (TypeError, ValueError) as error:
        raise LaunchError(f"{parameter.describe()}: {error}") from None
    arg.kind, arg.dtype = _SCALAR, _DTYPES[parameter.type]
    if is_integer_type(parameter.type):
        arg.integer = number
    else:
        arg.number = number


def _pack_array(packed: PackedArguments, parameter: Parameter, value: Any) -> None:
    array, type = (value.array, value.type) if isinstance(value, TypedArray) else (value, None)
    if not isinstance(array, np.ndarray):
        raise LaunchError(f"{parameter.describe()}: expected a NumPy array, got {value!r}")
    type = type or element_type(array)
    if type is None:
        raise LaunchError(f"{parameter.describe()}: arrays of {array.dtype!r} have no element type here")
    if type == "i64" and parameter.type == "index":
        type = "index"
    if parameter.is_written and not array.flags.writeable:
        raise LaunchError(f"{parameter.describe()}: the kernel writes it, but the array is read-only")
    if any(stride % array.itemsize for stride in array.strides):
        raise LaunchError(f"{parameter.describe()}: the strides are not multiples of the element size")
    dimensions = ctypes.c_int64 * max(array.ndim, 1)
    shape = dimensions(*array.shape)
    strides = dimensions(*(stride // array.itemsize for stride in array.strides))
    arg = packed.array[parameter.index]
    arg.kind, arg.dtype, arg.data, arg.rank = _HOST, _DTYPES[type], array.ctypes.data, array.ndim
    arg.shape, arg.strides = shape, strides
    packed.alive += [array, shape, strides]
