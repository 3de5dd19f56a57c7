"""Small faults put into the code on purpose: whatever changes an answer must make a test fail."""
