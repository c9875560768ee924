"""The explorer: a static page beside the report that leads from any number to the dialogues behind it, with no server.

``explorer.html`` loads the scripts of ``explorer/app`` and the data of ``explorer/data``, which are scripts too, for a page
that lies on a disk may load scripts beside it, but fetch nothing. It shows what records and scores hold, and computes
nothing but which rows a filter leaves.
"""
