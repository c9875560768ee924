"""Users who know the item they are after: their need, and detection of its title in what they say."""

import re
from collections.abc import Sequence

from trialogue.records import Need
from trialogue.simulation.users.kinds import World


def target_need(need: Need) -> Need:
    """Variant of a need that only its first target satisfies, with a distinct id."""
    first = need.targets[:1]
    return need.model_copy(update={"id": f"{need.id}-target", "targets": first, "acceptable": first})


class TitleDetector:
    """Detects the titles of some items in texts: as the linker finds them, or written out between word boundaries."""

    def __init__(self, items: Sequence[str], world: World, *, with_other_titles: bool = False) -> None:
        """Prepare the search.

        Args:
            items: ids; those that are not in the world's catalogue have no title.
            world: catalogue and linker.
            with_other_titles: whether an item's other titles are looked for word by word, too; the linker always knows them.
        """
        self._items, self._linker = frozenset(items), world.linker
        known = [world.catalogue[item] for item in items if item in world.catalogue]
        titles = [title for item in known for title in (item.title, *(item.other_titles if with_other_titles else ()))]
        self._titles = [re.compile(rf"(?<!\w){re.escape(title)}(?!\w)", re.IGNORECASE) for title in titles if title]

    def names(self, text: str) -> bool:
        """Whether a text names one of the items."""
        found = any(each.item_id in self._items for each in self._linker.find(text))
        return found or any(title.search(text) for title in self._titles)
