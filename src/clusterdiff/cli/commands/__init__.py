"""The commands: one module per command, which is called what the command is called and defines it as ``command``.

A new command comes in as a new module, and the group finds it; what several commands share lies one floor up.
"""
