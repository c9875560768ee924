"""Which language texts are in, and when it cannot be detected."""

import subprocess
import sys

import pytest

from trialogue.languages import MAX_TEXTS, MIN_WORDS, TextSample, count_words, language_of

CHAT = {
    "de": "Ich suche einen lustigen Film für heute Abend, in dem die Schauspieler wirklich gut sind. Was ist mit dem hier?",
    "fr": "Je cherche un film drôle pour ce soir. Avez-vous vu le nouveau film avec Tom Hanks ? Il est vraiment bon.",
    "es": "Busco una película divertida para esta noche. ¿Has visto la nueva de Tom Hanks? Dicen que es muy muy buena.",
    "nl": "Ik zoek een grappige film voor vanavond. Heb je de nieuwe film met Tom Hanks gezien? Hij is echt heel goed.",
    "en": "I am looking for a funny film for tonight. Have you seen the new one with Tom Hanks? It is really very good.",
    "ja": "今晩、家族みんなで気軽に見られる面白い映画を探しています。",
    "zh": "今晚我想找一部全家人都可以一起看的有趣的电影。",
    "ko": "오늘 밤에 가족과 함께 볼 수 있는 재미있는 영화를 찾고 있어요. 톰 행크스가 나오는 새 영화를 본 적이 있나요? "
    "정말 좋은 영화예요. 제 아이들은 여섯 살과 여덟 살이에요.",
    "th": "คืนนี้อยากดูหนังตลกสบาย ๆ กับครอบครัว มีเรื่องไหนแนะนำบ้างไหม",
}


@pytest.mark.parametrize("code", CHAT)
def test_a_few_sentences_of_chat_tell_their_language(code: str) -> None:
    guess = language_of([CHAT[code]])
    assert guess.code == code
    assert guess.is_enough
    assert guess.is_clear
    assert guess.has_spaces == (code not in ("ja", "zh", "th"))


@pytest.mark.parametrize(
    "texts",
    [
        (),
        ("",),
        ("ok", "Fargo", "yes please"),
        ("1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22", "!!"),
        ("Fargo. Heat. Alien. Babel. Drive. Amélie. Roma. Okja. Tenet. Up. Coco. Ran. Ikiru. Das Boot. La La Land.",),
        ("@12 @13 w17 w1 w3 x7 w3 w5 w7 q8 w17 w1 w3 x7 w3 w5 w7 q8 w17 w1 w3 x7 w3 w5 w7 q8",),
        ("Das ist gut.",) * 50,  # the same three words
    ],
)
def test_too_little_text_and_lists_of_titles_tell_none(texts: tuple[str, ...]) -> None:
    guess = language_of(texts)
    assert (guess.code, guess.share, guess.is_enough, guess.is_clear) == (None, 0.0, False, False)


def test_half_and_half_is_no_clear_language() -> None:
    guess = language_of([CHAT["de"], CHAT["en"]])
    assert guess.code in ("de", "en")
    assert guess.is_enough
    assert not guess.is_clear


@pytest.mark.parametrize(
    ("texts", "languages"),
    [
        ([CHAT["de"]], ("de",)),
        ([CHAT["de"], CHAT["en"]], ("de", "en")),
        ([CHAT["de"], CHAT["en"], CHAT["fr"]], ("de", "en", "fr")),
        ([CHAT["en"], "Have you seen Fargo?"] + [f"{CHAT['en']} {n}" for n in range(9)] + [CHAT["zh"]], ("en",)),
        (["ok", "Fargo"], ()),
        ([], ()),
    ],
)
def test_the_main_languages_are_those_of_a_fifth_of_the_words(texts: list[str], languages: tuple[str, ...]) -> None:
    sample = TextSample()
    sample.add_all(texts)
    assert sample.main_languages() == languages


def test_films_of_another_language_change_nothing() -> None:
    guess = language_of(
        [CHAT["de"], "Dann schau doch Inception, The Dark Knight, Forrest Gump oder The Lord of the Rings."]
    )
    assert guess.code == "de"
    assert guess.is_clear


def test_words_are_counted_by_spaces_and_characters_where_there_are_none() -> None:
    assert count_words("It's Fargo (1996), isn't it?") == 4  # It's, Fargo, isn't, it
    assert count_words("我喜欢 Fargo") == 4  # three characters and a word
    assert count_words("2001 !!") == 0


def test_of_very_many_texts_evenly_spaced_ones_are_read_and_the_last_part_is_among_them() -> None:
    sample = TextSample()
    for number in range(10 * MAX_TEXTS):
        sample.add(f"{CHAT['en'] if number < 5 * MAX_TEXTS else CHAT['de']} {chr(97 + number % 26)}{number}")
    guess = sample.guess()
    assert 0.4 < guess.share < 0.6  # half of what was read
    assert guess.words < 2 * (MAX_TEXTS + 1) * 30
    again = TextSample()
    for number in range(10 * MAX_TEXTS):
        again.add(f"{CHAT['en'] if number < 5 * MAX_TEXTS else CHAT['de']} {chr(97 + number % 26)}{number}")
    assert again.guess() == guess


def test_one_word_fewer_than_enough_is_not_enough() -> None:
    words = CHAT["en"].split()
    assert language_of([" ".join(words[: MIN_WORDS - 1])]).code is None
    assert language_of([" ".join(words[:MIN_WORDS])]).code == "en"


def test_the_model_is_loaded_when_it_is_asked_and_not_before() -> None:
    code = (
        "import sys, trialogue, trialogue.languages, trialogue.findings.languages; sys.exit('py3langid' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


@pytest.mark.parametrize(
    ("texts", "code"),
    [
        (["नमस्ते", "कैसे हो?", "ठीक हूँ", "फिल्म देखो", "कौन सी?", "दंगल", "शुक्रिया", "हाँ", "नहीं", "ठीक"], "hi"),
        (["다크 나이트 추천해요", "좋아요 감사합니다"], "ko"),
        (["Μου αρέσει", "Δεν ξέρω"], None),  # four words
        (["Μου αρέσει πολύ", "Δεν ξέρω"], "el"),
        (["Привет", "Какой фильм посоветуете?", "Комедию"], "ru"),
        (["Heat", "Alien", "Привет, да"], None),
    ],
)
def test_an_alphabet_of_few_languages_tells_more_than_the_words(texts: list[str], code: str | None) -> None:
    assert language_of(texts).code == code


def test_vowel_signs_are_of_their_words() -> None:
    assert count_words("मुझे एक अच्छी फिल्म देखनी है।") == 6
    assert count_words("cafe\u0301 noir") == 2


@pytest.mark.parametrize(
    ("text", "has_spaces"),
    [
        ("我 喜欢 科幻 电影 ， 你 有 什么 推荐 吗 ？", True),
        ("我喜欢科幻电影，你有什么推荐吗？", False),
        ("好的。 谢谢你的推荐。 我今晚就去看这部电影。 非常感谢！", False),  # spaces between sentences
        ("ฉัน ชอบ ดู หนัง ตลก มาก และ อยาก ได้ คำ แนะนำ ใหม่", True),
        ("คืนนี้อยากดูหนังตลกสบาย ๆ กับครอบครัว มีเรื่องไหนแนะนำบ้างไหม", False),
        ("面白い 映画 を 探し て い ます 。 今晩 家族 で 見 ます", True),
    ],
)
def test_segmented_texts_have_spaces_between_words(text: str, has_spaces: bool) -> None:
    assert language_of([text]).has_spaces is has_spaces


def test_short_texts_without_spaces_are_not_segmented() -> None:
    assert not language_of(["好的", "好", "谢谢你", "可以", "没有"]).has_spaces
