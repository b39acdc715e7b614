"""What finds, runs, resumes and reports experiments."""
