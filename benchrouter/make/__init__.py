"""The only code that imports doit: node to task, variables, commands, terminal reporter."""
