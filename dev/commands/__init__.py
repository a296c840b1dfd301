"""What the Makefile's targets do."""
