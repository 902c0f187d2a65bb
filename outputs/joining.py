"""For a target of one file: each split's shards made one, row group by row group."""

import hashlib
import shutil
from typing import Any

import pyarrow.parquet

from ecomrlve.outputs.canonical import canonical_line
from ecomrlve.outputs.configuration import Configuration
from ecomrlve.outputs.files import file_hash
from ecomrlve.outputs.plan import Plan
from ecomrlve.outputs.reader import read_rows
from ecomrlve.outputs.shards import piece_name
from ecomrlve.outputs.stores import DATA, Store
from ecomrlve.outputs.targets import target
from ecomrlve.outputs.workers import Tick
from ecomrlve.outputs.writers import parquet_writer


class JoinJob:
    """Joins the shards of one file by its number; for `run_jobs`.

    Args:
        configuration: of the run.
        store: where the files are and go.
    """

    def __init__(self, configuration: Configuration, store: Store) -> None:
        self._configuration = configuration
        self._store = store

    def __call__(self, number: int, tick: Tick) -> dict[str, Any]:
        """Join the shards of file ``number``; what the manifest says of it is returned."""
        plan = Plan(self._configuration)
        form = target(self._configuration.target)
        joined = plan.files[number]
        names = [piece_name(plan, shard) for shard in plan.shards if shard.split == joined.split]
        with self._store.scratch() as scratch, self._store.local(names) as pieces:
            part = scratch / joined.name
            if form.suffix == "parquet":
                with parquet_writer(part, form.layout) as writer:
                    for piece in pieces:
                        groups = pyarrow.parquet.ParquetFile(piece)
                        for group in range(groups.num_row_groups):
                            rows = groups.read_row_group(group)
                            writer.write_table(rows, row_group_size=rows.num_rows)
            else:
                with part.open("wb") as whole:
                    for piece in pieces:
                        with piece.open("rb") as lines:
                            shutil.copyfileobj(lines, whole)
            content = hashlib.sha256()
            for piece in pieces:
                for row in read_rows(piece):
                    content.update(canonical_line(row))
            report = {
                "path": f"{DATA}/{joined.name}",
                "split": joined.split,
                "rows": joined.rows,
                "bytes": part.stat().st_size,
                "sha256": file_hash(part),
                "content_sha256": content.hexdigest(),
            }
            self._store.keep(part, f"{DATA}/{joined.name}")
        return report
