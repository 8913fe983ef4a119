"""The certificate of a result file: made, and kept while it stands."""
