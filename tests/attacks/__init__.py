"""The labels of the attack sets, proven without any guard, and a fuzzer for the guards."""
