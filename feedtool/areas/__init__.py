"""The areas of the service: each is a folder that declares its feeds, rules and exports."""
