"""Changes of the tables, one after the other; a database of any released version gets to the present one."""
