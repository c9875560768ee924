"""Page, figures and exports of a board of many runs."""
