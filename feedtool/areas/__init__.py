"""What the service's areas are: a folder each, which declares its feeds, rules and exports."""
