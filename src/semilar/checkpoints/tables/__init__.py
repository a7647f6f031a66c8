"""One file for every public layout, or for a family of them."""
