"""Query strategies, one file each: State → utility of each candidate, larger = ask first."""
