"""Models that are asked, one module for each library."""
