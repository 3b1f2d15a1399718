"""The causes: one file each, listed in ``stagelight.attribution.registry``."""
