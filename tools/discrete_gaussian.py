"""The transform of one discrete Gaussian cell, P(x) proportional to exp(-rho x^2 / 2), in ball arithmetic."""

import math
from functools import cache

import numpy as np
from flint import acb, arb, ctx, fmpq

ctx.prec = 192


def ball(x):
    """The ball around a number."""
    return arb(fmpq(*x.as_integer_ratio()))


@cache
def base(rho):
    """tau of a cell and theta_3(0, tau), theta_3(u, tau) = sum exp(-rho x^2 / 2 + 2 pi i u x)."""
    tau = acb(0, ball(rho) / (2 * arb.pi()))
    return tau, acb.modular_theta(acb(0), tau)[2]


def theta(rho, lam, turns):
    """E exp(lam rho x + 2 pi i turns x) for one cell."""
    tau, norm = base(rho)
    return acb.modular_theta(acb(turns, -tau.imag * lam), tau)[2] / norm


def loss(rho, turns):
    """-ln phi or less, phi = |E exp(2 pi i u x)| <= exp(-a u^2) (1 + exp(a (2u - 1))) by Poisson's series."""
    a, u = 2 * math.pi**2 / float(rho), np.abs(turns - np.rint(turns))
    return np.maximum(a * u**2 - np.exp(a * (2 * u - 1)), 0)
