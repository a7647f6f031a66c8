"""Photos by the million: storage by fsspec, a ledger in Parquet, the work by processes or Ray.

`run` has `bulk`, which is `semilar.bulk`. Workers import no more than they need.
"""
