"""A Docker daemon for each job that wants one: its rights, its storage, the images that it begins with."""
