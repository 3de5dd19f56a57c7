"""Small bundled examples, made up for the purpose."""
