"""Make a hub cache that holds six documents in the form of MMMU's validation split: `make_hub.py DIRECTORY`.

It has the layout that `datasets` leaves when it has loaded lmms-lab-encoder/MMMU from the hub.
"""

import json
import shutil
import sys
import tempfile
from pathlib import Path

import datasets
from PIL import Image

COLOURS = ("red", "green", "blue", "yellow")
TEXTS = ("id", "question", "options", "explanation", "question_type", "subfield", "img_type", "answer")
IMAGES = tuple(f"image_{number}" for number in range(1, 8))


def row(number: int) -> dict:
    """Give a document: what colour a small picture has."""
    made: dict = dict.fromkeys((*TEXTS, *IMAGES))
    made.update(id=f"validation_Art_{number}", question_type="multiple-choice", img_type="['Icons']")
    made.update(question=f"<image 1> Which colour is picture {number}?", options=str(list(COLOURS)))
    made.update(answer="ABCD"[number % 4], image_1=Image.new("RGB", (32, 32), COLOURS[number % 4]))
    return made


def main(hub: Path) -> None:
    """Write the cache."""
    features = {**{name: datasets.Value("string") for name in TEXTS}, **{name: datasets.Image() for name in IMAGES}}
    rows = [row(number) for number in range(1, 7)]
    with tempfile.TemporaryDirectory() as scratch:
        parquet = Path(scratch, "validation.parquet")
        datasets.Dataset.from_list(rows, features=datasets.Features(features)).to_parquet(str(parquet))
        datasets.load_dataset("parquet", data_files={"validation": str(parquet)}, cache_dir=f"{scratch}/cache")
        (made,) = Path(scratch, "cache").glob("parquet/*/0.0.0/*/dataset_info.json")
        target = hub / "datasets" / "lmms-lab-encoder___mmmu" / "default" / "0.0.0" / ("0" * 40)
        shutil.copytree(made.parent, target)
    info = json.loads((target / "dataset_info.json").read_text())
    info.update(dataset_name="mmmu", config_name="default")
    (target / "dataset_info.json").write_text(json.dumps(info))
    for path in target.glob("parquet-*.arrow"):
        path.rename(target / path.name.replace("parquet-", "mmmu-"))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
