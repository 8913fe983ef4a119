"""Accounting of discrete Gaussian noise: compositions, their exact guarantees, and the Census's use of them.

Rooms, each importing only from those before it: composition, settings, result (what is stored),
profile_point, attack, bounds/ (zCDP, Gaussian limit), tradeoff/ (f from the profile, or from a table),
plan_summary, sum_law, mixture (cells taken out), tiers (one plan, both tiers), inverse (eps and reductions
as roots), accountant (every question), evaluate (all that is stored), loss_distribution, census/ (allocations
and their mechanisms), closeness/ (to the Gaussian limit), design/ (allocations from allocations). Those up to
tradeoff/, sum_law, census/ and design/rescale need no compiler.
"""
