"""A worker that does as it is told: sleeps, dies, or tells its process id; and says that it lives, if asked."""

import json
import os
import queue
import sys
import threading
import time


def main():
    asked = queue.SimpleQueue()
    threading.Thread(target=listen, args=(asked,), daemon=True).start()
    while True:
        body = asked.get()["body"]
        say({"message": "at work"})
        time.sleep(body.get("seconds", 0))
        if body.get("die"):
            os._exit(3)
        if "signal" in body:
            os.kill(os.getpid(), body["signal"])
        if "fail" in body:
            say({"failure": body["fail"]})
            continue
        say({"result": os.getpid()})


def listen(asked):
    for line in sys.stdin:
        request = json.loads(line)
        if request["job"] == "pulse":
            say({"pulse": True})
        else:
            asked.put(request)
    os._exit(0)


def say(content):
    sys.stdout.write(json.dumps(content, separators=(",", ":")) + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
