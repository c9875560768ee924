"""What planned studies can show: tables and figures of power."""
