"""Train the taggers that the recognizers of names ship with."""
