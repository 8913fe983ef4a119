"""The certificate: right results pass, planted faults do not; the checker sees every flipped digit."""
