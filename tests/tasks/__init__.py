"""Tests of tasks whose outcome a program checks."""
