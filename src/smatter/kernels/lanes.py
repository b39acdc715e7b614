"""Dot products and scaled sums of short float32 rows, eight lanes at a time.

Rows of aspects are 8 to 100 numbers long. A loop over them that the compiler vectorizes on its own spends its time in
the scalar tail of a body unrolled for thousands, so the vectors are spelt out here. A row's length is a multiple of
``LANES``; the padding holds zeros. The plain Python bodies are what runs with the JIT off, and the meaning.
"""

from typing import Any

import numpy as np
from llvmlite import ir  # type: ignore[import-untyped]
from numba.core import cgutils, types
from numba.core.errors import TypingError
from numba.extending import intrinsic, overload
from numpy.typing import NDArray

LANES = 8
GROUP = 4  # rows that share one pass over their partner: a load and a store for four instead of one
Row = NDArray[np.float32]
_VECTOR = ir.VectorType(ir.FloatType(), LANES)
_CONTRACT = ("contract",)  # a product and a sum may become one instruction; nothing else about the order is given up
_SUM_ACROSS = ("reassoc", "nsz")


def padded(n_aspects: int) -> int:
    """Round the length of a row up to whole vectors."""
    return -(-n_aspects // LANES) * LANES


def dot(x: Row, y: Row) -> np.float32:
    """Return Σ_a x[a] y[a]."""
    return np.float32(x @ y)


def dot_group(x: Row, Y: NDArray[np.float32], rows: NDArray[np.int32], start: Any) -> tuple[np.float32, ...]:
    """Return Σ_a x[a] Y[r, a] for the four rows r that begin at ``rows[start]``."""
    return tuple(np.float32(x @ Y[row]) for row in rows[start : start + GROUP])


def add_scaled(scale: np.float32, x: Row, total: Row) -> None:
    """Add scale · x to the total."""
    total += scale * x


def add_scaled_group(
    scales: tuple[np.float32, ...], X: NDArray[np.float32], rows: NDArray[np.int32], start: Any, total: Row
) -> None:
    """Add Σ_r scale_r · X[r] to the total, for the four rows r that begin at ``rows[start]``."""
    for scale, row in zip(scales, rows[start : start + GROUP], strict=True):
        total += scale * X[row]


def dot_part(x: Row, Y: NDArray[np.float32], row: Any, low: Any, high: Any) -> np.float32:
    """Return Σ_a x[a] Y[row, a] over low ≤ a < high, both multiples of ``LANES``."""
    return np.float32(x[low:high] @ Y[row, low:high])


def add_scaled_part(scale: np.float32, X: NDArray[np.float32], row: Any, low: Any, high: Any, total: Row) -> None:
    """Add scale · X[row] to the total over low ≤ a < high, both multiples of ``LANES``."""
    total[low:high] += scale * X[row, low:high]


@overload(dot, inline="always")
def _dot(x, y):
    _refuse_strides(x, y)
    return lambda x, y: _dot_lanes(x, y)  # type: ignore[call-arg]


@overload(dot_group, inline="always")
def _dot_group(x, Y, rows, start):
    _refuse_strides(x, Y)
    return lambda x, Y, rows, start: _dot_group_lanes(x, Y, rows, start)  # type: ignore[call-arg]


@overload(add_scaled, inline="always")
def _add_scaled(scale, x, total):
    _refuse_strides(x, total)
    return lambda scale, x, total: _add_lanes(scale, x, total)  # type: ignore[call-arg]


@overload(add_scaled_group, inline="always")
def _add_scaled_group(scales, X, rows, start, total):
    _refuse_strides(X, total)
    return lambda scales, X, rows, start, total: _add_group_lanes(scales, X, rows, start, total)  # type: ignore[call-arg]


@overload(dot_part, inline="always")
def _dot_part(x, Y, row, low, high):
    _refuse_strides(x, Y)
    return lambda x, Y, row, low, high: _dot_part_lanes(x, Y, row, low, high)  # type: ignore[call-arg]


@overload(add_scaled_part, inline="always")
def _add_scaled_part(scale, X, row, low, high, total):
    _refuse_strides(X, total)
    return lambda scale, X, row, low, high, total: _add_part_lanes(scale, X, row, low, high, total)  # type: ignore[call-arg]


def _refuse_strides(*arrays: Any) -> None:
    """Vectors are loaded from consecutive addresses: anything else would be read wrongly, without a word."""
    if any(array.layout != "C" or array.dtype != types.float32 for array in arrays):
        raise TypingError(f"lanes take C-ordered float32 arrays, not {arrays}")


@intrinsic
def _dot_lanes(typing: Any, x: Any, y: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        left, right = (_array(context, builder, kind, value) for kind, value in zip((x, y), arguments, strict=True))
        (total,) = _sums(builder, left.data, [right.data], _length(builder, left))
        return total

    return types.float32(x, y), generate


@intrinsic
def _dot_group_lanes(typing: Any, x: Any, Y: Any, rows: Any, start: Any) -> Any:
    result = types.UniTuple(types.float32, GROUP)

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        left = _array(context, builder, x, arguments[0])
        partners = _row_pointers(context, builder, (Y, rows), arguments[1:4])
        totals = _sums(builder, left.data, partners, _length(builder, left))
        return context.make_tuple(builder, result, totals)

    return result(x, Y, rows, start), generate


@intrinsic
def _add_lanes(typing: Any, scale: Any, x: Any, total: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        source = _array(context, builder, x, arguments[1])
        target = _array(context, builder, total, arguments[2])
        _accumulate(builder, [arguments[0]], [source.data], target)
        return context.get_dummy_value()

    return types.void(types.float32, x, total), generate


@intrinsic
def _add_group_lanes(typing: Any, scales: Any, X: Any, rows: Any, start: Any, total: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        factors = cgutils.unpack_tuple(builder, arguments[0], GROUP)
        sources = _row_pointers(context, builder, (X, rows), arguments[1:4])
        _accumulate(builder, factors, sources, _array(context, builder, total, arguments[4]))
        return context.get_dummy_value()

    return types.void(scales, X, rows, start, total), generate


@intrinsic
def _dot_part_lanes(typing: Any, x: Any, Y: Any, row: Any, low: Any, high: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        left = _array(context, builder, x, arguments[0])
        partner, first, last = _part(context, builder, Y, arguments[1:5])
        (total,) = _sums(builder, left.data, [partner], last, first)
        return total

    return types.float32(x, Y, types.int64, types.int64, types.int64), generate


@intrinsic
def _add_part_lanes(typing: Any, scale: Any, X: Any, row: Any, low: Any, high: Any, total: Any) -> Any:
    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        source, first, last = _part(context, builder, X, arguments[1:5])
        _accumulate(builder, [arguments[0]], [source], _array(context, builder, total, arguments[5]), first, last)
        return context.get_dummy_value()

    return types.void(types.float32, X, types.int64, types.int64, types.int64, total), generate


def _part(context: Any, builder: Any, kind: Any, values: Any) -> tuple[Any, Any, Any]:
    """Return the pointer to a row without making a view of it (a view counts references, atomically), and its part."""
    matrix = _array(context, builder, kind, values[0])
    return builder.gep(matrix.data, [builder.mul(values[1], _length(builder, matrix))]), values[2], values[3]


def _array(context: Any, builder: Any, kind: Any, value: Any) -> Any:
    return context.make_array(kind)(context, builder, value)


def _length(builder: Any, array: Any) -> Any:
    return builder.extract_value(array.shape, array.shape.type.count - 1)


def _row_pointers(context: Any, builder: Any, kinds: Any, values: Any) -> list[Any]:
    matrix, index = (_array(context, builder, kind, value) for kind, value in zip(kinds, values[:2], strict=True))
    length, start = _length(builder, matrix), values[2]
    pointers = []
    for step in range(GROUP):
        position = builder.add(start, ir.Constant(start.type, step))
        row = builder.zext(builder.load(builder.gep(index.data, [position])), length.type)
        pointers.append(builder.gep(matrix.data, [builder.mul(row, length)]))
    return pointers


def _at(builder: Any, data: Any, offset: Any) -> Any:
    return builder.bitcast(builder.gep(data, [offset]), _VECTOR.as_pointer())


def _steps(builder: Any, stop: Any, start: Any = None) -> Any:
    start = ir.Constant(stop.type, 0) if start is None else start
    return cgutils.for_range_slice(builder, start, stop, ir.Constant(stop.type, LANES))


def _sums(builder: Any, left: Any, partners: list[Any], stop: Any, start: Any = None) -> list[Any]:
    """Emit one loop of Σ_a left[a] partner[a], for all partners at once."""
    zero = ir.Constant(_VECTOR, [0.0] * LANES)
    parts = [cgutils.alloca_once_value(builder, zero) for _ in partners]
    for part in parts:
        builder.store(zero, part)
    with _steps(builder, stop, start) as (offset, _):
        shared = builder.load(_at(builder, left, offset), align=4)
        for part, partner in zip(parts, partners, strict=True):
            other = builder.load(_at(builder, partner, offset), align=4)
            product = builder.fmul(shared, other, flags=_CONTRACT)
            builder.store(builder.fadd(builder.load(part), product, flags=_CONTRACT), part)
    across = cgutils.get_or_insert_function(
        builder.module,
        ir.FunctionType(ir.FloatType(), [ir.FloatType(), _VECTOR]),
        f"llvm.vector.reduce.fadd.v{LANES}f32",
    )
    nothing = ir.Constant(ir.FloatType(), 0.0)
    return [builder.call(across, [nothing, builder.load(part)], fastmath=_SUM_ACROSS) for part in parts]


def _accumulate(
    builder: Any, scales: list[Any], sources: list[Any], target: Any, first: Any = None, last: Any = None
) -> None:
    """Emit one loop of target[a] += Σ scale · source[a]."""
    lane, splat = ir.Constant(ir.IntType(32), 0), ir.Constant(ir.VectorType(ir.IntType(32), LANES), [0] * LANES)
    unset = ir.Constant(_VECTOR, ir.Undefined)
    spread = [builder.shuffle_vector(builder.insert_element(unset, s, lane), unset, splat) for s in scales]
    with _steps(builder, _length(builder, target) if last is None else last, first) as (offset, _):
        place = _at(builder, target.data, offset)
        total = builder.load(place, align=4)
        for scale, source in zip(spread, sources, strict=True):
            product = builder.fmul(scale, builder.load(_at(builder, source, offset), align=4), flags=_CONTRACT)
            total = builder.fadd(total, product, flags=_CONTRACT)
        builder.store(total, place, align=4)
