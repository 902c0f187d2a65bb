"""The Ray engine on a real local cluster of two workers, and an object store on a real local server."""

import hashlib
import os
import signal
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow.fs
import pytest

from ecomrlve import InvalidArgument, ShardError
from ecomrlve.outputs import ray_workers
from ecomrlve.outputs.configuration import Configuration
from ecomrlve.outputs.engine import generate
from ecomrlve.outputs.objects import ObjectStore
from tests.square_job import Square

pytestmark = [pytest.mark.trainers, pytest.mark.filterwarnings("default")]
REQUEST = Configuration(count=120, levels=(0, 2), shop=2_000, seed=3, shard_rows=10)


def _files(out: Path) -> dict[str, bytes]:
    return {str(file.relative_to(out)): file.read_bytes() for file in sorted(out.rglob("*")) if file.is_file()}


@pytest.fixture(scope="module")
def ray() -> Iterator[Any]:
    library = pytest.importorskip("ray", reason="ray is not installed: make test-trainers installs it")
    path = os.pathsep.join([str(Path(__file__).parents[1]), os.environ.get("PYTHONPATH", "")])
    library.init(
        num_cpus=2,
        include_dashboard=False,
        log_to_driver=False,
        runtime_env={"env_vars": {"PYTHONPATH": path}},
    )
    yield library
    library.shutdown()


def test_ray_gives_the_same_bytes_though_a_worker_is_killed(ray: Any, tmp_path: Path) -> None:
    """Local with one worker and Ray with two, of which one is killed while it writes: the same files."""
    generate(REQUEST, tmp_path / "local")
    killed: list[int] = []
    out = tmp_path / "ray"

    def kill_one() -> None:
        for _ in range(600):
            for folder in out.glob(".unfinished/attempt-*"):
                for process in _writers(folder):
                    killed.append(process)
                    os.kill(process, signal.SIGKILL)
                    return
            time.sleep(0.02)

    killer = threading.Thread(target=kill_one)
    killer.start()
    told: list[int] = []
    generate(REQUEST, out, workers=2, engine="ray", progress=told.append)
    killer.join()
    assert killed, "no worker was caught writing"
    assert sum(told) == 120
    assert _files(out) == _files(tmp_path / "local")


def _writers(folder: Path) -> Iterator[int]:
    """The other processes that have a file in a folder open."""
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit() and int(entry.name) != os.getpid():
            try:
                opened = [os.readlink(link) for link in (entry / "fd").iterdir()]
            except OSError:
                continue
            if any(name.startswith(str(folder)) for name in opened):
                yield int(entry.name)


def test_faults_on_ray(ray: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What a task raises arrives as it is; a worker that dies each time is told in a sentence."""
    assert list(ray_workers.run_jobs(Square(), range(4), 2)) == [0, 1, 4, 9]
    with pytest.raises(ShardError, match=r"^seven$"):
        list(ray_workers.run_jobs(Square(), [1, 7], 2))
    monkeypatch.setattr(ray_workers, "_RETRIES", 1)
    with pytest.raises(ShardError, match="worker died 2 times"):
        list(ray_workers.run_jobs(Square(), [5], 2))
    with pytest.raises(InvalidArgument, match="engine='slurm': must be one of local, ray"):
        generate(REQUEST, tmp_path / "out", engine="slurm")


@pytest.fixture
def bucket(monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """A place in a bucket of a local server that speaks S3."""
    servers = pytest.importorskip("moto.server", reason="moto is not installed: make test-trainers installs it")
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.setenv(name, "testing")
    server = servers.ThreadedMotoServer(port=0)
    server.start()
    host, port = server.get_host_and_port()
    options = f"endpoint_override={host}%3A{port}&scheme=http&region=us-east-1&allow_bucket_creation=true"
    system, _ = pyarrow.fs.FileSystem.from_uri(f"s3://shards?{options}")
    system.create_dir("shards")
    yield f"s3://shards/a run?{options}".replace(" ", "%20")
    server.stop()


def test_an_object_store(bucket: str, tmp_path: Path) -> None:
    """The same bytes as in a folder; stopped and resumed; refused where it would differ."""
    request = Configuration(count=60, levels=(0, 2), shop=2_000, seed=3, shard_rows=10)
    generate(request, tmp_path / "local")
    told: list[int] = []

    def stop(rows: int) -> None:
        told.append(rows)
        if sum(told) > 20:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt) as caught:
        generate(request, bucket, progress=stop)
    assert caught.value.__notes__ == ["2 of 7 shards are kept; the same command with --resume goes on."]
    with pytest.raises(InvalidArgument, match="finish it with --resume"):
        generate(request, bucket)
    with pytest.raises(InvalidArgument, match="was begun otherwise"):
        generate(Configuration(count=61, shop=2_000), bucket, resume=True)
    generate(request, bucket, workers=2, resume=True)
    store = ObjectStore(bucket)
    wanted = _files(tmp_path / "local")
    assert store.names() == set(wanted)
    assert {name: store.digest(name) for name in wanted} == {
        name: hashlib.sha256(data).hexdigest() for name, data in wanted.items()
    }
    generate(request, bucket, resume=True)
    with pytest.raises(InvalidArgument, match="is not an empty folder"):
        generate(request, bucket)
    with pytest.raises(InvalidArgument, match="names no store that pyarrow opens"):
        generate(request, "nowhere://x/y")
