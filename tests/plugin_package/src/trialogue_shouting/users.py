"""Users who give up soon: bundled ones with an option set, under a name of their own."""

from trialogue.simulation import UserModel, load_users


def shouters() -> UserModel:
    """Users of CIR6 with a personal knowledge graph, and the patience of two failed replies."""
    return load_users("cir6-pkg", patience=2)
