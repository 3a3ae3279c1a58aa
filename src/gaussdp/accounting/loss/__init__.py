"""The privacy loss of steps and of their composition: outputs, tilted laws, cumulants, and what has a closed form."""
