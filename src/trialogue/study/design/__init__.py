"""Study design without Django: study file, questions, assignment and flow."""
