"""Methods texts of a passport, with their sources. No other module words them."""

from trialogue.subjects.simulated_users.records import Behavior, Folds

PARTS = "The parts are reported separately, without a total: resembling people does not show that rankings are right."
FOLDS_TEXT = {
    Folds.PERSON: "five folds by user",
    Folds.PERSON_AND_AGENT: "five folds by user, in each of which every agent is held out in turn; pairs are from one agent",
}


def methods_of(behavior: Behavior | None) -> tuple[str, ...]:
    """Sentences for the page."""
    folds = FOLDS_TEXT[behavior.folds if behavior is not None else Folds.PERSON]
    return (
        PARTS,
        (
            "Behavior: only the user's messages, the number of turns and who ended the dialogue are considered. "
            "Distances are "
            "means over 200 random halves of the real users, each against as many simulated dialogues; the yardstick "
            "is the "
            "same half against the other half. Intervals are percentiles over the halves."
        ),
        (
            f"The classifier is a ridge logistic regression on standardised features, cross-validated in {folds}. "
            "Intervals of AUCs: jackknife over users on the logit, t; the variance of a cross-validated AUC is "
            "multiplied by 2.25 (Nadeau and Bengio 2003), since folds that learn from each other are not independent. "
            "At equal lengths: as many simulated as real dialogues in every cell of ten bins of "
            "words per "
            "message by ten bins of messages. Split-half: the same classifier on 20 random halves of the real users."
        ),
        (
            "Ranking validity: means over dialogues; rank intervals resample users, and the systems are fixed. "
            "Concordance is "
            "the share of pairs of systems in the same order, ties as a half. The p-value is that of Spearman's "
            "correlation "
            "over all orders of up to seven systems, and over 10,000 random ones beyond. "
            "With fewer than five systems nothing is concluded."
        ),
        (
            "Known groups: the same users meet an agent and the same agent with a share of its replies replaced. "
            "Changes are "
            "paired by user. Users needed for a change: power .8 at a two-sided level of .05, from the spread of the "
            "paired "
            "changes; for the whole order: the smallest of the sizes tried (10 to 2,000) from which on 80% of "
            "resamples fall "
            "with every dose."
        ),
        (
            "Stability: the range of a system's means over seeds or versions, next to the range that normal means "
            "with the same "
            "standard errors have. With five or more levels, shares of variance by mean squares of two crossed random "
            "factors, "
            "intervals by a jackknife over levels."
        ),
        (
            "Gates: seven detectors of users who do not behave as users run on each dialogue; shares are of "
            "dialogues that could "
            "show the fault."
        ),
    )


SOURCES = (
    "Lopez-Paz and Oquab, Revisiting Classifier Two-Sample Tests, ICLR 2017.",
    "Shao and Wu, A General Theory for Jackknife Variance Estimation, Annals of Statistics 17, 1989.",
    "Lin, Divergence Measures Based on the Shannon Entropy, IEEE Transactions on Information Theory 37, 1991.",
    "Iacus, King and Porro, Causal Inference without Balance Checking: Coarsened Exact Matching, Political Analysis "
    "20, 2012.",
    "Cronbach and Meehl, Construct Validity in Psychological Tests, Psychological Bulletin 52, 1955.",
    "Searle, Casella and McCulloch, Variance Components, Wiley 1992.",
    "Zhang and Balog, Evaluating Conversational Recommender Systems via User Simulation, KDD 2020.",
    "SimEval-IR, arXiv 2604.27878: likeness by a classifier and validity of rankings correlate at .09 over 48 "
    "simulators.",
)
