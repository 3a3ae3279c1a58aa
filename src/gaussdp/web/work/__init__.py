"""What takes longer than a frame: done in processes of its own, which can be stopped."""
