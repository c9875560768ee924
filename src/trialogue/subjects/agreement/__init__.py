"""Agreement of metrics with human judgements."""
