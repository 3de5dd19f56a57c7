"""Points: what users hand in (labels, sets, dicts, other libraries' results), read, checked and laid over each other.

Whatever holds one label per point may come in; nothing here knows what two clusterings have in common.
"""
