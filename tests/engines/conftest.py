"""Every engine behind one fixture: ``frame`` turns columns into a table of that engine."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from typing import Any

import pytest

Make = Callable[[dict[str, list[Any]]], Any]
ENGINES = ("duckdb", "polars", "pandas", "pyarrow", "dask", "spark")
#: Spark and Dask plan for seconds what others do in milliseconds.
SLOW = ("spark", "dask")
#: What gets all combinations, and all measures.
QUICKEST = "polars"
#: The others get these combinations, which make each choice once. Slow ones get no more than two.
COMBINED = {
    "test_missing_points_and_noise_by_choice": ("singleton-memory", "lost-engine", "drop-memory"),
    "test_weights_and_features": ("singleton-engine",),
}
#: What slow engines do not get, of which Spark takes a second for each query: nothing in it depends on the engine but
#: what other tests here ask of them too. Of cells that stay there, test_missing_points_and_noise_by_choice asks with
#: weights, test_slices_in_the_engine_are_those_of_memory for components, and test_files with features. Both formats are
#: read once.
SPARED = {
    "test_weights_and_features": ("singleton-engine",),
    "test_what_a_choice_means_does_not_depend_on_the_route": ("engine",),
    "test_values_that_changed": ("drop",),
    "test_no_scale_changes_a_score": ("",),
    "test_points_without_weight_change_nothing_wherever_they_are": ("1e+20", "-1e+308"),
    "test_identical_clusterings_score_exactly_one": ("engine",),
    "test_an_engine_gives_what_memory_gives": ("csv",),
    "test_other_options_are_obeyed": ("parquet",),
    "test_tables": ("singleton-None", "singleton-0"),
    "test_a_column_of_two_types": ("",),
    "test_comparisons_travel": ("",),
    "test_columns_are_recognised_by_their_names": ("",),
    "test_documents_of_a_column_are_those_of_a_corpus": ("even",),
    "test_an_engine_estimates_what_memory_does": ("whole",),
}
#: What Spark does not get besides: components of points that both tables have are as those of others, and features
#: without weights are in test_files.
SPARED_SPARK = {
    "test_two_tables_give_the_numbers_of_the_core": ("engine",),
    "test_weights_and_features": ("lost-memory",),
}
#: What Dask does not get besides: once it has joined and grouped the points, its cells are pandas'.
SPARED_DASK = {
    "test_two_tables_give_the_numbers_of_the_core": ("memory",),
    "test_one_table_gives_the_numbers_of_the_core": ("memory",),
    "test_identical_clusterings_score_exactly_one": ("memory",),
    "test_a_meet_in_memory_has_everything_that_a_comparison_has": ("",),
    "test_missing_points_and_noise_by_choice": ("lost-engine",),
    "test_slices_in_the_engine_are_those_of_memory": ("",),
}


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Leave out the other combinations."""

    def wanted(item: pytest.Item) -> bool:
        name, _, rest = item.name.partition("[")
        engine, _, combination = rest.rstrip("]").partition("-")
        if combination == "spark":  # where files come first
            engine, combination = combination, engine
        if engine in SLOW and combination in SPARED.get(name, ()):
            return False
        if combination in {"spark": SPARED_SPARK, "dask": SPARED_DASK}.get(engine, {}).get(name, ()):
            return False
        if name not in COMBINED or engine == QUICKEST:
            return True
        return combination in COMBINED[name][: 2 if engine in SLOW else None]

    items[:] = filter(wanted, items)


#: A Java machine that soon ends: thorough compilers, collectors and verifiers do not pay.
JAVA = (
    "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC -XX:+UnlockDiagnosticVMOptions -XX:-BytecodeVerificationRemote"
)
#: For one that has tiny tables.
SETTINGS = {
    "spark.ui.enabled": "false",
    "spark.sql.shuffle.partitions": "1",
    "spark.default.parallelism": "1",
    "spark.driver.host": "127.0.0.1",
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.driver.memory": "1g",
    "spark.ui.showConsoleProgress": "false",
    "spark.log.level": "OFF",
    # Tables are tiny here: interpreting is quicker than compiling.
    "spark.driver.extraJavaOptions": JAVA,
    "spark.sql.codegen.wholeStage": "false",
    "spark.sql.codegen.factoryMode": "NO_CODEGEN",
    "spark.sql.adaptive.enabled": "false",
    # Nobody reads how a query was planned.
    "spark.sql.maxPlanStringLength": "0",
    "spark.sql.debug.maxToStringFields": "1",
    # Telling Java the line of Python for every expression takes longer than all the queries.
    "spark.python.sql.dataFrameDebugging.enabled": "false",
}


def started(master: str, settings: dict[str, str]) -> Any:
    """A session of Spark; the Java machine is that of the first one."""
    from pyspark.sql import SparkSession

    builder = SparkSession.builder.master(master).appName("clusterdiff tests")
    for key, value in (SETTINGS | settings).items():
        builder = builder.config(key, value)
    return builder.getOrCreate()


def need_java() -> None:
    """Say loudly why there is no Spark."""
    if shutil.which("java") is None and "JAVA_HOME" not in os.environ:
        pytest.skip("NO JAVA: Spark is not tested on this machine; install Java 17 to test it")


@pytest.fixture
def spark() -> Any:
    """A Spark session in this process, for all tests unless one stops it."""
    need_java()
    os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
    from pyspark.sql import SparkSession

    return SparkSession.getActiveSession() or started("local[2]", {})


@pytest.fixture(params=ENGINES)
def engine(request: pytest.FixtureRequest) -> str:
    """The name of the engine under test."""
    return str(request.param)


@pytest.fixture
def frame(engine: str, request: pytest.FixtureRequest) -> Make:
    """A function from columns to a table of the engine."""
    return maker(engine, request)


def maker(engine: str, request: pytest.FixtureRequest) -> Make:
    """A function from columns to a table of an engine, by name."""
    if engine == "spark":
        import pyarrow as pa

        session = request.getfixturevalue("spark")
        return lambda columns: session.createDataFrame(pa.table(columns))
    if engine == "duckdb":
        import duckdb
        import pyarrow as pa

        connection = duckdb.connect()
        return lambda columns: connection.from_arrow(pa.table(columns))
    if engine == "polars":
        import polars as pl

        return pl.LazyFrame
    if engine == "pyarrow":
        import pyarrow as pa

        return pa.table
    import pandas as pd

    if engine == "pandas":
        return pd.DataFrame
    import dask
    from dask import dataframe as dd

    dask.config.set(scheduler="synchronous")  # threads cost more than tables as small as these
    return lambda columns: dd.from_pandas(pd.DataFrame(columns), npartitions=2)
