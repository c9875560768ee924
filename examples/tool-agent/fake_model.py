"""A scripted model in place of a real one, with planted faults, so that the example runs without a key.

With the whole prompt, it searches for what it has heard, and recommends the first film that it has not recommended yet; now
and then its arguments are no JSON, and it tries again. With the short prompt, it calls a tool that there is not, and then
recommends from memory.
"""

import json

GENRES = (
    "action", "adventure", "animation", "comedy", "crime", "drama", "family", "fantasy", "history", "horror", "music",
    "mystery", "romance", "science", "thriller", "war", "western",
)  # fmt: skip
MEMORY = ["Casablanca (1942)", "The Godfather (1972)", "Titanic (1997)"]


def call(name, arguments, number):
    """A message that calls one tool."""
    text = arguments if isinstance(arguments, str) else json.dumps(arguments)
    function = {"name": name, "arguments": text}
    return {
        "role": "assistant",
        "content": None,
        "tool_calls": [{"id": f"c{number}", "type": "function", "function": function}],
    }


def say(text):
    """A message to the user."""
    return {"role": "assistant", "content": text}


def answer(messages):
    """The next message, from what was said so far."""
    said = " ".join(each["content"].lower() for each in messages if each["role"] == "user")
    turn = messages[max(place for place, each in enumerate(messages) if each["role"] == "user") :]
    results = [each["content"] for each in turn if each["role"] == "tool"]
    number = len(messages)
    wanted = [word for word in dict.fromkeys(said.replace(",", " ").replace(".", " ").split()) if word in GENRES]
    if "tool" not in messages[0]["content"]:  # the short prompt
        return say(f"How about {MEMORY[number % 3]}?") if results else call("find_films", {"genre": wanted}, number)
    if not wanted:
        return say("Which genre do you like?")
    if not results and len(said) % 5 == 0:  # a planted fault
        return call("search_catalogue", '{"query": ', number)
    if not results or results[-1].startswith("invalid_arguments"):
        return call("search_catalogue", {"query": " ".join(wanted)}, number)
    shown = {each["content"] for each in messages if each["role"] == "assistant" and each["content"]}
    found = next((each for each in results if each.startswith("[")), "[]")
    films = [film for film in json.loads(found) if f"How about {film['title']}?" not in shown]
    if not films:
        return say("I have nothing else of that kind. What else do you like?")
    if not results[-1].startswith("{"):
        return call("recommend", {"item_ids": [films[0]["id"]]}, number)
    return say(f"How about {films[0]['title']}?")
