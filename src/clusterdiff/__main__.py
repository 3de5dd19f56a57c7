"""``python -m clusterdiff``: the command, where its script is not on the path."""

from clusterdiff_command import main

if __name__ == "__main__":
    main()
