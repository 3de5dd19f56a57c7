"""Small bundled examples, made up for the purpose.

Data that fit on a screen may come in, each with a module that reads them.
"""
