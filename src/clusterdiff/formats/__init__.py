"""Files that are not tables: documents of mentions, lists of labels or clusters, arrays and images.

One reader per format, from a path to a Clustering or a Corpus.
"""
