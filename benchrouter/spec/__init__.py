"""What files say: benchmark.yaml, task.yaml, benchrouter.yaml and Dockerfiles, as frozen types."""
