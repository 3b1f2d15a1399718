"""The advisories: one file each, listed in ``stagelight.attribution.registry``."""
