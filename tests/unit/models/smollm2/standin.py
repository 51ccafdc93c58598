"""Speaks as worker.mjs does, without a model: it says each word of the last message, and does what some of them say."""

import json
import os
import queue
import sys
import threading
import time

heard: "queue.Queue[dict]" = queue.Queue()
cancelled: set = set()


def say(**message: object) -> None:
    print(json.dumps(message), flush=True)


def listen() -> None:
    for line in sys.stdin:
        message = json.loads(line)
        if "cancel" in message:
            cancelled.add(message["cancel"])
        else:
            heard.put(message)
    os._exit(0)


def answer(request: dict) -> None:
    number, words = request["id"], request["messages"][-1]["content"].split()
    if "overflow" in words:
        say(id=number, error={"status": 400, "message": "too long", "code": "context_length_exceeded"})
        return
    say(id=number, prompt_tokens=len(words))
    said = 0
    for word in words:
        if word == "die":
            print("about to die", file=sys.stderr, flush=True)
            os._exit(3)
        if word == "chatter":
            print("this is no message", flush=True)
        for _ in range(1000 if word == "forever" else 1):
            if number in cancelled:
                break
            said += 1
            say(id=number, text=f"{word} ")
            if word == "forever":
                time.sleep(0.02)
    how = "cancelled" if number in cancelled else "done"
    print(f"request {number} {request['lane']}: {how}", file=sys.stderr, flush=True)
    say(id=number, done={"finish": "stop", "prompt_tokens": len(words), "completion_tokens": said})


if os.environ.get("STANDIN") == "broken":
    sys.exit("cannot load the model")
threading.Thread(target=listen, daemon=True).start()
say(ready={"node": "none"})
while True:
    answer(heard.get())
