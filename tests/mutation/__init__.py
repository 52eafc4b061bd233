"""The mutation proof: changes of one line to the package, which a notebook or a test notices."""
