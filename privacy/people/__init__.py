"""Names of people: how they are read, which mentions are one person, which gender they suggest."""
