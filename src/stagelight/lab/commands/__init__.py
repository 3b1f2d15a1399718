"""What can be said after ``stagelight learn``: one file each, named as the command is."""
