"""The gaps of each notebook: inputs, hints and wrong answers."""
