"""The style and the scripts that every page has. A file may come in if two pages need it."""
