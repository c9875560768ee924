"""What a study is, without Django: its file, its questions, who sees what, and what comes next."""
