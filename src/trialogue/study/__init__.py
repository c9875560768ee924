"""People judge: a web study from consent to export. It makes Scores, Dialogues and labels, and never sees what analyses them."""
