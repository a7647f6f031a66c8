"""The paper's tables and figures as data, run row by row and set beside the printed numbers."""
