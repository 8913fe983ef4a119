"""The references agree with each other and with published figures."""
