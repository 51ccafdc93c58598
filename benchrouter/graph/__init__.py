"""Pure: specs, models and what the store holds, made into nodes with keys, edges and reasons."""
