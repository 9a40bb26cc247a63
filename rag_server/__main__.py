"""`python -m rag_server` is `sage-rag`."""

from rag_server.cli import main

main()
