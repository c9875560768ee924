"""Database migrations; a database of any released version can be migrated to the current one."""
