"""What Trialogue answers: a folder for each question, with its estimates, its ``pages`` and the ``commands`` that run it."""
