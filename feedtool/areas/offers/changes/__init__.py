"""Changes of offers since the service last accepted them, and guards that hold rows."""
