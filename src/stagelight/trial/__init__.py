"""Predict what calls would trace, and find out by a controlled experiment which factor traces."""
