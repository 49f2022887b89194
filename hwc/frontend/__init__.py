"""Reading a program: operations that know their place in the text, errors that point at it."""
