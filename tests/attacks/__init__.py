"""The labels of the attack batteries, proven without any guard, and a fuzzer for the guards."""
