# SPDX-License-Identifier: Apache-2.0
"""`shown_file`: a file as its user sees it, the cell of a notebook included."""

from __future__ import annotations

import sys


def shown_file(filename: str) -> str:
    """Name a notebook's cell as the notebook does, `In[3]`; any other file as it is."""
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython is not None else None
    name_of = getattr(getattr(shell, "compile", None), "format_code_name", None)
    # Public since IPython 8: returns ("Cell", "In[3]") for a cell's file, else None.
    named = name_of(filename) if name_of is not None else None
    return str(named[1]) if named else filename
