"""A mapping guessed from the headings of a table, where they leave no doubt."""

import re
from collections.abc import Iterable

from trialogue.datasets.table_mapping import OF_RESPONSES, OF_UTTERANCES, Mapping, shape_mistakes

_HEADINGS = {
    "dialogue": "dialogue_id dialog_id dialog conversation conversation_id conv_id conv session_id session chat_id",
    "speaker": "role sender participant author",
    "text": "utterance message content sentence",
    "order": "turn turn_id turn_index turn_ind utterance_index index position utt_id",
    "system": "system_name model crs bot recommender",
    "user": "user_id worker worker_id",
    "utterance_id": "",
    "situation": "situation_id example_id sample_id prompt_id context_id",
    "context": "history dialogue_history dialog_history prompt",
    "reference": "ground_truth gold human_response",
    "response": "reply generation generated prediction system_response",
    "rater": "rater_id annotator annotator_id",
    "strategies": "strategy",
    "mentions": "items movies titles",
    "ranking": "recommendations recommended_items",
    "targets": "target_items",
}


def guess(columns: Iterable[str]) -> Mapping | None:
    """A mapping from headings that leave no doubt; None if they do. Ratings are ``rating_…`` and ``dialogue_rating_…``.

    >>> mapping = guess(["Conversation ID", "Role", "Message", "stars"])
    >>> mapping.dialogue, mapping.speaker, mapping.text, mapping.order
    ('Conversation ID', 'Role', 'Message', None)
    """
    by_key: dict[str, str] = {}
    for column in columns:
        by_key.setdefault(re.sub(r"\W+", "_", column.strip().lower()).strip("_"), column)
    found: dict[str, object] = {}
    for name, others in _HEADINGS.items():
        keys = [key for key in (name, *others.split()) if key in by_key]
        if keys:
            found[name] = by_key[keys[0]]
    rated = {
        name: {key.removeprefix(prefix): column for key, column in by_key.items() if key.startswith(prefix)}
        for name, prefix in (("ratings", "rating_"), ("dialogue_ratings", "dialogue_rating_"))
    }
    shape = "text" if {"dialogue", "speaker", "text"} <= found.keys() else "response"
    foreign = {*OF_RESPONSES} if shape == "text" else {*OF_UTTERANCES}
    given = found | {name: columns for name, columns in rated.items() if columns}
    fitting = {name: column for name, column in given.items() if name not in foreign}
    return None if shape_mistakes(fitting) else Mapping.model_validate(fitting)
