"""The addresses of the page, one module for each subject."""
