"""How texts state years, people, genres, running times and prices of an item."""

import re

from trialogue.catalogue.attribute_names import PEOPLE
from trialogue.catalogue.linking.ordinary import word_set

ACTORS, DIRECTORS, WRITERS = PEOPLE
CALLED = {ACTORS: "actor", DIRECTORS: "director", WRITERS: "writer"}
GENRES = frozenset({"genre", "genres", "category", "categories"})
RUNTIMES = frozenset({"runtime", "running time", "duration", "length", "minutes", "runtime minutes", "runtimeminutes"})
PRICES = frozenset({"price", "prices", "cost", "costs"})
SAME_GENRE = {
    "sci-fi": "science fiction",
    "scifi": "science fiction",
    "sci fi": "science fiction",
    "science-fiction": "science fiction",
    "romantic": "romance",
    "rom-com": "romance",
    "romcom": "romance",
    "comedic": "comedy",
    "animated": "animation",
    "historical": "history",
    "biographical": "biography",
    "biopic": "biography",
    "film-noir": "noir",
    "film noir": "noir",
    "children": "children's",
    "kids": "children's",
    "thrillers": "thriller",
    "comedies": "comedy",
    "dramas": "drama",
    "westerns": "western",
    "musicals": "musical",
}
NEAR_YEARS, NEAR_MINUTES, NEAR_SHARE = 1, 3, 0.1
ALIKE_NAME = 0.85  # of the letters of a name, from which it is the other one misspelt
SHORTEST = 40  # minutes of a film
NO_NAMES = frozenset({"the", "it", "this", "that", "and", "you", "not", "film", "movie"})
LONGEST = 300  # characters behind a title that can be about it
BEFORE = 60  # characters before a title that can be about it

TOKEN = r"(?:[A-ZÀ-Þ]\.|(?:Jr|Sr|St)\.|[A-ZÀ-Þ][\w'’-]*)"
NAME = rf"{TOKEN}(?:[ -]?(?:(?<=[ .-]){TOKEN}|(?<= )(?:de|la|le|van|von|der|del|di|da|bin|el)(?= )))*"
NAMES = rf"(?P<names>{NAME}(?:(?:,\s*(?:and\s+)?|\s+and\s+|\s*&\s*){NAME})*)"
MAKES = r"(?:directed|made|helmed|shot)"
KINDS_BY = (
    "(?:film|movie|picture|drama|thriller|comedy|romance|horror|western|musical|documentary|adventure|fantasy|mystery)"
)
DIRECTED = re.compile(
    rf"\b(?:{MAKES}\s+by|dir\.|[\"']?directors?[\"']?\s*(?:is|was|are|:|,)?\s*[\"']?|{KINDS_BY}\s+by|"
    rf"direction\s+(?:by|from))\s*{NAMES}"
)
DIRECTS = re.compile(rf"(?P<names>{NAME})\s+{MAKES}\b(?!\s+(?:before|another|other|also))")
WRITTEN = re.compile(rf"\b(?:(?:written|penned)\s+by|authors?\s*(?:is|was|:)?|a\s+(?:novel|book)\s+by)\s+{NAMES}")
BY = re.compile(rf"\A[\"”’*_\s)]*(?:\(\d{{4}}\))?,?\s*by\s+{NAMES}")
ACTED = re.compile(rf"\b(?:starring|stars|featuring|features|with)\s+{NAMES}")
OWNED = re.compile(rf"(?P<names>{NAME})['’]s?\s+(?:(?:classic|film|movie|masterpiece|epic|novel)\s+)?[\"“*'_]*\Z")
OWNED_BEHIND = re.compile(rf"\A[\"”’*_\s)]*(?:\(\d{{4}}\))?(?:,|\s+(?:is|was))\s*(?P<names>{NAME})['’]s?\s")
DIRECTED_BEFORE = re.compile(rf"(?P<names>{NAME})\s+{MAKES}\s+[\"“*'_]*\Z")
KINDS = (
    r"(?:film|movie|classic|thriller|drama|comedy|novel|book|western|musical|romance|adventure|mystery|picture|release)"
)
YEAR = re.compile(
    r"\A[\"”’*_]*\s*\((?P<bracket>(?:18|19|20)\d\d)\)"
    r"|\b(?:released?|came\s+out|made|premiered|published|filmed|shot|dates|debuted|opened|year[\"']?)\s*(?:back\s+)?(?:in|from|:)\s*"
    r"(?P<in>(?:18|19|20)\d\d)\b|\b(?:from|of)\s+(?P<from>(?:18|19|20)\d\d)\b(?!s)"
    rf"|\b(?:a|an|the|this|['’]s)\s+(?P<kind>(?:18|19|20)\d\d)\s+(?:[\w-]+\s+){{0,3}}?{KINDS}\b",
    re.IGNORECASE,
)
BARE_YEAR = re.compile(
    r"(?<=[,;(] )(?P<bare>(?:18|19|20)\d\d)(?=\s*(?:[,;.)\n]|\Z))|(?<=\()(?P<open>(?:18|19|20)\d\d)(?=,)"
)
YEAR_BEFORE = re.compile(
    rf"\b(?:the|a|this)\s+(?P<year>(?:18|19|20)\d\d)\s+(?:[\w-]+\s+){{0,3}}?{KINDS},?\s+[\"“*'_]*\Z"
)
NEAR = r"(?P<near>about|around|roughly|nearly|almost|over|under|just\s+(?:under|over))?\s*"
UNITS = (
    "one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen "
    "nineteen"
)
NUMBERS = {word: str(number) for number, word in enumerate(UNITS.split(), 1)} | {
    "twenty": "20", "thirty": "30", "forty": "40", "fifty": "50", "ninety": "90", "a hundred": "100"
}  # fmt: skip
WORDED = "|".join(sorted(NUMBERS, key=len, reverse=True))
MINUTES = re.compile(rf"{NEAR}\b(?P<minutes>\d{{2,3}}|ninety|a\s+hundred)[\s-]?min(?:ute)?s?\b", re.IGNORECASE)
HOURS = re.compile(
    rf"{NEAR}\b(?P<hours>\d|one|two|three|four)\s?(?P<half>and\s+a\s+half\s+)?-?h(?:ours?|rs?)?\b"
    rf"(?:[\s,]*(?:and\s+)?(?P<minutes>\d{{1,2}}|(?:{WORDED})(?:[\s-](?:{WORDED}))?)\s?m(?:in(?:ute)?s?)?\b)?",
    re.IGNORECASE,
)
PRICE = re.compile(
    r"[$€£]\s?(?P<before>\d+(?:[.,]\d{1,2})?)|\b(?P<behind>\d+(?:[.,]\d{1,2})?)\s?(?:dollars|euros|pounds|USD|EUR)\b"
)
KIND = re.compile(
    r"(?:\b(?:is|was|it['’]s|as|being)\s+(?:a|an|the|one\s+of\s+the|pure|more\s+of\s+a|sheer|straight)?\s*|\b(?:a|an|this)\s+"
    r"|[-–—:(,;]\s*)(?P<phrase>(?:[\w'’-]+[\s/,]+){0,6}?[\w'’-]+)(?=\s*(?:[.,;:!?)\n]|\Z|\s(?:about|that|which|with|starring|"
    r"directed|set|from|by|film|movie|flick|story|tale|picture|where|in|following|featuring|and\s+it)\b))",
    re.IGNORECASE,
)
MAY_FOLLOW = word_set(
    "film movie classic novel book picture release flick story tale and or but you i we with about from that which set in "
    "starring dark black of directed by for ever"
)
"""Words behind a genre that leave it what the item is; "plot" or "scenes" would not."""
DENIED = re.compile(r"\b(?:not|never|less|hardly|nothing|without|un\w+)\b|n['’]t\b", re.IGNORECASE)
STATED_GENRE = re.compile(r"\bgenres?\s*(?:is|are|:)\s*(?P<phrase>[^.;|\n]{2,60})", re.IGNORECASE)
SENTENCE = re.compile(r"[.!?](?=\s|\Z)|\n")
GOES_ON = re.compile(r"\s*(?:It|It['’]s|This|The\s+(?:film|movie|book|novel|picture|one))\b")
NOT = re.compile(
    r"\b(?:not|never|isn['’]t|wasn['’]t|no|unlike|than|other|similar\s+to|films|movies|something|anything)\s*(?:\w+\s+){0,2}\Z"
)
ASKED = re.compile(r"\s*(?:Is|Was|Did|Does|Do|Are|Were|Has|Had|Who|When|Which|Isn['’]t|Wasn['’]t|Didn['’]t)\b")
REPORTED = re.compile(
    r"\b(?:said|says|say|thinks?|thought|claims?|claimed|mentioned|told|heard|nobody|not|never|if)\s+(?:\w+\s+){0,3}[\"“*'_]*\Z",
    re.IGNORECASE,
)
SUGGESTED = re.compile(r"\s*[\"”’*_)]*\s*\?\s+")
LABELLED = re.compile(r"\s*(?:[-*•]\s*)?[A-Z][\w ]{2,18}:\s")
ABBREVIATION = re.compile(r"\b(?:Dr|Mr|Mrs|Ms|St|Jr|Sr|vs|[A-Z])\.\Z")
NUMBER = re.compile(r"\d+(?:[.,]\d+)?")
