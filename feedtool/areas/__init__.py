"""The areas of the marketplace, each a folder that declares what it can do."""
