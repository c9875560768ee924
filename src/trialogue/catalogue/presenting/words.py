"""Signs of titles: words and marks around them, and words in capitals that are none."""

import re
from enum import StrEnum

from trialogue.catalogue.linking.clauses import CALLED, JUDGED, SEEN
from trialogue.catalogue.linking.ordinary import word_list, word_set
from trialogue.catalogue.presenting.names import SMALL


class Sign(StrEnum):
    """What shows that a span is presented as a title."""

    SLOT = "slot"
    """It fills an item of a list, a cell or a value."""
    YEAR = "year"
    """A year in brackets stands behind it."""
    QUOTED = "quoted"
    """It stands in quotation marks or is emphasised."""
    CUE = "cue"
    """A word such as "recommend" or "movie" stands before it."""
    ROW = "row"
    """It is coordinated with another title."""
    NAME = "name"
    """It is written as titles are and names of people are not: with an article, an owner or a subtitle."""


YEAR_BEHIND = re.compile(r"[\"”’“»«》」』*_]{0,4}\s*[(\[（]\s*(?P<year>(?:18|19|20)\d\d)\s*[年)\]）]")
"""A year in brackets behind a title, or behind the mark that closes it."""
QUOTED = re.compile(
    r"『(?P<book>[^』\n]{1,60})』|《(?P<names>[^》\n]{1,60})》|\"([^\"\n]{2,80})\"|„([^“”\n]{2,80})[“”]|“([^”\n]{2,80})”"
    r"|«\s?([^»\n]{2,80}?)\s?»|»([^«»\n]{2,80})«|‚([^‘’\n]{2,80})[‘’]|「([^」\n]{1,40})」|\*+([^*\n]{2,80})\*+"
    r"|‘((?:[^‘’\n]|’(?=\w)){2,80})’(?!\w)|(?<!\w)'([A-ZÀ-Þ0-9](?:[^'\n]|'(?=\w)){1,60})'(?!\w)"
)
"""What stands in quotation marks, or is emphasised."""
ADVISED = word_set(
    "recommend recommended suggest suggested try watch consider check rewatch see seeing watching enjoy enjoyed love loved "
    "like liked prefer tried about with recommending suggesting suggestion recommendation choice pick option read reading "
    "listen play heard including include includes is are was be"
)
"""Words before titles, and before much else."""
STRONG = (SEEN | CALLED | JUDGED | word_set("recommend recommended suggest suggested try consider check recommending named "
    "suggesting give meant book books novel album song game games series")) - word_set("show")  # fmt: skip
"""Words that lead to a title."""
BETWEEN = word_set(
    "the a an movie film movies films called titled named entitled out also maybe perhaps definitely really you to watch "
    "something like such as as and or is are would be with either both animated classic great good series book show comedy "
    "drama thriller horror action sci fi original new old recent first second sequel remake about how what checking watching"
)
"""Words that may stand between such a word and the title."""
NOT_BEFORE = word_set(
    "by starring stars star actor actress actors actresses director directors directed cast featuring features with hello "
    "hi hey thanks thank dear from on via in at author writer singer band played plays role character named i i'm mr mrs ms"
)
"""Words that lead to the name of a person or place."""
NO_TITLE = word_set(
    "option video netflix mubi hulu amazon prime disney+ hbo max imdb youtube itunes rotten tomatoes google oscar oscars "
    "academy award awards "
    "golden globe emmy hollywood bollywood marvel dc pixar tv dvd english french german spanish italian japanese korean "
    "chinese hindi american british european monday tuesday wednesday thursday friday saturday sunday january february "
    "march april may june july august september october november december christmas halloween easter thanksgiving yes no "
    "ok okay sure thanks great good hello hi hey sorry absolutely definitely certainly awesome perfect nice well i i'm i'd "
    "i'll i've sci-fi scifi romcom rom-com r pg pg-13 nc-17 g us uk usa la nyc ny am pm cgi 3d imax lol omg haha bye goodbye"
)
"""What is written in capitals and is no title: platforms, awards, languages, days, greetings."""
TITLE_KEYS = frozenset(
    key + colon
    for key in word_set(
        "title titles movie movies film films name book books song album item item_name movie_title product recommendation "
        "recommendations recommended suggestion suggestions"
    )
    for colon in ("", ":")
) | {":"}  # of a list in JSON without a key
"""Keys and labels whose values are titles."""
STOPPED = re.compile(r"[.!?;](?:\s|$)|\n|[。！？；，]")
"""The end of a sentence."""
JOINER = re.compile(r",?\s+(?:and|or|&)\s+|,\s+|\s*/\s*", re.IGNORECASE)
"""What stands between two titles of a row."""
MOST_FOREIGN = 7  # words of a title in another language
MOST_UNCASED = 14  # letters of a title in a script without capitals, outside of the marks of titles
FEW_WORDS = 4  # in small letters, of which no language can be told
OPENERS = (ADVISED | STRONG | NO_TITLE | NOT_BEFORE | word_list("function_words") | word_set(
    "maybe perhaps also then try so or and but if because since well oh umm um hmm yeah remember my your our his her their "
    "this that these those it there here when while although though however both same some any another what which who how "
    "why where have did do does was were will would could should can may might just only even otherwise personally honestly "
    "start watch see how's let's next finally first second lastly alternatively surprisingly"
)) - SMALL  # fmt: skip
"""Words that begin a sentence with a capital, and no title there."""
INTERJECTIONS = ADVISED | word_set(
    "maybe perhaps also then so or and but if because since well oh umm um hmm yeah remember try watch see like even "
    "finally start"
)
"""Those that begin none even where a year shows that a title ends there."""
YEAR_ALONE = re.compile(r"(?:18|19|20)\d\d\s+")
"""A year before a title: "from 1995 Heat (1995)"."""
LEADS = re.compile(
    r"\b(?:(?:start(?:ing)?|begin|go(?:ing)?|stick|settle|tempt\s+you|kick\s+things\s+off|follow(?:ed)?|reach|opt|nudge\s+you|"
    r"steer\s+you|point\s+you|lean|answer|pick|choice|bet|vote|favou?rites?|suggestion|recommendation|option|alternative|title|"
    r"thing|match|there)\s+(?:would\s+be|might\s+be|has\s+to\s+be|goes\s+to|with|by|for|towards?|is|was|are)|suit\s+you:|"
    r"such\s+as|(?:fans|people|those)\s+who\s+(?:liked|loved|enjoyed))\s*(?:also\s+|either\s+|definitely\s+)?\Z",
    re.IGNORECASE,
)
"""Phrases that lead to a title."""
PLACES = word_set(
    "york los angeles san francisco las vegas hong kong united states england ireland scotland africa asia europe ii iii "
    "university award cannes"
)
"""Words of names of places."""
ADDRESSES = frozenset({"sir", "dame", "lord", "president", "professor", "king", "queen", "prince", "princess", "saint"})
"""Words that begin the name of a person."""
KINDS = word_set("movies films movie film fan fans genre genres type kind series actor actress director")
"""Words behind a genre, a studio or a person that is written in capitals."""
MEASURE = re.compile(r"\d{1,2}|\d+[.,]\d+|\d+(?:s|th|st|nd|rd|am|pm|k)|'?\d0s|\d{5,}")
"""Numbers that are no title."""
COMPANY = word_set("with on by from at for in")
"""Small words behind a title that lead to who plays in it, or where it runs."""
PRONOUNS = word_set("i you we they he she it that there here what who let")
"""Words that a title does not end in, and nobody owns anything by."""
SPEAKERS = word_set("ich du wir er es ihr je tu nous vous il yo tú ik jij wij io noi ja")
"""Words that begin a sentence of another language in quotation marks."""
RATING = re.compile(r"\d\d?[.,]\d+\s+(?=\S)")
"""A rating before a title."""
LISTED = word_set("directors actors actresses genres genre moods countries studios platforms writers")
"""Words that announce a list of no titles."""
LEAD = 120  # characters before a list in which it is announced
FAR = 6  # words before a title in which a cue can stand
