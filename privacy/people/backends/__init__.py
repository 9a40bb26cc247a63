"""Gender judges that need a library."""
