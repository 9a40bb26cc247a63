"""`python -m sage_rag.eval.studies NAME --out PAGE.md`: run one study."""

import sys

from sage_rag.eval.studies.runner import main

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
