"""Partial truth: what people judged of some points, what follows from it, and what it says of a whole run.

What reads judgements, samples or reviews of a clustering may come in; no measure, and nothing that prints.
"""
