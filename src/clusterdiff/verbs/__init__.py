"""What users call: each verb hands what it gets to the room that knows it.

Dispatch and nothing else; a verb that computes belongs in a room below.
"""
