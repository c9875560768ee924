"""The door: what is decided once about data from outside, after a reader said where things stand and before the records.

``values`` says what is absent, a number and an identifier; ``feedback`` what people's feedback in its usual forms means;
``units`` which rows and entries are one unit, repeated ones, or several under one id; ``admission`` splits what is said
from what is thought and brings texts into one form; ``account`` counts and names what was not read.
"""
