"""Numbers at the ends of the scale: results do not depend on the scale of weights, features or distances."""
