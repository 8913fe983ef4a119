"""Local-privacy meaning: distribution estimation under utility-optimised local differential privacy (ULDP).

Source of the mathematics: "Fundamental Limit of Discrete Distribution Estimation under Utility-Optimized
Local Differential Privacy" (arXiv 2509.24173). docs/uldp.md says what is computed and how it is checked.
"""

#: Enters the content key of every result of the local-privacy study: raise it whenever one can change.
ULDP_VERSION = "1"
