"""`python -m rag_server` is `sage-rag`."""

from sage_rag.rag_server.cli import main

main()
