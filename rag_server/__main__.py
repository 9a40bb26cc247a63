"""`python -m sage_rag.rag_server` runs `sage-rag`."""

from sage_rag.rag_server.cli import main

main()
