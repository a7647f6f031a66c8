"""Datasets: labeled pairs, unlabeled photos, weak and strong views, the order they come in."""
