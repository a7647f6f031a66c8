"""The HTTP service and its web page. Importing it needs the `serve` extra, never torch.

`app.create_app` builds the application around one shared function that restores a photo;
`starting` starts the server. Pictures live in memory only and are forgotten with the answer.
"""

from semilar.serve.hosts import LOCAL_NAMES, check_name, names_for
from semilar.serve.settings import Limits, ServiceSettings
from semilar.serve.starting import Address, ServicePlan, serve

__all__ = [
    "LOCAL_NAMES",
    "Address",
    "Limits",
    "ServicePlan",
    "ServiceSettings",
    "check_name",
    "names_for",
    "serve",
]
