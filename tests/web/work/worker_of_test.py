"""A worker that does as it is told: sleeps, dies, or tells its process id."""

import json
import os
import sys
import time


def main():
    for line in sys.stdin:
        body = json.loads(line)["body"]
        say({"message": "at work"})
        time.sleep(body.get("seconds", 0))
        if body.get("die"):
            os._exit(3)
        if "fail" in body:
            say({"failure": body["fail"]})
            continue
        say({"result": os.getpid()})


def say(content):
    sys.stdout.write(json.dumps(content, separators=(",", ":")) + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
