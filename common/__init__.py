"""What every package may use: errors, intervals, fingerprints, workers, and the web layer."""
