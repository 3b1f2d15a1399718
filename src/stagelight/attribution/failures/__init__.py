"""The failures: the page of each, one file each, listed in ``stagelight.attribution.registry``."""
