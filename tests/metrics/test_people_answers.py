"""People's answers become scores once, whether they stand on the records or come in files of their own."""

from collections.abc import Sequence

from trialogue.metrics import conversations_of, measure, offline_conversations
from trialogue.metrics.human_ratings import FiledAnswers, filed_scores, rating_scores, ratings_among
from trialogue.records import Dialogue, MeasureName, Raters, Rating, Response, Score, Situation, Utterance

USER = Utterance(speaker="user", text="hello")


def talk(*ratings: Rating, of_reply: Sequence[Rating] = ()) -> Dialogue:
    reply = Utterance(speaker="system", text="try Heat", ratings=tuple(of_reply))
    return Dialogue(id="t1", system="crs", user="P1", utterances=(USER, reply, USER), ratings=ratings)


def rated(**fields: object) -> Score:
    """Somebody's 4 for meaningfulness."""
    given = {"measure": "human:meaningfulness", "value": 4.0, "system": "crs", "rater": "P1", **fields}
    return Score.model_validate(given)


def four(rater: str = "P1") -> Rating:
    return Rating(name="meaningfulness", value=4.0, rater=rater)


WHOLE = rated(level="dialogue", dialogue_id="t1")
TURN = rated(level="utterance", dialogue_id="t1", utterance=1)


def test_an_answer_in_a_file_gives_the_same_score_as_one_on_the_record() -> None:
    held = list(conversations_of([talk(four(), of_reply=[four()])]))
    bare = list(conversations_of([talk()]))
    filed = FiledAnswers.select([WHOLE, TURN], bare)
    expected = [score for each in held for score in rating_scores(each)]
    assert [score.measure for score in expected] == ["human:meaningfulness", "human:meaningfulness@response"]
    assert [score for each in bare for score in rating_scores(each, filed)] == expected
    of_records, of_files = (measure(of, ratings_among(of, by)) for of, by in ((held, FiledAnswers()), (bare, filed)))
    assert of_records == of_files
    assert filed.unmatched == 0


def test_replies_to_situations_are_rated_under_their_situation() -> None:
    situation = Situation(id="s1", context=(USER,))
    reply = Response(situation_id="s1", system="crs", utterance=Utterance(speaker="system", text="try Heat"))
    (conversation,) = offline_conversations([situation], [reply])
    filed = FiledAnswers.select([rated(level="response", situation_id="s1")], [conversation])
    (score,) = rating_scores(conversation, filed)
    assert (score.measure, score.situation_id, score.value) == ("human:meaningfulness@response", "s1", 4.0)


def test_a_dialogue_does_not_take_the_rating_of_a_situation_of_the_same_name() -> None:
    conversations = list(conversations_of([talk()]))
    filed = FiledAnswers.select([rated(level="response", situation_id="t1")], conversations)
    assert not filed.by_unit
    assert filed.unmatched == 1


def test_an_answer_that_the_record_holds_is_not_counted_twice() -> None:
    for own in (four(), four("user")):  # "user" is P1, who took part
        (conversation,) = conversations_of([talk(own)])
        filed = FiledAnswers.select([WHOLE], [conversation])
        assert not filed.by_unit
        assert filed.unmatched == 0
        assert len(list(rating_scores(conversation, filed))) == 1
    (conversation,) = conversations_of([talk(four("P2"))])
    filed = FiledAnswers.select([WHOLE], [conversation])
    assert [score.rater for score in rating_scores(conversation, filed)] == ["P2", "P1"]


def test_answers_about_something_else_and_about_what_users_say_are_counted_as_left_out() -> None:
    elsewhere = rated(level="dialogue", dialogue_id="t2")
    of_user = rated(level="utterance", dialogue_id="t1", utterance=0)
    filed = FiledAnswers.select([elsewhere, of_user, WHOLE], conversations_of([talk()]))
    assert (filed.given, filed.unmatched) == (3, 2)


def test_scores_of_metrics_and_skipped_questions_are_no_answers() -> None:
    scores = [
        rated(level="dialogue", dialogue_id="t1", measure="length@words|v1", rater=None),
        rated(level="dialogue", dialogue_id="t1", value=None, why="skipped"),
    ]
    assert FiledAnswers.select(scores, conversations_of([talk()])) == FiledAnswers()
    assert (FiledAnswers().given, FiledAnswers().unmatched) == (0, 0)


def test_who_rated_makes_an_answer_not_how_its_question_is_spelled() -> None:
    conversations = list(conversations_of([talk()]))
    labelled = WHOLE.model_copy(update={"measure": MeasureName("relevance"), "rater": "aggregate"})  # as benchmarks do
    filed = FiledAnswers.select([labelled], conversations)
    assert [human.measure for human in ratings_among(conversations, filed)] == ["human:relevance"]


def test_the_kind_of_rater_is_kept() -> None:
    (conversation,) = conversations_of([talk()])
    scripted = WHOLE.model_copy(update={"raters": Raters.SCRIPTED})
    filed = FiledAnswers.select([scripted], [conversation])
    (human,) = ratings_among([conversation], filed)
    assert human.raters == (Raters.SCRIPTED,)


def test_what_files_say_of_single_replies_can_be_had_alone() -> None:
    (conversation,) = conversations_of([talk(of_reply=[four("P2")])])
    filed = FiledAnswers.select([WHOLE, TURN], [conversation])
    (score,) = filed_scores(conversation, filed)
    assert (score.rater, score.utterance, score.measure) == ("P1", 1, "human:meaningfulness@response")
