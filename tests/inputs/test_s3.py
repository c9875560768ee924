"""Shards in S3, as moto imitates it. Skipped without s3fs and moto, which are part of no extra."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.workflows.made import good_and_bad
from trialogue.datasets.conversion import shard
from trialogue.errors import DataError
from trialogue.metrics import Settings
from trialogue.records import Dialogue
from trialogue.records.files.jsonl import to_line
from trialogue.records.files.opening import copy_of
from trialogue.subjects.evaluation.commands.evaluate import evaluate
from trialogue.workflows.score import score

s3fs = pytest.importorskip("s3fs", reason="s3fs is not installed")
server = pytest.importorskip("moto.server", reason="moto[server] is not installed")
FEW = Settings(resamples=200, permutations=200)


@pytest.fixture
def shards(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    running = server.ThreadedMotoServer("127.0.0.1", 0)
    running.start()
    host, port = running.get_host_and_port()
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "x")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "x")
    monkeypatch.setenv("AWS_ENDPOINT_URL", f"http://{host}:{port}")
    own = [each for each in good_and_bad() if isinstance(each, Dialogue)]
    shard(own, tmp_path / "shards", size=15)
    s3fs.S3FileSystem.clear_instance_cache()
    store = s3fs.S3FileSystem()
    store.mkdir("talks")
    for path in (tmp_path / "shards").iterdir():
        store.pipe(f"talks/many/{path.name}", path.read_bytes())
    yield tmp_path / "shards"
    running.stop()
    s3fs.S3FileSystem.clear_instance_cache()
    copy_of.cache_clear()


def test_shards_in_s3_give_what_shards_on_this_machine_give(shards: Path) -> None:
    name = "s3://talks/many"
    found, expected = (score(given, metrics=["length", "distinct(n=2)"], settings=FEW) for given in (name, shards))
    assert list(map(to_line, found)) == list(map(to_line, expected))
    runs = [evaluate(given, resamples=200) for given in (name, shards)]
    assert list(map(to_line, runs[0].scores)) == list(map(to_line, runs[1].scores))
    with pytest.raises(DataError, match="cannot be read") as refused:
        score("s3://talks/none.jsonl", metrics=["length"])
    assert refused.value.problems[0].file == "s3://talks/none.jsonl"
