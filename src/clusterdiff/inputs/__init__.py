"""What people pass: one class per kind of input, with the options that it takes and how its points are matched.

What tells kinds of input apart comes in; what compares points that are laid over each other belongs in `diff`.
"""
