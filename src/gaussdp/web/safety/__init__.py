"""What stands between the network and the views: each file one concern, all plain ASGI."""
