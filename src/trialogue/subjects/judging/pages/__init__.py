"""What judges and labels say about systems, as a document, and plain text on cost, labels and votes."""
