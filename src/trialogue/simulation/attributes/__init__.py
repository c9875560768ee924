"""Users who know one item and answer questions about its attributes, without a language model (iEvaLM's attribute mode)."""
