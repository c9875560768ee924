"""Language models in this process, from a folder or a GGUF file, by ``transformers``; needs the extra ``local``.

Same interface, cache and cost accounting as a client of an endpoint. Nothing is ever downloaded. The weights are loaded when
the first answer is generated: a run whose answers are all in the cache needs neither torch nor memory for the model.
"""

import contextlib
import hashlib
import io
import threading
import weakref
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import Field

from trialogue.errors import UsageError
from trialogue.extras import need
from trialogue.llm.cache import Cache, key_of
from trialogue.llm.chat import SEEDS, Completion, EmptyAnswer, Message, completion_in, tokens_in
from trialogue.llm.usage import Ledger, Price
from trialogue.records import JsonValue, Record, RetryCost
from trialogue.transport.failures import AgentFailure, call_foreign

PURPOSE = "run a language model in this process"
GGUF = ".gguf"
EXPECTED = "Give a folder written by save_pretrained, or a GGUF file."
LOCAL = "local:sha256:"  # in place of an address, in keys of the cache
HASH_DIGITS = 12  # of a model's sha256, in signatures and fingerprints: 48 bits
SPOKEN = {"system": "", "developer": "", "user": "User: ", "assistant": "Assistant: "}
"""How messages are written down for a model without a chat template."""
OTHERS_TURN = "\nUser:"  # where such a model begins to speak for its counterpart
DETAIL = 500  # characters of a library's message that are repeated


class LocalOptions(Record):
    """A model in this process, and its sampling parameters."""

    folder: Path
    """The model: a folder as ``save_pretrained`` writes it, or a GGUF file; nothing is ever downloaded."""
    device: str = "cpu"
    """Device: ``cpu``, ``cuda``, ``cuda:1``, ``mps``, ..."""
    dtype: Literal["float32", "bfloat16", "float16"] = "float32"
    """Numbers of the weights; GGUF files are unpacked to it."""
    temperature: Annotated[float, Field(ge=0, le=10)] = 0.0
    """0: always the likeliest token, whatever the seed."""
    top_p: Annotated[float, Field(gt=0, le=1)] | None = None
    """Only the likeliest tokens of this total probability are drawn; None: all."""
    max_tokens: Annotated[int, Field(ge=1)] = 200
    """Tokens that an answer may have; one that needs more is cut."""
    stop: tuple[str, ...] = ()
    """Texts before which the model stops."""
    cache: Path | None = None
    """Folder of the cache; None: nothing is kept."""
    price: Price | None = None
    """What tokens cost you; None: unknown, and so is the cost."""

    @property
    def model(self) -> str:
        """Name of the model: that of its folder or file."""
        return self.folder.stem if self.folder.suffix == GGUF else self.folder.name

    @property
    def place(self) -> str:
        """Where the model runs, in messages to people: its folder or file."""
        return str(self.folder)

    @property
    def requests_at_once(self) -> int:
        """1: the weights generate one answer at a time, and waiting threads would gain nothing."""
        return 1

    def body(self, messages: Sequence[Message], seed: int | None) -> dict[str, Any]:
        """Everything that decides the answer of one model; greedy answers do not depend on the seed."""
        given: dict[str, Any] = {
            "messages": [dict(message) for message in messages],
            "dtype": self.dtype,
            "temperature": self.temperature,
            "top_p": self.top_p if self.temperature else None,
            "max_tokens": self.max_tokens,
            "stop": list(self.stop) or None,
            "seed": seed % SEEDS if seed is not None and self.temperature else None,
        }
        return {key: value for key, value in given.items() if value is not None}


class LocalModel:
    """Model in this process, one answer at a time; thread-safe."""

    def __init__(self, options: LocalOptions) -> None:
        """Hash the model's files; the weights are loaded when they are needed.

        Raises:
            UsageError: the folder or file holds no model.
        """
        self.options = options
        self.ledger = Ledger(options.model, options.price)
        self.sha256 = hash_model(options.folder)
        self.identity = f"{options.model}@sha256:{self.sha256[:HASH_DIGITS]}"
        """Name and content hash of the model, recorded with every answer."""
        self._cache = Cache(options.cache) if options.cache else None
        self._weights: LoadedModel | None = None
        self._loading = threading.Lock()

    def complete(
        self,
        messages: Sequence[Message],
        *,
        seed: int | None,
        trial: str,
        note: Callable[[RetryCost], None] = lambda cost: None,
        fields: Mapping[str, JsonValue] | None = None,
        keep_empty: bool = False,
    ) -> Completion:
        """Generate an answer, or take it from the cache if this trial was answered before.

        Args:
            messages: the conversation so far.
            seed: seed for the draws; without effect at temperature 0. None: 0.
            trial: names the repetition that this answer belongs to, such as the dialogue's id.
            note: never called, as nothing is tried again.
            fields: further fields of a request to an endpoint; none is understood here.
            keep_empty: whether an answer without text is cached as well.

        Raises:
            AgentFailure: the conversation is too long for the model, the model failed, or it wrote nothing.
            UsageError: further fields, or the files cannot be loaded as a language model.
            MissingExtraError: torch or transformers are not installed.
        """
        if fields:
            raise UsageError(
                f"{self.options.model} runs in this process and does not support {', '.join(sorted(fields))}."
            )
        body = self.options.body(messages, seed)
        # Content, not place: the same model elsewhere gives the same answers.
        key = key_of(f"{LOCAL}{self.sha256}", body, trial)
        if self._cache is not None and (kept := self._cache.get(key)) is not None:
            self.ledger.count("cached")
            return completion_in(kept, "")
        try:
            answer = self._load().answer(messages, self.options, seed or 0, model=self.identity)
            self.ledger.record_call(*tokens_in(answer))
            try:
                completion = completion_in(answer, "")
            except EmptyAnswer:
                if self._cache is not None and keep_empty:
                    self._cache.put(key, answer, model=self.identity)
                raise
            if self._cache is not None:
                completion = completion_in(self._cache.put(key, answer, model=self.identity), "")
        except AgentFailure:
            self.ledger.count("failures")
            raise
        return completion

    def load(self) -> None:
        """Load the weights now, which may take minutes; a second call does nothing.

        Raises:
            UsageError: the files cannot be loaded as a language model.
            MissingExtraError: torch or transformers are not installed.
        """
        self._load()

    def close(self) -> None:
        """Release the weights; the garbage collector frees them when nobody else uses them."""
        self._weights = None

    def _load(self) -> "LoadedModel":
        with self._loading:
            if self._weights is None:
                self._weights = _weights_of(self.options, self.sha256)
            return self._weights


class LoadedModel:
    """Loaded weights and tokenizer, shared by all who use the same model; one answer at a time."""

    def __init__(self, options: LocalOptions) -> None:
        self._torch = need("torch", extra="local", purpose=PURPOSE)
        transformers = need("transformers", extra="local", purpose=PURPOSE)
        where, more = options.folder, {}
        if options.folder.suffix == GGUF:
            need("gguf", extra="local", purpose="read GGUF files")
            where, more = options.folder.parent, {"gguf_file": options.folder.name}
        try:
            # Whatever a damaged file makes these libraries raise; and no progress bars between our own lines.
            with contextlib.redirect_stderr(io.StringIO()):
                self._tokenizer, self._model = call_foreign(
                    lambda: (
                        transformers.AutoTokenizer.from_pretrained(where, local_files_only=True, **more),
                        transformers.AutoModelForCausalLM.from_pretrained(where, local_files_only=True, **more),
                    ),
                    what="transformers",
                )
        except AgentFailure as failure:
            why = " ".join(failure.detail.split())[:DETAIL]
            raise UsageError(f"{options.folder} contains no language model that can be loaded: {why}") from failure
        self._device = options.device
        try:
            self._model.to(device=options.device, dtype=getattr(self._torch, options.dtype)).eval()
        except (RuntimeError, AssertionError) as error:
            why = " ".join(str(error).split())[:DETAIL]
            raise UsageError(f"{options.folder} cannot run on the device {options.device!r}: {why}") from error
        # Its own sampling defaults would change answers behind the options' back.
        self._model.generation_config.update(do_sample=False, temperature=None, top_p=None, top_k=None, max_length=None)
        versions = f"transformers {transformers.__version__}, torch {self._torch.__version__}"
        self._fingerprint = f"{versions}, {options.dtype} on {options.device}"
        self._lock = threading.Lock()

    def answer(self, messages: Sequence[Message], options: LocalOptions, seed: int, *, model: str) -> dict[str, Any]:
        """An answer in the form of an endpoint's.

        Raises:
            AgentFailure: the conversation is too long for the model, or it failed.
        """
        with self._lock, self._torch.random.fork_rng():
            self._torch.manual_seed(seed % SEEDS)
            text, given, tokens, is_cut = call_foreign(lambda: self._generate(messages, options), what=options.model)
        message = {"role": "assistant", "content": text}
        return {
            "model": model,
            "system_fingerprint": self._fingerprint,
            "choices": [{"index": 0, "message": message, "finish_reason": "length" if is_cut else "stop"}],
            "usage": {"prompt_tokens": given, "completion_tokens": tokens},
        }

    def _generate(self, messages: Sequence[Message], options: LocalOptions) -> tuple[str, int, int, bool]:
        """(text, tokens of the prompt, tokens of the answer, whether it was cut off)."""
        inputs, stops = self._encode(messages)
        stops += options.stop
        inputs = inputs.to(self._device)
        given = int(inputs["input_ids"].shape[1])
        self._check_length(given, options)
        drawn: dict[str, Any] = {"do_sample": bool(options.temperature)}
        if options.temperature:
            drawn |= {"temperature": options.temperature, "top_k": 0, "top_p": options.top_p or 1.0}
        if stops:
            drawn |= {"stop_strings": list(stops), "tokenizer": self._tokenizer}
        with self._torch.inference_mode():
            tokens = self._model.generate(
                **inputs, **drawn, max_new_tokens=options.max_tokens, pad_token_id=self._tokenizer.eos_token_id
            )[0, given:]
        text: str = self._tokenizer.decode(tokens, skip_special_tokens=True)
        end = min((place for stop in stops if (place := text.find(stop)) >= 0), default=None)
        is_cut = end is None and len(tokens) >= options.max_tokens and int(tokens[-1]) not in self._ends()
        return text[:end], given, len(tokens), is_cut

    def _ends(self) -> set[int]:
        """Tokens that end an answer."""
        ends = self._model.generation_config.eos_token_id
        ends = ends if isinstance(ends, list) else [ends]
        return {end for end in (*ends, self._tokenizer.eos_token_id) if end is not None}

    def _check_length(self, given: int, options: LocalOptions) -> None:
        context = getattr(self._model.config, "max_position_embeddings", None)
        if context is not None and given + options.max_tokens > context:
            what = f"the conversation has {given} tokens and the answer may have up to {options.max_tokens}"
            raise AgentFailure("error", f"{what}; {options.model} handles {context} in total.")

    def _encode(self, messages: Sequence[Message]) -> tuple[Any, tuple[str, ...]]:
        """(tokens, texts that end an answer): by the model's chat template, or else as a written-down conversation."""
        if self._tokenizer.chat_template:
            encoded = self._tokenizer.apply_chat_template(
                [dict(message) for message in messages],
                add_generation_prompt=True,
                return_dict=True,
                return_tensors="pt",
            )
            return encoded, ()
        lines = [SPOKEN[message["role"]] + message["content"] for message in messages]
        return self._tokenizer("\n".join([*lines, SPOKEN["assistant"].rstrip()]), return_tensors="pt"), (OTHERS_TURN,)


_LOADED: "weakref.WeakValueDictionary[tuple[str, str, str], LoadedModel]" = weakref.WeakValueDictionary()
_LOADING = threading.Lock()


def _weights_of(options: LocalOptions, sha256: str) -> LoadedModel:
    """Weights of a model, loaded once for all of its users in this process, such as an agent and a user."""
    key = (sha256, options.device, options.dtype)
    with _LOADING:
        if (weights := _LOADED.get(key)) is None:
            weights = _LOADED[key] = LoadedModel(options)
        return weights


def hash_model(folder: Path) -> str:
    """Sha256 of a model's files, independent of where they are: 64 hexadecimal digits.

    Args:
        folder: a folder, of which all files count (not those of folders in it), or a GGUF file.

    Raises:
        UsageError: there is no such model, or it cannot be read.
    """
    if folder.suffix != GGUF and not (folder / "config.json").is_file():
        what = "is a file, but its name does not end in .gguf" if folder.is_file() else "has no config.json"
        what = what if folder.exists() else "does not exist"
        raise UsageError(f"{folder} contains no language model: it {what}. {EXPECTED}")
    try:
        files = [folder] if folder.suffix == GGUF else sorted(path for path in folder.iterdir() if path.is_file())
        states = tuple((str(path), path.stat().st_size, path.stat().st_mtime_ns) for path in files)
        return _hash_of(states)
    except OSError as error:
        raise UsageError(f"{folder} contains no language model: {error.strerror or error}. {EXPECTED}") from error


@lru_cache(maxsize=16)
def _hash_of(states: tuple[tuple[str, int, int], ...]) -> str:
    """Hash of files, read once while their sizes and times stay the same: models have gigabytes."""
    if len(states) == 1:
        return _file_hash(Path(states[0][0]))
    lines = [f"{Path(path).name}\t{_file_hash(Path(path))}" for path, _, _ in states]
    return hashlib.sha256("\n".join(lines).encode("utf-8", "surrogatepass")).hexdigest()


def _file_hash(path: Path) -> str:
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()
