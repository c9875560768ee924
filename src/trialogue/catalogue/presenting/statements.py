"""How texts state years, people, genres, running times and prices of an item."""

import re

from trialogue.catalogue.item import PEOPLE
from trialogue.catalogue.linking.ordinary import word_set

ACTORS, DIRECTORS, WRITERS = PEOPLE
CALLED = {ACTORS: "actor", DIRECTORS: "director", WRITERS: "writer"}
GENRES = frozenset({"genre", "genres", "category", "categories"})
RUNTIMES = frozenset({"runtime", "running time", "duration", "length", "minutes", "runtime minutes", "runtimeminutes"})
PRICES = frozenset({"price", "prices", "cost", "costs"})
WITH_FORMS = frozenset().union(*PEOPLE, GENRES, RUNTIMES, PRICES)
"""Names of attributes that texts state in forms of their own."""
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
    "cartoon": "animation",
    "slasher": "horror",
    "whodunit": "mystery",
    "detective": "mystery",
    "sports": "sport",
    "sf": "science fiction",
}
NEAR_YEARS, NEAR_MINUTES, NEAR_SHARE = 1, 3, 0.1
ALIKE_NAME = 0.85  # of the letters of a name, from which it is the other one misspelt
SHORTEST = 40  # minutes of a film
NO_NAMES = frozenset({"the", "it", "this", "that", "and", "you", "not", "film", "movie"})
LONGEST = 300  # characters behind a title that can be about it

TOKEN = r"(?:[A-ZÀ-Þ]\.|(?:Jr|Sr|St)\.|[A-ZÀ-Þ][\w'’-]*)"
NAME = rf"{TOKEN}(?:[ -]?(?:(?<=[ .-]){TOKEN}|(?<= )(?:de|la|le|van|von|der|del|di|da|bin|el)(?= )))*"
NAMES = rf"(?P<names>{NAME}(?:(?:,\s*(?:and\s+)?|\s+and\s+|\s*&\s*){NAME})*)"
WORKS = (
    r"(?:film|movie|picture|drama|thriller|comedy|romance|horror|western|musical|documentary|adventure|fantasy|"
    r"mystery|classic|novel|"
    r"book|masterpiece|epic|debut|feature|puzzle|work|story|tale|version|take|adaptation|sequel|idea|vision|creation|"
    r"project|satire|"
    r"biopic|animation|noir)"
)
MADE = r"(?:directed|made|helmed|shot|filmed|wrote|penned|created|directs|gave\s+us|brought\s+us|has\s+directed)"
TITLE = r"[\"“*'_(]*(?<!\x00)\x00++[\"”’*_)]*(?:\s*\(\d{4}\))?[\"”’*_]*"
"""The item's own title, which is blanked out in its sentence. Taken whole: going back into it is quadratic in its length."""
BEING = r"(?:is|was|['’]s|comes|came|remains)"
MADE_WORDS = (
    "directed", "made", "helmed", "shot", "filmed", "wrote", "written", "penned", "created", "authored", "directs", "gave",
    "brought",
)  # fmt: skip
ROLES = (
    "director", "mind", "man", "woman", "filmmaker", "author", "writer", "one", "person", "name", "brains", "hand",
)  # fmt: skip
LINKS = ("of", "behind", *MADE_WORDS)
# fmt: off
MAKERS: tuple[tuple[tuple[tuple[str, ...], ...], re.Pattern[str]], ...] = tuple(
    (words, re.compile(pattern, re.DOTALL))
    for words, pattern in (
        ((MADE_WORDS,), rf"{NAMES}\s+(?:wrote\s+and\s+|co-)?{MADE}\s+(?:and\s+directed\s+)?(?:the\s+\w+\s+)?{TITLE}"),
        ((ROLES, LINKS),
         rf"{NAMES},?\s+(?:{BEING}|who)\s+(?:the\s+)?(?:director|mind|man|woman|filmmaker|author|writer|one|person|"
         rf"name)s?\s+(?:of|behind|"
         rf"who\s+{MADE})\s+{TITLE}"),
        ((ROLES, LINKS), rf"(?:director|mind|man|woman|filmmaker|author|writer|brains|hand|person)s?\s+(?:of|behind|"
         rf"who\s+{MADE})\s+{TITLE}\s+"
         rf"{BEING}\s+{NAMES}"),
        ((("director", "author", "writer", "maker"),),
         rf"{TITLE}['’]?s\s+(?:director|author|writer|maker)s?\s+{BEING}\s+{NAMES}"),
        ((("dir", "irector", "uthor", "riter"),),
         rf"(?:\bdir\.?|[\"']?\b(?:[Dd]irector|[Aa]uthor|[Ww]riter)s?[\"']?)\s*(?:{BEING}|are|was|:|,)?\s*[\"']?{NAMES}"),
        ((MADE_WORDS, ("by",)),
         rf"\b(?:directed|helmed|made|shot|filmed|written|penned|created|authored|brought\s+to\s+(?:the\s+screen|"
         rf"life))\b[^.;!?\x00]{{0,30}}?"
         rf"\bby\s+{NAMES}"),
        ((("director", "author", "writer", "filmmaker", "pen"),),
         rf"\b(?:by|from)\s+(?:the\s+)?(?:director|author|writer|filmmaker|pen\s+of)\s+{NAMES}"),
        ((("direction",),), rf"\bdirection\s+(?:by|from)\s+{NAMES}"),
        ((("by", "of"),),
         rf"{TITLE},?\s+(?:{BEING}\s+)?(?:(?:the|a|an)\s+(?:[\w-]+\s+){{0,3}}?(?:{WORKS}|brainchild)\s+)?(?:by|of)\s+{NAMES}"),
        ((("from",),), rf"{TITLE}(?:,\s+|\s+comes\s+|\s+came\s+)from\s+{NAMES}"),
        ((("by", "from", "of"),), rf"{TITLE}[^.;!?]{{0,60}}?\b{WORKS}\s+(?:by|from|of)\s+{NAMES}"),
        ((("'", "’"),),
         rf"{TITLE}[?,.:]*\s*(?:{BEING}|[Tt]hat['’]s|[Ii]t['’]s|)\s*(?:basically\s+|really\s+|also\s+)?{NAMES}['’]s?"
         rf"\s+(?:[\w-]+\s+){{0,3}}?{WORKS}\b"),
        ((("the",),), rf"{TITLE}\s+{BEING}\s+the\s+{NAMES}\s+{WORKS}\b"),
        ((("director", "helm", "camera"), ("has", "had")),
         rf"{TITLE}[^.;!?]{{0,60}}?\bha[sd]\s+{NAMES}\s+(?:in\s+the\s+director|at\s+the\s+helm|behind\s+the\s+camera)"),
        ((MADE_WORDS, ("which", "that")), rf"{TITLE},?\s+(?:which|that)\s+{NAMES}\s+{MADE}"),
        ((("behind", "helm", "director"),),
         rf"{NAMES}\s+{BEING}\s+(?:behind\s+(?:it|the\s+camera)|at\s+the\s+helm|in\s+the\s+director)"),
        ((), rf"{TITLE}\??\s+\d{{4}},\s+{NAMES}\s*(?:[.!]|\Z)"),
        ((MADE_WORDS, ("who",)), rf"[Ii]t\s+was\s+{NAMES}\s+who\s+{MADE}\s+{TITLE}"),
        ((("direct", "helmed"),),
         rf"{NAMES},?\s+(?:who\s+)?(?:co-)?(?:wrote\s+and\s+)?(?:directed|directs|helmed|directing)\b(?!\s+(?:before|"
         rf"another|other|also|\x00|[A-Z]))"),
        ((("made", "shot", "wrote", "penned", "filmed", "put"),),
         rf"{NAMES}\s+(?:made|shot|wrote|penned|filmed|put)\s+(?:it|this|the\s+(?:film|movie|book|thing))\b"),
        ((ROLES,), rf"{NAMES}\s+{BEING}\s+(?:the|its)\s+(?:director|filmmaker|author|writer)\b"),
        ((("director", "author"),), rf"\bwith\s+{NAMES}\s+as\s+(?:its\s+)?(?:director|author)"),
        (((":", "–", "—", "-"),), rf"{TITLE}[:–—-]+\s+{NAMES},\s+\d"),
    )
)
# fmt: on
"""Who made the item whose title is blanked out, in its sentence or those that go on about it: groups of words of each of
which one must occur, as few texts have them, and the pattern."""
MAKER_WORDS = frozenset(word for words, _ in MAKERS for group in words for word in group)
"""All of these words."""
OPENING = "\"“*'_("
"""Marks before a title that are taken for its own."""
ACTS = re.compile(r"\b(?:starring|stars|featuring|features|with)\s+\Z")
ACTED_BY = ("starring", "stars", "featur", "with")
ACTED = re.compile(rf"\b(?:starring|stars|featuring|features|with)\s+{NAMES}")
OWNED = re.compile(rf"(?P<names>{NAME})['’]s?\s+(?:(?:[\w-]+\s+){{0,2}}{WORKS}\s+)?{TITLE}")
OWNED_BEHIND = re.compile(rf"{TITLE}(?:,|\s+(?:is|was))\s*(?P<names>{NAME})['’]s(?:[\s.]|\Z)")
YEAR = re.compile(
    r"(?<![\d$€£.\"“‘*_])(?:(?P<decade>(?:18|19|20)\d0)s|(?P<year>(?:18|19|20)\d\d))(?![\d%]|\s*(?:min|people|dollars|euros|"
    r"films|movies))\b"
)
OTHER_YEAR = re.compile(
    r"\b(?:set|begins|starts|spans|takes\s+place|place|story|(?<!around\s)since|until|till|before|after|around|future|"
    r"born|war|events?|life|during|remake|sequel|"
    r"original|novel|book|version|restored|re-?released|anniversary)\s+(?:\w+\s+){0,3}?\Z|(?:[-–]|\b(?:between|and|"
    r"(?<!back\s)to|like))\s*\Z",
    re.IGNORECASE,
)
"""What makes a year that of something else: when it is set, or of which the item is a remake."""
THE = re.compile(r"\b(?:the|a|this|that|from)\s+\Z", re.IGNORECASE)
IN_BRACKETS = re.compile(r"[(\[][^()\[\]]*\Z")
OWN_BRACKETS = re.compile(r"\x00[\"”’*_]*\s*[(\[][^()\[\]]*\Z")
OF_DECADE = re.compile(r"\b(?:from|of)\s+the\s+(?:early\s+|mid-?\s?|late\s+)?\Z", re.IGNORECASE)
WROTE = re.compile(r"\b(?:wrot|writ|pen|author|novel|book)", re.IGNORECASE)
BLANK = "\x00"
"""Stands for each character of the item's title."""
AT_LEAST = frozenset({"over", "just over", "barely over"})
NEAR = r"(?P<near>about|around|roughly|nearly|almost|barely\s+over|barely|over|under|just\s+(?:under|over))?\s*"
UNITS = (
    "one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen "
    "nineteen"
)
NUMBERS = {word: str(number) for number, word in enumerate(UNITS.split(), 1)} | {
    "twenty": "20", "thirty": "30", "forty": "40", "fifty": "50", "sixty": "60", "seventy": "70", "eighty": "80",
    "ninety": "90", "a hundred": "100", "an": "1", "a quarter": "15",
}  # fmt: skip
WORDED = "|".join(sorted(NUMBERS.keys() - {"an"}, key=len, reverse=True))
MINUTES = re.compile(
    rf"{NEAR}\b(?P<minutes>\d{{2,3}}|(?:{WORDED})(?:[\s-](?:{WORDED}))?)[\s-]?min(?:ute)?s?\b"
    rf"|\b(?:runtime|running\s+time|runtime_?minutes)[\"']?\s*(?:is|:)?\s*(?P<bare>\d{{2,3}})\b",
    re.IGNORECASE,
)
HOURS = re.compile(
    rf"{NEAR}\b(?P<hours>\d|an|one|two|three|four)\s?(?P<half>and\s+a\s+half\s+)?-?h(?:ours?|"
    rf"rs?)?\b(?P<later>\s+and\s+a\s+half\b)?"
    rf"(?:[\s,]*(?:and\s+)?(?P<minutes>\d{{1,2}}|(?:{WORDED})(?:[\s-](?:{WORDED}))?)(?:\s?m(?:in(?:ute)?s?)?\b|"
    rf"(?<=quarter)\b))?",
    re.IGNORECASE,
)
TIMED = re.compile(r"min|run|(?<![^\W_])(?:\d|an|one|two|three|four)\s?(?:and\s|-?h)", re.IGNORECASE)
"""What a text has that says a running time, and few others: without the words before one, it is soon looked for."""
PRICE = re.compile(
    r"[$€£]\s?(?P<before>\d+(?:[.,]\d{1,2})?)|\b(?P<behind>\d+(?:[.,]\d{1,2})?)\s?(?:dollars|euros|pounds|USD|EUR)\b"
)
KIND = re.compile(
    r"(?:\b(?:is|was|it['’]s|as|being|under|mixes|blends|to)\s+(?:a|an|the|one\s+of\s+the|pure|more\s+of\s+a|sheer|"
    r"straight)?\s*"
    r"|\b(?:[Aa]n?|[Tt]his|[Tt]he)\s+|[-–—:(,;=]\s*|\x00['’]?\s+|(?:[Rr]omance|[Dd]rama|[Hh]orror)(?=\s+and))"
    r"(?P<phrase>(?:[\w'’-]+[\s/,]+){0,6}?[\w'’-]+)(?=\s*(?:[.,;:!?)\n=]|\x00|\Z|\s(?:about|that|which|with|starring|"
    r"written|told|made|"
    r"lasting|through|piece|genre|for|has|had|and\s+barely|directed|set|from|by|film|movie|flick|story|"
    r"tale|picture|where|"
    r"in|following|featuring|and\s+it)\b))",
    re.IGNORECASE,
)
MAY_FOLLOW = word_set(
    "film movie classic novel book picture release flick story tale and or but you i we with about from that which "
    "set in starring dark black of directed by for ever"
)
"""Words behind a genre that leave it what the item is; "plot" or "scenes" would not."""
DENIED = re.compile(
    r"\b(?:than|(?:sort|kind|amount|balance)\s+of|live|your|favou?rite|after|the\s+war)\b|\b(?:not|never|less|hardly|nothing|without|"
    r"un\w+)\b|n['’]t\b",
    re.IGNORECASE,
)
STATED_GENRE = re.compile(r"\bgenres?\s*(?:is|are|:)\s*(?P<phrase>[^.;|\n]{2,60})", re.IGNORECASE)
LEADS_TO = re.compile(r"[^,.!?]{0,12},?\s*[\"“*'_]*\x00")
"""What may stand between a genre and the item."""
CLAUSE = re.compile(r"[.!?](?=\s|\Z)|\n|[,;:]\s|\b(?:and|but|like|while|whereas|than|unlike)\b")
ASIDE = re.compile(r"\b(?:if|you|fans|people|like|liked|loved|since|because|given)\b", re.IGNORECASE)
"""Words of a clause before an item that says something of another one, or of the user."""
SENTENCE = re.compile(r"[.!?](?=\s|\Z)|\n")
IT_IS = re.compile(r"\s*(?:It|It['’]s|This|The\s+(?:film|movie|book|novel|picture|one))\b[^.!\n]*(?:[.!\n]|\Z)")
"""A sentence about the item before it, and no question."""
GOES_ON = re.compile(
    r"\s*(?:(?:It|It['’]s|Its|His|Her|This|The\s+(?:film|movie|book|novel|picture|one|runtime|director))\b|"
    r"[^.!?\n]{0,80}?\b(?:it|it['’]s|its|"
    r"direct(?:ed|s|or|ing)|filmmaker|helmed|runtime|running|duration|length|minutes|genre|starring|stars)\b)",
)
"""A sentence that says more of the item before it."""
NOT = re.compile(
    r"\b(?:not|never|isn['’]t|wasn['’]t|no|unlike|than|other|similar\s+to|films|movies|something|"
    r"anything)\s*(?:\w+\s+){0,2}\Z"
)
ASKED = re.compile(
    r"\s*(?:(?:What|How)(?!\s+(?:about|does))|Why|Where|Is|Was|Did|Does|Do|Are|Were|Has|Had|Who|When|Which|Isn['’]t|"
    r"Wasn['’]t|Didn['’]t)\b"
)
REPORTED = re.compile(
    r"\b(?:said|says|say|thinks?|thought|claims?|claimed|mentioned|told|heard|whether|asked|nobody|not|never|"
    r"if)\s+(?:\w+\s+){0,3}[\"“*'_]*\Z",
    re.IGNORECASE,
)
SUGGESTED = re.compile(r"\s*[\"”’*_)]*\s*\?\s+")
LABELLED = re.compile(r"\s*(?:[-*•]\s*)?[A-Z][\w ]{2,18}:\s")
ABBREVIATION = re.compile(r"\b(?:Dr|Mr|Mrs|Ms|St|Jr|Sr|vs|[A-Z])\.\Z")
NUMBER = re.compile(r"\d+(?:[.,]\d+)?")
