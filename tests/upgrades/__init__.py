"""Every version of memlab opens what the older ones left behind, or says what to do."""
