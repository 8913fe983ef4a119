"""Re-derives stored results in ball arithmetic (Arb).

Shares no code with the kernels and the accounting: what it takes from a result file is the allocation's text
and the numbers to be checked.
"""
