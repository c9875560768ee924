"""What an utterance does: the thirteen strategies, labellers that write them onto records, and how far to trust them."""
