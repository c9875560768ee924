"""The pages of those who run a study: how it goes, who looks unusual, lists for the platform, decisions, the log."""
