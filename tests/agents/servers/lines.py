"""A command that speaks our protocol in JSON lines, as well or badly as its first argument says."""

import json
import os
import signal
import sys
import time
from collections.abc import Callable


def answer(what: object) -> None:
    sys.stdout.write(json.dumps(what) + "\n")
    sys.stdout.flush()


def main(mode: str) -> None:
    turns, dialogues = 0, 0
    for line in sys.stdin:
        request = json.loads(line)
        if request["type"] == "open":
            dialogues, turns = dialogues + 1, 0
            if mode == "never ready":
                time.sleep(5)
            if mode == "crash at once":
                sys.exit("no model here")
            answer({"type": "turn", "text": "Hello!"} if mode == "greets" else {"type": "ready"})
        elif request["type"] == "turn":
            turns += 1
            ANSWERS.get(mode, counted)(request["message"], turns, dialogues)


def counted(message: str, turns: int, dialogues: int) -> None:
    answer({"type": "turn", "text": f"{message} (dialogue {dialogues}, turn {turns}, pid {os.getpid()})"})


def crash(message: str, turns: int, dialogues: int) -> None:
    if turns == 2:
        sys.stderr.write("x" * 10_000 + "\nRuntimeError: out of films\n")
        sys.exit(3)
    counted(message, turns, dialogues)


def leave(message: str, turns: int, dialogues: int) -> None:
    sys.exit(0)


def be_killed(message: str, turns: int, dialogues: int) -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def hang(message: str, turns: int, dialogues: int) -> None:
    time.sleep(5)


def print_logs(message: str, turns: int, dialogues: int) -> None:
    sys.stdout.write("loading the model ...\n")
    counted(message, turns, dialogues)


def print_late(message: str, turns: int, dialogues: int) -> None:
    counted(message, turns, dialogues)
    sys.stdout.write("by the way\n")
    sys.stdout.flush()


def say_bytes(message: str, turns: int, dialogues: int) -> None:
    sys.stdout.buffer.write('{"type": "turn", "text": "caf\u00e9"}\n'.encode("latin-1"))
    sys.stdout.buffer.flush()


def say_everything(message: str, turns: int, dialogues: int) -> None:
    acts = [{"intent": "RECOMMEND", "slots": [{"slot": "TITLE", "value": "Heat"}]}]
    messages = ["Well.", {"text": "Heat?", "acts": acts, "ranking": ["heat", "ronin"]}]
    answer({"type": "turn", "messages": messages, "ends": True, "meta": {"model": "v2"}})


ANSWERS: dict[str, Callable[[str, int, int], None]] = {
    "crash": crash,
    "leave": leave,
    "be killed": be_killed,
    "hang": hang,
    "print logs": print_logs,
    "print late": print_late,
    "say bytes": say_bytes,
    "say everything": say_everything,
    "say error": lambda message, turns, dialogues: answer({"type": "error", "message": "no such film"}),
    "say list": lambda message, turns, dialogues: answer(["Hello"]),
    "say other": lambda message, turns, dialogues: answer({"type": "song", "text": "la"}),
    "say ready": lambda message, turns, dialogues: answer({"type": "ready"}),
    "say long": lambda message, turns, dialogues: answer({"type": "turn", "text": "a" * (1 << 20)}),
    "say huge": lambda message, turns, dialogues: answer({"type": "turn", "text": "a" * (4 << 20)}),
    "say history": lambda message, turns, dialogues: answer({"type": "turn", "text": str(len(message))}),
}

if __name__ == "__main__":
    main(sys.argv[1])
