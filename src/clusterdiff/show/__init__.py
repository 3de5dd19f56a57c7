"""Pictures, pages and files made of results.

What turns a result into something to look at or to keep may come in; it reads only the public parts of results.
"""
