"""From text to sparse matrices: scikit-learn transformers."""
