"""The semi-supervised heart (section 3): teacher, dependable repository, ramps, one step."""
