"""HTTP: applications with our error contract, streams, requests, access."""
