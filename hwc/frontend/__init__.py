"""Reading a program: text to operations that know their place in it, and errors that point at that place."""
