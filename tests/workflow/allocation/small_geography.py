"""A small geography, as a table of geounits and as geocodes, and an allocation that names the table."""

from __future__ import annotations

LEVELS = ("US", "State", "County", "Block")
ABSORBING = ("State", "County")
# State 1 has one county, with one block; state 2 a county with one block and one with two.
TABLE = """\
level,geoid,parent,name
Block,b1,11,
Block,b3,22,
US,us,,all of it
State,1,us,
State,2,us,"two, 2"
County,11,1,
County,21,2,
County,22,2,

Block,b4,22,
Block,b2,21,
"""
GEOCODES = "geocode\n1011\n2011\n2021\n2022\n"
ALLOCATION = """\
name: made_up
title: Made up
source: this test
neighbours: bounded
total_rho: 4
levels: [US, State, County, Block]
queries: [total]
budget:
  US: {rho: {total: 1}}
  State: {rho: {total: 1}}
  County: {rho: {total: 1}}
  Block: {rho: {total: 1}}
bypass:
  levels: [State, County]
  patterns: {geounits: g.csv}
"""
