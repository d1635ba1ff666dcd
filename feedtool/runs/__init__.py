"""What a run is: one module for each thing that can be done with it."""
