"""``%load_ext stagelight``: watch a notebook, show what a cell traced, and let records show themselves."""
