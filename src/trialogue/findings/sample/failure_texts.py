"""Recognise replies that are failures although nobody recorded one: apologies, refusals, messages of programs, nothing.

Words are known in some thirty languages. In any other, a failure shows as the same short reply to different users that
names nothing: ``units`` counts these. A suspicion is no verdict: it is weighed by its consequence.
"""

import errno
import re
from bisect import bisect_right
from collections.abc import Sequence
from functools import lru_cache
from http import HTTPStatus

from trialogue.records.kinds.suspicions import Suspicion

LONGEST = 400  # characters of an apology or of a short message of a program; a longer one says more than that
NOTHING = re.compile(r"\W*[<\[({|]+[\w .-]{1,30}[|\])}>]+\W*")
"""A note in brackets in place of a reply: "<|endoftext|>", "[no response]"."""
CODES = re.compile(rf"\b(?:{'|'.join(sorted(errno.errorcode.values()))})\b")
"""Names of errors of the operating system: ECONNRESET."""
PHRASES = frozenset(each.phrase.lower() for each in HTTPStatus if each >= 400)
"""What a server says, and nothing else: "Bad Request"."""
BLANK = {"null", "none", "nan", "undefined", "n/a", "error", "failed", "failure", "timeout", "nil", "object object"}
"""What programs write where there is nothing, in brackets or not."""
SIGNS = " \t\n[](){}<>.!*\"'`#:-_"

_PROGRAM = re.compile(
    r"traceback \(most recent|^\s*at [\w$.<>]+\([^)]*:\d+\)|\bstack ?trace\b|\bcore dumped\b|segmentation fault|^panic:"
    r"|\b[a-z]\w*(?:error|exception)\b\s*[:(]|\b\w+\.[\w.]*(?:error|exception|timeout)\b|^\W*[a-z]\w*(?:error|exception)\W*$"
    r"|\bexception in thread|<html|<!doctype html"
    r"|^\s*\{\s*\"(?:error|detail|message)\""
    r"|\binternal server error\b|\bbad gateway\b|\bservice unavailable\b|\bgateway time-?out\b"
    r"|\btoo many (?:requests|connections)\b|\brate ?limit(?:ed| exceeded| reached)?\b"
    r"|\b(?:dis)?connect(?:ion)?(?: was)? (?:refused|reset|timed out|aborted|error|failure|failed|closed|lost)\b|\berrno\b"
    r"|\b(?:http|error|status|code|fehler|erreur|erro)\W{0,3}(?:code\W{0,3})?[45]\d\d\b|\b[45]\d\d\W{0,3}(?:error|internal|bad)"
    r"|\b(?:request|read|operation|response|connection) timed? ?out\b|\bcontext length exceeded\b|\bmaximum context length\b"
    r"|\bout of memory\b|\bmax(?:imum)? retries\b|\bapi key\b|\bquota exceeded\b|\bunhandled\b|\bnull ?pointer",
    re.IGNORECASE | re.MULTILINE,
)
"""Messages that only programs write."""

# Stems, not words: each finds all its endings. What they find counts only in a short reply that names nothing.
_SORRY = (
    "sorry apolog unfortunately regret_t regretta we_regret i_regret forgive_me oops whoops uh-oh i'm_afraid "
    "pardon_me your_pardon entschuldig leider tut_mir bedauer verzeih désol desolé desolee malheureusement excusez "
    "mes_excuses lo_siento disculp lamentablemente lamento lamentamos perdón desafortunadamente mi_dispiace scusa "
    "purtroppo spiacen infelizmente sinto_muito helaas het_spijt tyvärr ursäkta förlåt beklag desværre dessverre "
    "undskyld unnskyld valitettavasti anteeksi pahoittel przeprasz przykro niestety omlouv bohužel promiňte "
    "ospravedl bohužiaľ извин сожален простит вибач на_жаль перепрош üzgün maalesef özür συγγνώμη λυπ δυστυχώς "
    "sajnál elnézést bocsánat sajnos îmi_pare scuze din_păcate عذر آسف للأسف نأسف מצטער סליחה לצערי متأسف ببخشید "
    "متاسف क्षमा माफ़ माफ खेद দুঃখিত மன்னிக்க 抱歉 对不起 對不起 遗憾 遺憾 不好意思 申し訳 すみません ごめん 残念 "
    "죄송 미안 유감 xin_lỗi rất_tiếc ขออภัย ขอโทษ maaf samahani съжаляв žao_mi izvinit oprosti žal atsiprašau "
    "vabandust piedod"
)
_CANNOT = (
    "i_can't i_cannot i_can_not i_could_not i_couldn't can't_help cannot_help unable_to not_able_to won't_be_able "
    "do_not_have_an don't_have_an having_trouble had_trouble nothing_i_can i_only_understand as_an_ai language_model "
    "not_allowed don't_know do_not_know no_idea try_again contact_support went_wrong not_available didn't_understand "
    "did_not_understand didn't_get_that no_results no_response not_supported kann_ich ich_kann_nicht kann_nicht "
    "nicht_möglich nicht_helfen je_ne_peux je_ne_suis_pas impossible_de est_impossible pas_disponible no_puedo "
    "no_es_posible no_pude non_posso impossibile não_posso não_consigo não_é_possível ik_kan niet_mogelijk kan_niet "
    "kan_inte kan_ikke en_voi nie_mogę nie_jest_możliwe nemohu nemôžem nem_tud не_могу не_можу невозможно yapam "
    "yardımcı_olam edemiyor mümkün_değil δεν_μπορώ nu_pot لا_أستطيع لا_يمكن לא_יכול نمی‌توان नहीं_कर नहीं_दे "
    "পারছি_না 无法 無法 不能 できません わかりません 할_수_없 드릴_수_없 tidak_bisa tidak_dapat không_thể ไม่สามารถ "
    "siwezi"
)
_DECLINES = (
    "i_wish_i_could wish_i_knew that_is_not_something_i that's_not_something_i not_able cannot_be could_not_be "
    "couldn't_be cannot_provide can't_provide can't_offer cannot_offer cannot_recommend can't_recommend cannot_suggest "
    "can't_suggest can't_answer cannot_answer don't_have_access do_not_have_access no_access don't_have_any "
    "do_not_have_any don't_have_information do_not_have_information don't_have_enough do_not_have_enough have_nothing "
    "has_nothing got_nothing have_no_idea have_no_information have_no_data have_no_answer have_no_results have_no_suggest "
    "have_no_recommend know_nothing know_too_little i_lack we_lack lack_the draw_a_blank drew_a_blank drawing_a_blank "
    "came_up_empty come_up_empty nothing_came nothing_comes nothing_found nothing_matche nothing_to_offer "
    "nothing_to_recommend nothing_to_suggest no_matche no_suggestions no_recommendations list_has_no catalogue_has_no "
    "catalog_has_no database_has_no not_in_my not_in_our beyond_what beyond_my beyond_our outside_my outside_our "
    "outside_of_my outside_the_scope out_of_scope out_of_my_area out_of_my_depth not_part_of_my not_trained not_designed "
    "not_equipped not_permitted not_authori must_decline have_to_decline must_pass have_to_pass i_am_afraid we_are_afraid "
    "we're_afraid sadly regrettably i'm_stumped i_am_stumped at_a_loss didn't_catch did_not_catch quite_catch "
    "didn't_quite did_not_quite not_follow_that couldn't_follow could_not_follow don't_understand do_not_understand "
    "not_sure_what_you not_sure_i_can not_sure_how_to limited_and currently_limited currently_unable not_currently "
    "ask_somebody_else ask_someone_else look_elsewhere check_back come_back_later ask_me_again"
)
"""In English, of which logs are most: that one is not able, not allowed, not informed, or did not understand."""
_WRONG = (
    "was_a_problem were_problems a_glitch a_hiccup technical_difficult technical_issue ran_into under_maintenance "
    "for_maintenance is_down is_offline temporarily not_responding broke_down could_not_complete "
    "could_not_process could_not_load an_error error_occurred error_while unexpected_error internal_error a_snag "
    "broke_while failed_to_load failed_to_fetch failed_to_retrieve failed_to_process failed_to_connect "
    "failed_to_respond fehler erreur errore erro_ fout ett_fel fel_uppstod błąd chyba ошибк помилк hata 错误 錯誤 出错 "
    "エラー 오류 خطأ त्रुटि lỗi kesalahan σφάλμα hiba eroare virhe feil fejl timed_out unavailable has_crashed "
    "crashed_while crashed_before"
)


class _Stems:
    """Stems that begin a word, or stand anywhere where words are not parted by spaces."""

    def __init__(self, words: str) -> None:
        stems = [each.replace("_", " ") for each in words.split()]
        parted = [each for each in stems if each[0] < "\u0e00"]
        self._unparted = [each for each in stems if each[0] >= "\u0e00"]
        self._pattern = re.compile(rf"\b(?:{'|'.join(map(re.escape, parted))})")
        # The beginnings of the longest words: most replies have none of them, and need no pattern.
        self._starts = frozenset(max(each.split(), key=len)[:4] for each in parted)

    def are_in(self, lowered: str, starts: frozenset[str]) -> bool:
        """Whether a text in lower case, with the beginnings of its words, has any of them."""
        if not self._starts.isdisjoint(starts) and self._pattern.search(lowered) is not None:
            return True
        return not lowered.isascii() and any(each in lowered for each in self._unparted)


def _starts_of(lowered: str) -> frozenset[str]:
    """First three and four letters of each word."""
    words = [each.lstrip("\"(*[-'¡¿“„«") for each in lowered.split()]
    words += [each.partition("'")[2] for each in words if "'" in each]
    return frozenset([each[:4] for each in words] + [each[:3] for each in words])


_APOLOGY = _Stems(f"{_SORRY} {_CANNOT} {_DECLINES}")
_CANNOT_DO = _Stems(f"{_CANNOT} {_DECLINES}")
_FAULT = _Stems(_WRONG)
_YEAR = re.compile(r"\((?:1[89]|20)\d\d\)")
_OF_PROGRAMS = (
    "error", "exception", "traceback", "stack", "dumped", "segmentation", "panic", "<html", "<!doctype", "{", "server",
    "gateway", "unavailable", "requests", "limit", "connect", "timeout", "errno", "timed", "timeout", "exceeded",
    "memory", "retries", "api key", "quota", "unhandled", "pointer", "status", "code", "http", "fehler", "erreur",
    "\n at ", "\tat ",
)  # fmt: skip
"""What a message of a program holds: most replies have none of it."""
_NAMED = re.compile(
    r"\((?:1[89]|20)\d\d\)"  # a year, as behind titles
    r"|[\"“„«「『《*][^\"”“»」』》*\n]{2,60}[\"”“»」』》*]"  # quoted or emphasised
    r"|(?<!\w)'[^'\n]{2,60}'(?!\w)"
    r"|(?<=[\w,;:] )(?!I\b|Error|Server|Internal|Exception)[A-ZÀ-ÞА-Я][\w'’.-]+ [A-ZÀ-ÞА-Я0-9][\w'’.-]*"  # two capitals
    r"|^\s*(?:[-•*]|\d{1,2}[.)])\s+\w",  # a list
    re.MULTILINE,
)
_ASKS = re.compile(r"[?？؟;]\s*$")
_AGAIN = re.compile(
    r"\b(?:rephrase|repeat|reformulate|(?:ask|try) (?:some\w+|another|elsewhere|later)"
    r"|(?:say|try|ask|type|put) (?:that|it|this)?\s*(?:again|differently|another way))\b"
)
_OFFER = re.compile(
    r"\b(?:(?:how|what) about|why not|have you seen"
    r"|you (?:might|may|could|should|would) (?:\w+ )?(?:like|enjoy|love|try|want)"
    r"|(?:i|we)(?: would| could|'d)? (?:suggest|recommend)|check out|instead|there(?:'s| is| are) (?:also|still)"
    r"|(?<!please )try (?!again|later|back|to\b|it\b|that|your|another|re\w|in\b|once|with|using|asking))"
)
"""Words that put something forward, whatever was said before."""
_BREAK = re.compile(
    r"[.!?。！？;:\n]\s|\s[-–—]\s|,? (?:but|however|though|aber|mais|pero|però|mas|maar|men|ale|но|ama) ", re.IGNORECASE
)
_NOT = re.compile(
    r"n't\b|\b(?:not?|nothing|none|never|without|keine?[nrsm]?|nichts?|pas|aucune?|ning\w+|nada|sin|non|ness\w+|não|nenhum\w*|geen"
    r"|niet|inte|ingen|ikke|nie|brak|не|нет|yok|değil|tidak|không)\b|没有|沒有|ない|ません|없"
)
"""Words that deny."""


@lru_cache(maxsize=1 << 12)  # programs take their leave in the same words
def suspicion_of(text: str, *, names_items: bool = False) -> Suspicion | None:
    """Why a reply is no answer; None where nothing speaks for that.

    Args:
        text: the reply.
        names_items: whether the data annotate an item in it, or a ranking.

    >>> [suspicion_of(text) for text in ("…", "Internal Server Error (500)", "Es tut mir leid, das kann ich nicht.")]
    [<Suspicion.SILENT: 'silent'>, <Suspicion.ERROR: 'error'>, <Suspicion.APOLOGY: 'apology'>]
    >>> suspicion_of("Sorry, I do not have that one. How about Heat (1995)?"), suspicion_of("Which genres do you like?")
    (None, None)
    """
    if names_items:
        return None
    if not any(map(str.isalnum, text)) or text.strip(SIGNS).lower() in BLANK or NOTHING.fullmatch(text):
        return Suspicion.SILENT
    lowered = text.lower().replace("’", "'")
    is_of_program = any(map(lowered.__contains__, _OF_PROGRAMS)) and _PROGRAM.search(text) is not None
    is_of_program |= text.strip(SIGNS).lower() in PHRASES or ("E" in text and CODES.search(text) is not None)
    if is_of_program and not (_YEAR.search(text) and _offers(text, lowered)):
        return Suspicion.ERROR
    if len(text) > LONGEST:
        return None
    starts = _starts_of(lowered)
    apologises, is_fault = _APOLOGY.are_in(lowered, starts), _FAULT.are_in(lowered, starts)
    if not (apologises or is_fault) or _offers(text, lowered):
        return None
    if _ASKS.search(text) and not (apologises and is_fault) and not _AGAIN.search(lowered):
        return None
    return Suspicion.APOLOGY if apologises else Suspicion.ERROR


def _offers(text: str, lowered: str) -> bool:
    """Whether a reply puts something forward, or names an item in a clause that does not deny: "Heat is not in my list"."""
    if _OFFER.search(lowered):
        return True
    breaks = [0, *(each.end() for each in _BREAK.finditer(text)), len(text) + 1]
    for named in _NAMED.finditer(text):
        at = bisect_right(breaks, named.start())
        clause = text[breaks[at - 1] : breaks[at]].lower().replace("’", "'")
        starts = _starts_of(clause)
        denies = _NOT.search(clause) or _PROGRAM.search(clause)
        if not (denies or _CANNOT_DO.are_in(clause, starts) or _FAULT.are_in(clause, starts)):
            return True
    return False


def asks(text: str) -> bool:
    """Whether a message ends with a question mark.

    >>> asks("And the price? "), asks("OK, thanks!")
    (True, False)
    """
    return _ASKS.search(text) is not None


def names_something(text: str) -> bool:
    """Whether a reply seems to name an item: a year, a quotation, two capitalised words within a sentence, a list.

    >>> names_something("Try Heat (1995)."), names_something("You may like Blade Runner."), names_something("Please wait.")
    (True, True, False)
    """
    return _NAMED.search(text) is not None


def suspicion_of_all(replies: Sequence[str], *, names_items: bool = False) -> Suspicion | None:
    """Why a dialogue with these replies is no dialogue: the last reply is suspect, and at least half of all are.

    >>> suspicion_of_all(["Which genre?", "Have you seen Heat (1995)?", "Sorry, I cannot help with that."]) is None
    True
    >>> suspicion_of_all([])
    <Suspicion.SILENT: 'silent'>
    """
    if not replies:
        return Suspicion.SILENT
    last = suspicion_of(replies[-1], names_items=names_items)
    if last is None or len(replies) == 1:
        return last
    others = sum(suspicion_of(each) is not None for each in replies[:-1])
    return last if 2 * (others + 1) >= len(replies) else None
