"""`python -m semilar` is `semilar`."""

from semilar.cli.main import run

if __name__ == "__main__":
    run()
