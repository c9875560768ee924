"""Small invented conversations of systems whose order is known."""

from pathlib import Path

from trialogue.records import Dialogue, Preference, Rating, Record, Response, Situation, Utterance, write_records


def dialogue(number: int, system: str, *, satisfied: bool, user: str = "", words: int = 4) -> Dialogue:
    """A short dialogue; the system's reply has a given number of different words."""
    reply = " ".join(f"w{number}x{i}" for i in range(words))
    return Dialogue(
        id=f"{system}-{number}",
        system=system,
        user=user or f"person{number}",
        utterances=(
            Utterance(speaker="user", text="a film, please"),
            Utterance(speaker="system", text=reply),
            Utterance(speaker="user", text="thanks"),
        ),
        ratings=(Rating(name="satisfaction", value=float(satisfied), rater="user", low=0, high=1),),
    )


def good_and_bad(people: int = 20) -> list[Record]:
    """Everybody talks to both; 18 of 20 like "good", 2 of 20 like "bad"; votes follow."""
    records: list[Record] = []
    for i in range(people):
        records.append(dialogue(i, "good", satisfied=i % 10 != 0, words=8))
        records.append(dialogue(i, "bad", satisfied=i % 10 == 0, words=3))
        choice = "b" if i % 7 == 0 else "tie" if i % 7 == 1 else "a"
        records.append(
            Preference.model_validate({"id": str(i), "a": "good", "b": "bad", "choice": choice, "rater": f"person{i}"})
        )
    return records


def offline(situations: int = 12) -> list[Record]:
    """Replies of two systems to situations: "echo" repeats the reference, "mute" says something else."""
    records: list[Record] = []
    for i in range(situations):
        reference = Utterance(speaker="system", text=f"you should watch film number {i} tonight")
        user = Utterance(speaker="user", text="what do you recommend?")
        records.append(Situation(id=f"s{i}", context=(user,), reference=reference, dialogue_id=f"d{i // 2}"))
        records.append(Response(situation_id=f"s{i}", system="echo", utterance=reference))
        mute = Utterance(speaker="system", text="no idea")
        records.append(Response(situation_id=f"s{i}", system="mute", utterance=mute))
    return records


def written(path: Path, records: list[Record]) -> Path:
    """A file of records."""
    write_records(path, records)
    return path
