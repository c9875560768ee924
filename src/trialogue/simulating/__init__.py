"""Hold dialogues of simulated users with agents, as a study file says: agents, users, baselines, models and their costs."""
