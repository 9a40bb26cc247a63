"""The web layer of every service: application, errors, streams, requests, access."""
