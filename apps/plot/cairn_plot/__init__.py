"""What cairn-plot draws, a module for each kind of file."""
