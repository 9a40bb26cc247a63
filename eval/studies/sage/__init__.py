"""The study of SAGE: leakage, utility and cost of its indexes, next to the paper's figures."""
