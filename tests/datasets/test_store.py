"""Where corpora are, and getting them: from a mirror, and from a real server that breaks, lies and is not there."""

import hashlib
import io
import re
import socket
import threading
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from trialogue.datasets import Corpus, RemoteFile, Repairs, Source, corpus_names
from trialogue.datasets.store import data_folder, fetch, get, is_here, locate, mirror_folder, verify
from trialogue.errors import DataError, MissingDataError, UsageError

CONTENT = bytes(range(256)) * 4096  # 1 MiB


def sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


@dataclass
class Publisher:
    """A server with files, and what it does wrong."""

    address: str = ""
    files: dict[str, bytes] = field(default_factory=dict)
    breaks_after: list[int] = field(default_factory=list)
    """Bytes sent before the connection is cut, one number for each answer to come."""
    knows_ranges: bool = True
    shifts_ranges: int = 0
    asked: list[str | None] = field(default_factory=list)
    """The Range header of every request."""
    status: int | None = None


@pytest.fixture
def publisher(monkeypatch: pytest.MonkeyPatch) -> Iterator[Publisher]:
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    published = Publisher()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            wanted = self.headers.get("Range")
            published.asked.append(wanted)
            content = published.files.get(self.path.lstrip("/").replace("%20", " "))
            if published.status or content is None:
                self.send_error(published.status or 404)
                return
            start = int(re.sub(r"\D", "", wanted)) if wanted and published.knows_ranges else 0
            if start and start >= len(content):
                self.send_response(416)
                self.send_header("Content-Range", f"bytes */{len(content)}")
                self.send_header("Content-Length", "0")
                self.end_headers()
                return
            self.answer(content, start)

        def answer(self, content: bytes, start: int) -> None:
            self.send_response(206 if start else 200)
            if start:
                shifted = start + published.shifts_ranges
                self.send_header("Content-Range", f"bytes {shifted}-{len(content) - 1}/{len(content)}")
            self.send_header("Content-Length", str(len(content) - start))
            self.end_headers()
            rest = content[start:]
            if published.breaks_after:
                self.wfile.write(rest[: published.breaks_after.pop(0)])
                self.close_connection = True
            else:
                self.wfile.write(rest)

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002  (the name is the base class')
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    published.address = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    yield published
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.fixture
def folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with ``data`` for downloads and no mirror."""
    monkeypatch.setenv("TRIALOGUE_DATA", str(tmp_path / "data"))
    monkeypatch.delenv("TRIALOGUE_DATA_MIRROR", raising=False)
    return tmp_path


def corpus(*files: RemoteFile, folder: str = "talks") -> Corpus:
    source = Source(
        name="talks",
        title="Talks",
        summary="",
        folder=folder,
        homepage="https://example.org/talks",
        revision="1",
        files=files,
        licence="none stated",
        citation="",
    )
    return Corpus(source=source, reader=None)


def published(publisher: Publisher, name: str = "a.json", **changed: object) -> RemoteFile:
    publisher.files[name] = CONTENT
    fields = {"path": name, "url": f"{publisher.address}/{name}", "sha256": sha256(CONTENT), **changed}
    return RemoteFile.model_validate(fields)


def nothing_half_written(folder: Path) -> bool:
    return not list(folder.rglob("*.part"))


def test_a_corpus_is_fetched_checked_and_found(publisher: Publisher, folders: Path) -> None:
    talks, said = corpus(published(publisher)), list[str]()
    assert not is_here(talks)
    folder = get(talks, progress=said.append)
    assert folder == folders / "data" / "talks" == locate(talks)
    assert (folder / "a.json").read_bytes() == CONTENT
    assert (folder / "SHA256SUMS").read_text() == f"{sha256(CONTENT)}  a.json\n"
    assert said == [f"a.json: from {publisher.address}/a.json"]
    assert nothing_half_written(folders)
    assert is_here(talks)


def test_what_is_here_is_not_fetched_again_unless_forced(publisher: Publisher, folders: Path) -> None:
    talks, said = corpus(published(publisher)), list[str]()
    get(talks)
    get(talks, progress=said.append)
    assert (len(publisher.asked), said) == (1, ["a.json: already here"])
    get(talks, force=True)
    assert len(publisher.asked) == 2


def test_a_broken_connection_is_taken_up_where_it_broke(publisher: Publisher, folders: Path) -> None:
    publisher.breaks_after = [300_000]
    said: list[str] = []
    folder = get(corpus(published(publisher)), progress=said.append)
    assert (folder / "a.json").read_bytes() == CONTENT
    assert publisher.asked == [None, "bytes=300000-"]
    assert "the connection broke after 300,000 of 1,048,576 bytes (attempt 1 of 3)" in said[1]


def test_a_connection_that_keeps_breaking_keeps_what_arrived_for_the_next_call(
    publisher: Publisher, folders: Path
) -> None:
    publisher.breaks_after = [100_000, 100_000, 100_000]
    talks = corpus(published(publisher))
    with pytest.raises(MissingDataError, match=r"the connection broke after 300,000 .* the same\s+command resumes it"):
        get(talks)
    assert not is_here(talks)
    assert (folders / "data" / "talks" / "a.json.part").stat().st_size == 300_000
    assert (get(talks) / "a.json").read_bytes() == CONTENT
    assert publisher.asked[-1] == "bytes=300000-"


def test_a_server_without_ranges_sends_all_again(publisher: Publisher, folders: Path) -> None:
    publisher.breaks_after, publisher.knows_ranges = [300_000], False
    assert (get(corpus(published(publisher))) / "a.json").read_bytes() == CONTENT
    assert publisher.asked == [None, "bytes=300000-"]


def test_a_server_that_sends_another_part_than_asked_for_is_asked_for_all(publisher: Publisher, folders: Path) -> None:
    publisher.breaks_after, publisher.shifts_ranges = [300_000], 5
    assert (get(corpus(published(publisher))) / "a.json").read_bytes() == CONTENT
    assert publisher.asked == [None, "bytes=300000-", None]


def part_of(folders: Path, content: bytes) -> None:
    part = folders / "data" / "talks" / "a.json.part"
    part.parent.mkdir(parents=True)
    part.write_bytes(content)


def test_a_file_that_had_arrived_whole_before_a_crash_is_taken(publisher: Publisher, folders: Path) -> None:
    part_of(folders, CONTENT)
    assert (get(corpus(published(publisher))) / "a.json").read_bytes() == CONTENT
    assert publisher.asked == [f"bytes={len(CONTENT)}-"]


def test_a_rest_longer_than_the_file_is_thrown_away(publisher: Publisher, folders: Path) -> None:
    part_of(folders, CONTENT + b"more")
    assert (get(corpus(published(publisher))) / "a.json").read_bytes() == CONTENT
    assert publisher.asked == [f"bytes={len(CONTENT) + 4}-", None]


def test_a_wrong_checksum_is_an_error_that_keeps_nothing(publisher: Publisher, folders: Path) -> None:
    talks = corpus(published(publisher, sha256="0" * 64))
    with pytest.raises(DataError, match=rf"expected sha256 {'0' * 64}, got {sha256(CONTENT)}.*It was deleted"):
        get(talks)
    assert list((folders / "data" / "talks").iterdir()) == []


def test_a_forced_fetch_that_fails_leaves_the_older_file_alone(publisher: Publisher, folders: Path) -> None:
    folder = get(corpus(published(publisher)))
    with pytest.raises(DataError):
        get(corpus(published(publisher, sha256="0" * 64)), force=True)
    assert (folder / "a.json").read_bytes() == CONTENT


def test_a_file_that_is_not_there_is_reported_with_where_to_look(publisher: Publisher, folders: Path) -> None:
    talks = corpus(RemoteFile(path="b.json", url=f"{publisher.address}/b.json"))
    with pytest.raises(MissingDataError, match=r"HTTP 404.* moved or withdrawn\. See https://example\.org/talks"):
        get(talks)
    assert len(publisher.asked) == 1  # asking again would not help


def test_an_optional_file_that_is_not_there_is_left_out(publisher: Publisher, folders: Path) -> None:
    gone = RemoteFile(path="b.json", url=f"{publisher.address}/b.json", optional=True)
    said: list[str] = []
    folder = get(corpus(gone, published(publisher)), progress=said.append)
    assert sorted(path.name for path in folder.iterdir()) == ["SHA256SUMS", "a.json"]
    assert "b.json: skipped; Talks can be read without it" in said[1]


def test_a_servers_error_is_reported(publisher: Publisher, folders: Path) -> None:
    publisher.status = 503
    with pytest.raises(MissingDataError, match=r"HTTP 503 .*Try again later"):
        get(corpus(published(publisher)))


def test_without_a_network_the_message_says_what_to_do(monkeypatch: pytest.MonkeyPatch, folders: Path) -> None:
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    with socket.socket() as taken:  # a port where nobody listens
        taken.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{taken.getsockname()[1]}/a.json"
        with pytest.raises(
            MissingDataError, match=r"refused\. Is there a network connection\? .* copy the file to .* by hand"
        ):
            get(corpus(RemoteFile(path="a.json", url=url)))


def test_a_server_that_says_nothing_is_given_up(monkeypatch: pytest.MonkeyPatch, folders: Path) -> None:
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    with socket.create_server(("127.0.0.1", 0)) as silent:  # takes connections, never answers
        url = f"http://127.0.0.1:{silent.getsockname()[1]}/a.json"
        with pytest.raises(MissingDataError, match="timed out"):
            get(corpus(RemoteFile(path="a.json", url=url)), timeout_s=0.05)


def test_other_addresses_than_http_are_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="Expected an http or https"):
        fetch("file:///etc/hostname", tmp_path / "a", sha256=None, progress=print, timeout_s=1)


def test_spaces_in_an_address_are_escaped(publisher: Publisher, folders: Path) -> None:
    talks = corpus(published(publisher, "Study Data.xlsx"))
    assert (get(talks) / "Study Data.xlsx").read_bytes() == CONTENT


def test_a_large_file_tells_how_far_it_is(publisher: Publisher, folders: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("trialogue.datasets.store.REPORT_EVERY", 1 << 19)
    said: list[str] = []
    get(corpus(published(publisher)), progress=said.append)
    assert said[1:] == ["a.json: 0 of 1 MiB", "a.json: 1 of 1 MiB"]


def test_an_unknown_checksum_is_pinned_by_the_first_download(publisher: Publisher, folders: Path) -> None:
    talks = corpus(published(publisher, sha256=None))
    folder = get(talks)
    (folder / "a.json").write_text("edited")
    repairs = Repairs()
    assert verify(talks, folder, note=repairs) == 1
    assert f"expected sha256 {sha256(CONTENT)}" in repairs.problems[0].what
    with pytest.raises(DataError, match="altered or is another version"):
        get(talks)
    get(talks, force=True)
    assert (folder / "a.json").read_bytes() == CONTENT


def zipped(**members: bytes) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, content in members.items():
            archive.writestr(f"ml/{name}", content)
    return buffer.getvalue()


def members_of(publisher: Publisher, archive: bytes, *names: str) -> Corpus:
    publisher.files["ml.zip"] = archive
    url = f"{publisher.address}/ml.zip"
    return corpus(*(RemoteFile(path=name, url=url, member=f"ml/{name}", sha256=sha256(CONTENT)) for name in names))


def test_members_of_an_archive_are_taken_out_of_one_download(publisher: Publisher, folders: Path) -> None:
    folder = get(members_of(publisher, zipped(movies=CONTENT, ratings=CONTENT), "movies", "ratings"))
    assert sorted(path.name for path in folder.iterdir()) == ["SHA256SUMS", "movies", "ratings"]
    assert (folder / "ratings").read_bytes() == CONTENT
    assert len(publisher.asked) == 1


@pytest.mark.parametrize(
    ("archive", "message"),
    [
        (b"no archive", r"'ml/movies' cannot be extracted from it \(File is not a zip file\)"),
        (zipped(other=CONTENT), "'ml/movies' cannot be extracted from it"),
        (zipped(movies=b"altered"), "is not the published one"),
    ],
)
def test_a_bad_archive_is_not_kept(archive: bytes, message: str, publisher: Publisher, folders: Path) -> None:
    with pytest.raises(DataError, match=message):
        get(members_of(publisher, archive, "movies"))
    assert [path.name for path in (folders / "data" / "talks").rglob("*")] == [".archives"]
    assert get(members_of(publisher, zipped(movies=CONTENT), "movies")).is_dir()


@pytest.fixture
def in_mirror(folders: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str, bytes], Path]:
    """Puts a file into a mirror."""
    monkeypatch.setenv("TRIALOGUE_DATA_MIRROR", str(folders / "mirror"))

    def put(path: str, content: bytes) -> Path:
        target = folders / "mirror" / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content)
        return target

    return put


def test_files_are_copied_from_the_mirror_without_a_network(
    publisher: Publisher, folders: Path, in_mirror: Callable[[str, bytes], Path]
) -> None:
    held, said = in_mirror("talks/a.json", CONTENT), list[str]()
    folder = get(corpus(published(publisher)), progress=said.append)
    assert (folder / "a.json").read_bytes() == CONTENT
    assert (publisher.asked, said) == ([], [f"a.json: copied from {held}"])


def test_an_altered_copy_in_the_mirror_is_passed_over(
    publisher: Publisher, folders: Path, in_mirror: Callable[[str, bytes], Path]
) -> None:
    in_mirror("talks/a.json", b"dialogue where the publisher says dialog")
    said: list[str] = []
    assert (get(corpus(published(publisher)), progress=said.append) / "a.json").read_bytes() == CONTENT
    assert "the copy on the mirror is not the published file" in said[0]


def test_a_mirror_that_is_the_data_folder_is_not_copied_onto_itself(
    publisher: Publisher, folders: Path, in_mirror: Callable[[str, bytes], Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    in_mirror("talks/a.json", CONTENT)
    monkeypatch.setenv("TRIALOGUE_DATA", str(folders / "mirror"))
    get(corpus(published(publisher)), force=True)
    assert len(publisher.asked) == 1


def test_the_mirror_comes_first_then_downloads_then_a_sample(
    publisher: Publisher, folders: Path, in_mirror: Callable[[str, bytes], Path]
) -> None:
    talks = corpus(published(publisher))
    in_mirror("talks_sample/a.json", b"[]")
    assert locate(talks) == folders / "mirror" / "talks_sample"
    assert get(talks) == locate(talks) == folders / "data" / "talks"
    in_mirror("talks/a.json", CONTENT)
    assert locate(talks) == folders / "mirror" / "talks"


def test_a_corpus_that_is_not_here_says_what_is_missing_and_the_command(folders: Path) -> None:
    files = [RemoteFile(path=name, url="https://x/", optional=name == "c") for name in ("a", "b", "c")]
    folder = folders / "data" / "talks"
    folder.mkdir(parents=True)
    (folder / "a").touch()
    with pytest.raises(
        MissingDataError, match=rf"{re.escape(str(folder))} lacks b\. Get it with: trialogue data get talks"
    ):
        locate(corpus(*files))


def test_a_mirror_that_is_no_folder_is_named(folders: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TRIALOGUE_DATA_MIRROR", str(folders / "nowhere"))
    with pytest.raises(MissingDataError, match=r"TRIALOGUE_DATA_MIRROR is .*nowhere, which is not a folder"):
        locate(corpus(RemoteFile(path="a", url="https://x/")))


def test_of_files_that_are_all_optional_one_is_enough(folders: Path) -> None:
    talks = corpus(*(RemoteFile(path=name, url="https://x/", optional=True) for name in ("a", "b")))
    with pytest.raises(MissingDataError, match="lacks a, b"):
        locate(talks)
    folder = folders / "data" / "talks"
    folder.mkdir(parents=True)
    (folder / "b").touch()
    assert locate(talks) == folder


def test_a_bundled_corpus_is_always_here(folders: Path) -> None:
    demo, said = corpus(folder="bundled:demo"), list[str]()
    assert is_here(demo)
    assert locate(demo) == get(demo, progress=said.append)
    assert locate(demo).parts[-3:] == ("trialogue", "datasets", "bundled")
    assert said == ["talks ships with Trialogue; no download is needed."]
    assert list(folders.iterdir()) == []


def test_folders_come_from_the_environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("TRIALOGUE_DATA", "~/corpora")
    monkeypatch.setenv("HOME", str(tmp_path))
    assert data_folder() == tmp_path / "corpora"
    monkeypatch.delenv("TRIALOGUE_DATA")
    assert data_folder().name == "trialogue"
    monkeypatch.delenv("TRIALOGUE_DATA_MIRROR", raising=False)
    assert mirror_folder() is None


def test_an_altered_copy_is_reported_and_the_published_one_is_not(publisher: Publisher, folders: Path) -> None:
    here, repairs = published(publisher), Repairs()
    talks = corpus(here, RemoteFile(path="absent", url="https://x/", sha256="0" * 64))
    folder = get(corpus(here))
    assert (verify(talks, folder, note=repairs), repairs.problems) == (1, [])
    (folder / "a.json").write_bytes(CONTENT.replace(b"d", b"D", 1))
    verify(talks, folder, note=repairs)
    assert "this is not the published file of Talks" in repairs.problems[0].what
    assert repairs.problems[0].hint.endswith("trialogue data get talks --force")


OURS = ("crsarena-dial", "crsarena-eval", "kdd2020", "moviebot", "iard")


@pytest.mark.mirror
@pytest.mark.parametrize("name", OURS)
def test_the_files_of_the_mirror_are_the_published_ones(name: str, mirror: Path) -> None:
    from trialogue.datasets import get_corpus

    assert name in corpus_names()
    known, repairs = get_corpus(name), Repairs()
    folder = locate(known)
    compared = verify(known, folder, note=repairs)
    assert repairs.problems == []
    assert compared == sum(file.sha256 is not None for file in known.source.files)


@pytest.mark.parametrize("name", OURS)
def test_every_card_pins_a_revision_and_says_licence_and_citation(name: str) -> None:
    from trialogue.datasets import get_corpus

    source = get_corpus(name).source
    assert source.name == name
    assert source.licence
    assert re.search(r"\(20\d\d\)", source.citation)
    assert source.bibtex.startswith("@")
    for file in source.files:
        assert file.url.startswith("https://raw.githubusercontent.com/")
        assert f"/{source.revision}/" in file.url
        assert file.url.endswith(file.path)
