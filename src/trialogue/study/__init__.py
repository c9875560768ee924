"""People judge: a web study from consent to export. It makes scores, dialogues and labels, and knows no analysis."""
