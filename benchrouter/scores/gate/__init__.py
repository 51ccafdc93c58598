"""Gates: what scores have to be for a pipeline to go on."""
