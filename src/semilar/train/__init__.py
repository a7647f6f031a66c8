"""Recipes, the training loop, checkpoints and logs."""
