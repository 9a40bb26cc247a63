"""Names of people: parsing, linking the mentions of one person, gender."""
