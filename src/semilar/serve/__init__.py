"""The HTTP service and its web page. Importing it needs the `serve` extra, never torch.

`app.create_app` builds the application around one shared function that restores a photo;
`running` starts the server. Pictures live in memory only and are forgotten with the answer.
"""
