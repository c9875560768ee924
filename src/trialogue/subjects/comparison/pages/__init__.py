"""What a comparison of two versions says, on a terminal, in a pull request and to CI systems."""
