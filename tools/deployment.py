"""Serve a stand-in for a deployed Azure sample on loopback: `python -m tools.deployment` prints the URL to paste."""

import argparse
import threading
from contextlib import suppress

from tests.features.demo.serving import serving
from tests.stand_ins.deployment import Deployment
from tests.stand_ins.samples import java, javascript, postgres
from tests.stand_ins.stand_in import StandIn, in_thread

PAUSE = 0.05
OTHERS = {"javascript": (javascript, "/chat"), "postgres": (postgres, "/chat"), "java": (java, "/api/chat")}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("kind", nargs="?", default="demo", choices=["demo", *OTHERS])
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--login", action="store_true", help="accept only a token, with uploads and history (demo)")
    parser.add_argument("--on", nargs="+", default=[], metavar="KEY", help="keys of /config that are true (demo)")
    asked = parser.parse_args()
    deployment = Deployment(pause=PAUSE)
    with suppress(KeyboardInterrupt):
        if asked.kind != "demo":
            rule, path = OTHERS[asked.kind]
            with in_thread(StandIn(rule(PAUSE), has_config=True), port=asked.port) as other:
                print(f"{other.url}{path}", flush=True)
                threading.Event().wait()
        deployment.config |= dict.fromkeys(["showSpeechOutputAzure", *asked.on], True)
        if asked.login:
            deployment.config |= {"showUserUpload": True, "showChatHistoryCosmos": True}
            deployment.tokens["token-of-ana"] = "ana"
        with serving(deployment.app, asked.port) as url:
            print(f"{url}/chat", *(["with the bearer token token-of-ana"] if asked.login else []), flush=True)
            threading.Event().wait()


if __name__ == "__main__":
    main()
