"""Generative models: multinomial, Bernoulli, categorical and Gaussian mixtures (SPEC A)."""
