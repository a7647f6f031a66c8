"""The command line: one file per verb, put together in `main`."""
