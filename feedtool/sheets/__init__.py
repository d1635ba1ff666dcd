"""Spreadsheets in and out, losslessly and in constant memory; knows nothing of marketplaces."""
