"""Read the information need that UserSimCRS stores with a simulated dialogue (``metadata.information_need``)."""

import hashlib
import json

from trialogue.records import Constraint, JsonValue, Need, NeedSource


def need_in(data: JsonValue, persona: JsonValue = None) -> Need | None:
    """Parse an information need (constraints, requests and target items); None if there is none.

    Its id follows from what it holds: dialogues with the same need are with the same case, whichever the agent was. A
    simulator has one id for all its users, who are not one person.

    >>> need = need_in({"target_items": [{"item_id": "1"}], "constraints": {"GENRE": "comedy"}, "requests": ["PLOT"]})
    >>> need.targets, need.constraints[0].values, need.requests
    (('1',), ('comedy',), ('PLOT',))
    """
    if not isinstance(data, dict):
        return _need_of_persona(persona)
    constraints, requests, targets = data.get("constraints"), data.get("requests"), data.get("target_items")
    held = [
        Constraint(attribute=str(slot), values=values)
        for slot, value in (constraints.items() if isinstance(constraints, dict) else ())
        if (values := _texts(value if isinstance(value, list) else [value]))
    ]
    items = targets if isinstance(targets, list) else []
    ids = _texts([item.get("item_id") for item in items if isinstance(item, dict)])
    if not held and not ids:
        return _need_of_persona(persona)
    parts = [data.get(name) for name in ("constraints", "requests", "target_items", "persona")]
    text = json.dumps(parts if persona in (None, "") else [*parts, persona], sort_keys=True)
    return Need(
        id=hashlib.sha256(text.encode()).hexdigest()[:12],
        constraints=tuple(held),
        targets=ids,
        acceptable=ids,
        requests=_texts(requests if isinstance(requests, list) else []),
        persona=_words_of(persona),
        source=NeedSource.IMPORTED,
    )


def _need_of_persona(persona: JsonValue) -> Need | None:
    """Need derived from a persona without constraints: sufficient to distinguish cases."""
    words = _words_of(persona)
    if not words:
        return None
    return Need(id=hashlib.sha256(words.encode()).hexdigest()[:12], persona=words, source=NeedSource.IMPORTED)


def _words_of(persona: JsonValue) -> str:
    """A persona as text; UserSimCRS keeps a free dictionary.

    >>> _words_of({"patience": "low", "age": 30}), _words_of("curious"), _words_of(None)
    ('age=30, patience=low', 'curious', '')
    """
    if isinstance(persona, dict):
        return ", ".join(f"{key}={value}" for key, value in sorted(persona.items()))
    return persona if isinstance(persona, str) else ""


def _texts(values: list[JsonValue]) -> tuple[str, ...]:
    return tuple(str(value) for value in values if value not in (None, ""))
