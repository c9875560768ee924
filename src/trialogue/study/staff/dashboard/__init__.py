"""The dashboard: how far a study is, as counts and glances."""
