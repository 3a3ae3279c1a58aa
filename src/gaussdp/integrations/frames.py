"""Columns of pandas and Polars frames in the functions that take arrays.

`gaussdp.domains.evaluate` hands over here when a parameter is a column, so every function that goes through it takes
columns: they are read as float64, computed on by the NumPy kernel, and the result is a column of the same library.
"""

from collections.abc import Mapping
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from gaussdp import domains
from gaussdp.domains import Domain, Kernel, outside
from gaussdp.errors import DomainError
from gaussdp.integrations.versions import require

PANDAS = ">=2.2.2,<4"
POLARS = ">=1.33,<3"

Parameters: TypeAlias = Mapping[str, tuple[Any, Domain]]
Arrays: TypeAlias = dict[str, tuple[Any, Domain]]


def evaluate(kernel: Kernel, parameters: Parameters) -> Any:
    """The kernel over columns, checked row by row.

    Args:
        kernel: as in `gaussdp.domains.evaluate`.
        parameters: name to (value, domain); at least one value belongs to pandas or Polars.
    Returns:
        A pandas Series with the index of the columns, a Polars Series, or a Polars expression.
    """
    packages = {name: _package(value) for name, (value, _) in parameters.items()}
    first, package = next((name, package) for name, package in packages.items() if package in ("pandas", "polars"))
    for name, other in packages.items():
        if other not in (package, "numpy"):
            raise DomainError(
                first,
                problem=f"belongs to {package} and {name} to {other}",
                advice="give both in the same library, or one as numbers",
            )
    return _with_pandas(kernel, parameters) if package == "pandas" else _with_polars(kernel, parameters)


def _package(value: Any) -> str:
    """The library that a value belongs to; numbers, lists and arrays count as NumPy's."""
    if domains.EVALUATORS[type(value)] is None:
        return "numpy"
    packages = [base.__module__.partition(".")[0] for base in type(value).__mro__]
    return next((package for package in packages if package in ("pandas", "polars")), packages[0])


def _with_pandas(kernel: Kernel, parameters: Parameters) -> Any:
    pandas: Any = require("pandas", extra="frames", supported=PANDAS)
    given = {name: _column_or_array(pandas, name, value, domain) for name, (value, domain) in parameters.items()}
    columns = {name: value for name, value in given.items() if isinstance(value, pandas.Series)}
    index = _common_index(columns) if columns else None
    arrays: Arrays = {}
    for name, (_, domain) in parameters.items():
        value = given[name]
        if index is not None and name in columns:
            column = value if value.index.equals(index) else value.reindex(index)
            value = column.to_numpy(dtype=np.float64, na_value=np.nan)
            _check_rows(name, value, domain, index)
        elif index is not None:
            value = _beside_columns(name, value, domain, len(index))
        arrays[name] = (value, domain)
    if index is None:
        return domains.evaluate(kernel, **arrays)
    names = {column.name for column in columns.values()}
    return pandas.Series(
        _values(kernel, arrays, len(index)),
        index=index,
        name=names.pop() if len(names) == 1 else None,
        dtype=_result_dtype(pandas, [column.dtype for column in columns.values()]),
    )


def _column_or_array(pandas: Any, name: str, value: Any, domain: Domain) -> Any:
    """The value with its dtype checked: a Series as it is, an Index or an extension array as a NumPy array."""
    if isinstance(value, pandas.DataFrame):
        raise DomainError(
            name, "one column", got="a DataFrame", advice=f"give a column such as frame[{name!r}], or use frame.apply"
        )
    if _package(value) == "numpy":
        return value
    if not isinstance(value, pandas.Series | pandas.Index | pandas.api.extensions.ExtensionArray):
        raise domains.wrong_type(name, domain, value)
    if value.dtype.kind not in "iuf":
        raise _not_numeric(name, domain, value.dtype)
    if isinstance(value, pandas.Series):
        return value
    array = value.to_numpy(dtype=np.float64, na_value=np.nan)
    _check_rows(name, array, domain, range(len(array)))
    return array


def _common_index(columns: dict[str, Any]) -> Any:
    """The index of the first column, to which the others are aligned by label, as pandas aligns."""
    first, *others = columns
    index = columns[first].index
    for other in others:
        labels = columns[other].index
        if labels.equals(index):
            continue
        if not (labels.is_unique and index.is_unique):
            raise DomainError(
                None,
                problem=f"{first} and {other} have different indexes with repeated labels, so their rows cannot be "
                "matched",
                advice="use reset_index(drop=True) on both to match them by position",
            )
        for mine, theirs, absent, present in ((index, labels, other, first), (labels, index, first, other)):
            missing = mine.difference(theirs, sort=False)
            if len(missing):
                raise DomainError(
                    absent,
                    problem=f"has no row {_shown(missing[0])}, which {present} has",
                    advice="give columns with the same labels",
                )
    return index


def _result_dtype(pandas: Any, dtypes: list[Any]) -> Any:
    """Arrow-backed or nullable where a column is, else plain float64."""
    if any(isinstance(dtype, pandas.ArrowDtype) for dtype in dtypes):
        return "double[pyarrow]"
    nullable = any(getattr(dtype, "na_value", None) is pandas.NA for dtype in dtypes)
    return pandas.Float64Dtype() if nullable else np.dtype(np.float64)


def _with_polars(kernel: Kernel, parameters: Parameters) -> Any:
    polars: Any = require("polars", extra="frames", supported=POLARS)
    for name, (value, domain) in parameters.items():
        if isinstance(value, polars.DataFrame | polars.LazyFrame):
            raise DomainError(
                name,
                "one column",
                got=f"a {type(value).__name__}",
                advice=f"give a column, such as frame[{name!r}] or polars.col({name!r})",
            )
        if _package(value) == "polars" and not isinstance(value, polars.Series | polars.Expr):
            raise domains.wrong_type(name, domain, value)
    if any(isinstance(value, polars.Expr) for value, _ in parameters.values()):
        return _polars_expression(polars, kernel, parameters)

    lengths = {name: len(value) for name, (value, _) in parameters.items() if isinstance(value, polars.Series)}
    length = next((length for length in lengths.values() if length != 1), 1)
    arrays: Arrays = {}
    for name, (value, domain) in parameters.items():
        if name not in lengths:
            arrays[name] = (_beside_columns(name, value, domain, length), domain)
            continue
        if value.dtype.is_decimal() or not value.dtype.is_numeric():
            raise _not_numeric(name, domain, value.dtype)
        if len(value) not in (1, length):
            raise _wrong_length(name, len(value), length)
        array = value.cast(polars.Float64).to_numpy()
        _check_rows(name, array, domain, range(len(array)))
        arrays[name] = (array, domain)
    name = next(value.name for value, _ in parameters.values() if isinstance(value, polars.Series))
    return polars.Series(name, _values(kernel, arrays, length), dtype=polars.Float64)


def _polars_expression(polars: Any, kernel: Kernel, parameters: Parameters) -> Any:
    """An expression that computes when the query runs; a bad row stops the query."""
    expressions = [
        value if isinstance(value, polars.Expr) else polars.lit(_literal(polars, name, value, domain))
        for name, (value, domain) in parameters.items()
    ]

    def compute(batch: list[Any]) -> Any:
        filled = {name: (column, domain) for (name, (_, domain)), column in zip(parameters.items(), batch, strict=True)}
        return _with_polars(kernel, filled)

    return polars.map_batches(expressions, compute, return_dtype=polars.Float64)


def _literal(polars: Any, name: str, value: Any, domain: Domain) -> Any:
    if isinstance(value, polars.Series):
        return value
    array = domains.checked(name, value, domain)
    if array.ndim > 1:
        raise DomainError(name, "one number or one column", got=f"an array of shape {array.shape}")
    return polars.Series(array) if array.ndim else float(array)


def _values(kernel: Kernel, arrays: Arrays, length: int) -> npt.NDArray[np.float64]:
    """One number a row; a frame without rows has none to compute."""
    if length == 0:
        return np.empty(0)
    result: npt.NDArray[np.float64] = domains.evaluate(kernel, **arrays)
    return result


def _check_rows(name: str, array: npt.NDArray[np.float64], domain: Domain, rows: Any) -> None:
    """Refuse the first row outside the domain by its label."""
    wrong = np.flatnonzero(~domain.contains(array))
    if not wrong.size:
        return
    position = int(wrong[0])
    row = f"in row {_shown(rows[position])}"
    if np.isnan(array[position]):
        raise DomainError(name, f"in {domain}", got=f"a missing value {row}", advice="drop or fill such rows first")
    raise outside(name, domain, float(array[position]), f"{float(array[position])!r} {row}")


def _shown(label: object) -> str:
    return repr(label.item() if isinstance(label, np.generic) else label)


def _beside_columns(name: str, value: Any, domain: Domain, length: int) -> npt.NDArray[np.float64]:
    """A number, which serves every row, or a plain array that matches the columns row by row."""
    array = domains.checked(name, value, domain)
    if array.shape not in ((), (length,)):
        raise _wrong_length(name, array.size if array.ndim == 1 else array.shape, length)
    return array


def _wrong_length(name: str, got: object, length: int) -> DomainError:
    return DomainError(name, f"one number or have {length} rows like the other columns", got)


def _not_numeric(name: str, domain: Domain, dtype: object) -> DomainError:
    return DomainError(
        name, problem=f"must hold numbers in {domain}", got=f"a column of {dtype}", advice="convert it to floats first"
    )
