"""Writes a file for each task, with the addresses of the sites, all of which have to be set."""
import json
import os

SITES = ("REDDIT", "SHOPPING", "SHOPPING_ADMIN", "GITLAB", "WIKIPEDIA", "MAP", "HOMEPAGE")
assert all(os.environ.get(site) for site in SITES), "Please setup the URLs to each site."
with open("config_files/test.raw.json") as file:
    raw = file.read()
for site in SITES:
    raw = raw.replace(f"__{site}__", os.environ[site])
for index, item in enumerate(json.loads(raw)):
    with open(f"config_files/{index}.json", "w") as file:
        json.dump(item, file)
