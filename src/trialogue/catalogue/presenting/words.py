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


YEAR_BEHIND = re.compile(
    r"[\"”’“»«》」』*_]{0,4}(?:\s{0,9}[(\[（]\s{0,9}(?:[^()\d]{2,24},\s{0,9})?(?P<year>(?:18|19|20)\d\d)\s{0,9}(?:,[^()]{0,60})?[年)\]）]"
    r"|\s{1,9}from\s{1,9}(?P<from>(?:18|19|20)\d\d)\b(?!s))"
)
"""A year behind a title, or behind the mark that closes it: in brackets, perhaps with a genre or a name, or after "from"."""
YEAR_AHEAD = re.compile(
    r"\b(?:the|that)\s+(?P<year>(?:18|19|20)\d\d)\s+(?:remake\s+of\s+|version\s+of\s+)?[\"“*_]{0,3}\Z",
    re.I,
)
"""A year before a title: "the 2018 Suspiria"."""
QUOTED = re.compile(
    r"『(?P<book>[^』\n]{1,60})』|《(?P<names>[^》\n]{1,60})》|\"([^\"\n]{2,80})\"|„([^“”\n]{2,80})[“”]|“([^”\n]{2,80})”"
    r"|«\s?([^»\n]{2,80}?)\s?»|»([^«»\n]{2,80})«|‚([^‘’\n]{2,80})[‘’]|「([^」\n]{1,40})」|\*\**([^*\n]{2,80})\*+"
    r"|‘((?:[^‘’\n]|’(?=\w)){2,80})’(?!\w)|'(?<!\w')([A-ZÀ-Þ0-9](?:[^'\n]|'(?=\w)){1,60})'(?!\w)"
)
"""What stands in quotation marks, or is emphasised; each form begins with a character of its own, which is found fast."""
ADVISED = word_set(
    "recommend recommended suggest suggested try watch consider check rewatch see seeing watching enjoy enjoyed love "
    "loved like liked prefer tried about with recommending suggesting suggestion recommendation choice pick option "
    "read reading listen play heard including include includes is are was be"
)
"""Words before titles, and before much else."""
STRONG = (SEEN | CALLED | JUDGED | word_set(
    "recommend recommended suggest suggested try consider check recommending named suggesting give meant book books "
    "novel album song game games series"
)) - word_set(
    "show"
)  # fmt: skip
"""Words that lead to a title."""
BETWEEN = word_set(
    "the a an movie film movies films called titled named entitled out also maybe perhaps definitely really you to "
    "watch something like such as and or is are would be with either both animated classic great good series book "
    "show comedy drama thriller horror action sci fi original new old recent first second sequel remake about how "
    "what checking watching"
)
"""Words that may stand between such a word and the title."""
NOT_BEFORE = word_set(
    "by starring stars star actor actress actors actresses director directors directed cast featuring features with "
    "hello hi hey thanks thank dear from on via in at author writer singer band played plays role character named i "
    "i'm mr mrs ms"
)
"""Words that lead to the name of a person or place."""
NO_TITLE = word_set(
    "option video netflix mubi hulu amazon prime disney+ hbo max imdb youtube itunes rotten tomatoes google oscar "
    "oscars academy award awards golden globe emmy hollywood bollywood marvel dc pixar tv dvd english french german "
    "spanish italian japanese korean chinese hindi american british european monday tuesday wednesday thursday friday "
    "saturday sunday january february march april may june july august september october november december christmas "
    "halloween easter thanksgiving yes no ok okay sure thanks great good hello hi hey sorry absolutely definitely "
    "certainly awesome perfect nice well i i'm i'd i'll i've sci-fi scifi romcom rom-com r pg pg-13 nc-17 g us uk usa "
    "la nyc ny am pm cgi 3d imax lol omg haha bye goodbye"
)
"""What is written in capitals and is no title: platforms, awards, languages, days, greetings."""
DAYS = word_set(
    "monday tuesday wednesday thursday friday saturday sunday christmas halloween easter thanksgiving may good great"
)
"""Words among them that titles have, too."""
TITLE_KEYS = frozenset(
    key + colon
    for key in word_set(
        "title titles movie movies film films name book books song album item item_name movie_title product "
        "recommendation recommendations recommended suggestion suggestions"
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
    "maybe perhaps also then try so or and but if because since well oh umm um hmm yeah remember my your our his her "
    "their this that these those it there here when while although though however both same some any another what "
    "which who how why where have did do does was were will would could should can may might just only even otherwise "
    "personally honestly avoid skip start watch see how's let's next finally first second lastly alternatively "
    "surprisingly"
)) - SMALL  # fmt: skip
"""Words that begin a sentence with a capital, and no title there."""
INTERJECTIONS = ADVISED | word_set(
    "maybe perhaps also then so or and but if because since well oh umm um hmm yeah remember try watch see like even "
    "finally start avoid skip"
)
"""Those that begin none even where a year shows that a title ends there."""
DATED = re.compile(r"\s*[(\[（](?:18|19|20)\d\d[)\]）][\"”“’»*_.,]*\Z")
"""A year in brackets at the end of what is quoted."""
ANNOUNCES = re.compile(r"[\"”*_]*\s*[:：][*_]*\s*(?:\n|\Z)")
"""What stands behind words that announce a list: "My Top Picks:"."""
FOUR = re.compile(r"(?:18|19|20)\d\d")
"""A year."""
LEADS = re.compile(
    r"\b(?:(?:scene|scenes|ending|end|mood|dialogue|opening|reel|score|soundtrack|heart|plot|humou?r|tone|"
    r"feeling|atmosphere|style|spirit|vibe|cast|twist)\s+(?:in|of|to|from)|pair(?:ed)?(?:\s+it)?\s+with|swears?\s+by|unlike|"
    r"beats|avoid|skip|remind(?:s|ed)\s+(?:me|you)\s+of|(?:close|closer|closest|compared|next)\s+to|feels\s+like|"
    r"as\s+well\s+as|maybe|perhaps|then|(?:he|she|they)\s+(?:made|directed|wrote|filmed)|"
    r"called|titled|named|say|(?:start(?:ing)?|begin|go(?:ing)?|stick|settle|tempt\s+you|kick\s+things\s+off|"
    r"follow(?:ed)?|reach|opt|nudge\s+you|"
    r"steer\s+you|point\s+you|lean|answer|pick|choice|bet|vote|favou?rites?|suggestion|recommendation|option|"
    r"alternative|title|"
    r"thing|match|there)\s+(?:would\s+be|might\s+be|has\s+to\s+be|goes\s+to|with|by|for|towards?|is|was|are)|suit\s+you:|"
    r"such\s+as|(?:fans|people|those)\s+who\s+(?:liked|loved|enjoyed))\s*(?:also\s+|either\s+|definitely\s+)?\Z",
    re.IGNORECASE,
)
"""Phrases that lead to a title."""
LEADING = 7  # words of the longest
MAY = re.compile(
    r"\b(?:might|would|could|may|will|should|['’]ll|['’]d)\s+(?:also\s+|really\s+|probably\s+)*(?:like|love|enjoy|"
    r"prefer)\s+\Z",
    re.I,
)
"""What one may like, rather than what somebody likes."""
PLACES = word_set(
    "york los angeles san francisco las vegas hong kong united states england ireland scotland africa asia europe ii "
    "iii university award cannes"
)
"""Words of names of places."""
ADDRESSES = frozenset({"sir", "dame", "lord", "president", "professor", "king", "queen", "prince", "princess", "saint"})
"""Words that begin the name of a person."""
ORGANISED = word_set(
    "channel channels studio studios award awards academy war wars university festival street city river church "
    "school times magazine music network prize picture day night club company institute college museum hotel united "
    "new north south east west central saint st mount lake party order society brothers sister sisters cinema theater "
    "theatre fiction story tales comedies comedy drama dramas romance romantic horror thriller thrillers action flick "
    "flicks movies films super hero heroes heros rom com sci fi merry happy please enjoy thanks thank hopefully "
    "besides unfortunately budget box office million chapter legion miss lady uncle aunt sergeant captain doctor dr "
    "mr mrs holidays family island motel"
)
"""Everyday words of names of firms, prizes, places and events."""
LABELS = word_set(
    "genre genres runtime rating ratings length actor actors mood director directors country studio award star stars "
    "year cast language plot summary synopsis price runner-up why note tone time duration format platform theme "
    "themes"
)
"""Words before a colon or in a cell that are no titles."""
NEVER_TITLES = NO_TITLE | LABELS
"""What no title is, as a whole."""
GENERIC = word_list("function_words") | word_set(
    "movie movies film films show shows series book books one ones thing things stuff something anything everything "
    "nothing actor actress actors director scene scenes part parts ending plot cast story stories storys genre genres "
    "kind type types sort lot lots bit comedy comedies drama dramas horror thriller thrillers romance action scifi "
    "sci fi romcom rom com funny scary sad good great best better nice cool new old older classic classics different "
    "similar other others first last next second third same whole full actually really very pretty super so too also "
    "maybe probably definitely honestly think thought know knew mean guess hope wait want wanted need like love loved "
    "liked watch watched watching see seen saw tonight tomorrow today time times year years weekend mind mood "
    "suggestion suggestions recommendation recommendations option options choice pick favorite favorites favourite "
    "friend friends sister brother mom dad wife husband sounds sound lol haha omg wow hmm yeah yes no nope ok okay "
    "sure thanks thank please sorry hello hi hey bye u ur im ive id its thats whats dont didnt doesnt cant wont isnt "
    "imo tbh idk gonna gotta wanna kinda sorta cuz bc tho abt w popcorn netflix hulu amazon disney theater theaters "
    "watchlist trailer dvd people person someone anyone everyone yall guys both either another any some more less "
    "most usually ya welcome care copy mostly thousands"
)
"""Words of which a title in small letters has none, besides small words."""
SEGMENT = re.compile(
    r"[^\w\s'’&-]+|\b(?:is|was|are|were|its|it['’]s|has|have|had|does|did|with|by|w/|if|lol|imo|haha|so|because|cuz|"
    r"too|when|both|"
    r"even|just|starring|about|abt|out|or|called|named|try|watch|see|seen|recommend|suggest|say|also|maybe|mayb|for|"
    r"like|liked|"
    r"loved|really|actually|then|comes?|feels?|will|can|would|could|should|tho|but|kinda|than|from|my|your|i)\b",
    re.IGNORECASE,
)
"""What stands before and behind titles in texts without capitals."""
NOT_FIRST = word_set("at on in to under of by with from for and or as")
"""Words that no title in small letters begins with."""
LEADS_SMALL = re.compile(
    r"\b(?:try|watch|see|seen|recommend|suggest|say|called|named|also|or|maybe|mayb|liked|loved|abt|about)\s*\Z"
)
"""Words that lead to a title in texts without capitals."""
SAID_SMALL = re.compile(
    r"\s*(?:(?:is|was|are|were)\s+(?:(?:\w+\s+){0,3}(?:better|funnier|scarier|creepier|shorter|longer|darker|"
    r"hilarious|similiar|"
    r"similar|great|good|classic|rip\s?off|movie|film))|(?:has|have)\s+(?:the|that|a)\s+(?:same|similar)|its\b|it's\b)"
)
"""What is said of films in them, behind a title."""
SAID = re.compile(
    r"['’\"”*_]*,?\s+(?:(?:is|was|remains)\s+(?:(?!(?:going|in|at|on|from|by|with|directing|"
    r"starring)\b)\w[\w'’-]*\s+){0,5}?(?:film|movie|"
    r"picture|drama|comedy|thriller|western|romance|musical|documentary|sequel|prequel|remake|classic|masterpiece|"
    r"story|tale|"
    r"adaptation|rip[- ]off|animation|biopic|dream|novel|book|fable|satire|debut|feature|gem|slow[- ]burn(?:er)?)\b|"
    r"(?:is|was|were)\s+(?:about|set|based|directed|shot|filmed|released|streaming|basically|made\s+(?:by|in))\b|"
    r"came\s+out\b|"
    r"(?:is|was)\s+(?:even\s+|much\s+|way\s+|far\s+)?(?:\w+er|better|more\s+\w+|less\s+\w+)\s+(?:than|imo|but|and|still)\b|"
    r"(?:opens|opened|premiered|flopped|bombed|takes\s+place|follows|tells|unfolds|feels\s+(?:like|closer|more)|"
    r"plays\s+like|reads\s+like|"
    r"looks\s+like|clocks\s+in|stars|hits|runs|lasts|ends|covers|deserves|rivals|beats|breaks|explores|revolves|"
    r"centers|centres|captures|"
    r"belongs|haunts|scratches|delivers|holds\s+up|comes\s+close|got\s+me|won)\b|has\s+(?:the|that|a|an)\s+(?:same|"
    r"similar|ending|"
    r"soundtrack|twist|score|slow|cast|plot)\b|(?:would|should|could|might)\s+(?:suit|do|be|fit|work)\b|"
    r"gives\s+(?:her|him|you)\b|"
    r"shares?\s+(?:a|an|the|its)\b|directed\s+by\b|starring\b|(?-i:with\s+[A-Z]))",
    re.IGNORECASE,
)
"""What is said of films, behind a title."""
KINDS = word_set("movies films movie film fan fans genre genres type kind series actor actress director")
"""Words behind a genre, a studio or a person that is written in capitals."""
IN_NO_NAME = (NO_TITLE - DAYS) | PLACES | KINDS
"""Words that no title has which is known by its look alone."""
MEASURE = re.compile(r"\d{1,2}|\d+[.,]\d+|\d+(?:s|th|st|nd|rd|am|pm|k)|'?\d0s|\d{5,}")
"""Numbers that are no title."""
COMPANY = word_set("with on by from at for in as")
"""Small words behind a title that lead to who plays in it, or where it runs."""
PRONOUNS = word_set("i you we they he she it that there here what who let")
"""Words that a title does not end in, and nobody owns anything by."""
SPEAKERS = word_set("ich du wir er es ihr je tu nous vous il yo tú ik jij wij io noi ja")
"""Words that begin a sentence of another language in quotation marks."""
LABELLED = re.compile(r"[*_]*:[*_]*[ \t]+(?P<behind>[^\n(\[–—]+)")
"""What stands behind a label."""
RATING = re.compile(r"\d\d?[.,]\d+\s+(?=\S)")
"""A rating before a title."""
LISTED = word_set("directors actors actresses genres genre moods countries studios platforms writers")
"""Words that announce a list of no titles."""
LEAD = 120  # characters before a list in which it is announced
FAR = 6  # words before a title in which a cue can stand
