"""The compiler that torch.compile calls."""

from __future__ import annotations

import os
import shutil
import sys


def has_compiler() -> bool:
    """Return whether the C++ compiler is there: `CXX`, or the one that PyTorch takes without it."""
    usual = "clang++" if sys.platform == "darwin" else "g++"
    return shutil.which(os.environ.get("CXX", usual)) is not None
