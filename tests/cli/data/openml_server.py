"""Runs a command beside a server that answers like OpenML, with small sets made by hand.

Usage: openml_server.py COMMAND [ARGUMENT...]

The command finds the server in SOFTWOOD_OPENML_URL. What is asked for is listed in requests.txt.
"""

import hashlib
import http.server
import json
import os
import subprocess
import sys
import threading

FRUIT = """% by hand
@relation fruit
@attribute number numeric
@attribute weight numeric
@attribute colour {green, red}
@attribute kind {apple, plum}
@data
""" + "".join(f"{i},{100 + 7 * (i % 9) if i % 3 else 30 + i % 5},{'green' if i % 2 else 'red'},{'apple' if i % 3 else 'plum'}\n"
              for i in range(1, 31))
SPARSE = "@relation s\n@attribute a numeric\n@data\n{0 1}\n"


def description(number, name, text, **changes):
    entry = {"id": str(number), "name": name, "version": "1", "format": "ARFF", "status": "active",
             "url": f"https://elsewhere.invalid/data/v1/download/{number}/{name}.arff",
             "default_target_attribute": "kind", "row_id_attribute": "number",
             "md5_checksum": hashlib.md5(text.encode()).hexdigest()}
    entry.update(changes)
    return {"data_set_description": entry}


FILES = {"7": FRUIT, "8": SPARSE, "9": FRUIT, "10": FRUIT}
SETS = {
    "7": description(7, "fruit", FRUIT),
    "8": description(8, "sparse", SPARSE, format="Sparse_ARFF"),
    "9": description(9, "broken", FRUIT, md5_checksum="0" * 32),
    "10": description(10, "two", FRUIT, default_target_attribute="colour,kind", row_id_attribute=None,
                      ignore_attribute=["number"]),
}


def error(code, message):
    return 412, json.dumps({"error": {"code": code, "message": message}})


def answer(path):
    parts = path.strip("/").split("/")
    if parts[:3] == ["api", "v1", "json"] and parts[3] == "data":
        if parts[4] == "list":
            if parts[6] == "fruit" and parts[-1] in ("active", "1"):
                return 200, json.dumps({"data": {"dataset": [{"did": 7, "name": "fruit", "version": 1}]}})
            if parts[6] == "berry":
                return 200, json.dumps({"data": {"dataset": [{"did": 1, "version": 1}, {"did": 2, "version": 2}]}})
            if parts[6] == "grape":
                return 200, json.dumps({"data": {}})
            return error("372", "No results")
        if parts[4] in SETS:
            return 200, json.dumps(SETS[parts[4]])
        return error("111", "Unknown dataset")
    if parts[:3] == ["data", "v1", "download"] and parts[3] in FILES:
        return 200, FILES[parts[3]]
    return 404, "nothing here"


class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        with open("requests.txt", "a") as log:
            log.write(self.path + "\n")
        status, body = answer(self.path)
        self.send_response(status)
        self.send_header("Content-Length", str(len(body.encode())))
        self.end_headers()
        self.wfile.write(body.encode())

    def log_message(self, *_):
        pass


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
threading.Thread(target=server.serve_forever, daemon=True).start()
# A cache of the test's own; folders of servers have the names of their addresses.
environment = dict(os.environ, SOFTWOOD_OPENML_URL=f"http://127.0.0.1:{server.server_port}",
                   XDG_CACHE_HOME=os.path.abspath("cache"), no_proxy="127.0.0.1")
sys.exit(subprocess.run(sys.argv[1:], env=environment).returncode)
