"""Reading a program: operations that know their location in the text, errors that point to it."""
