"""Says what promptfoo's own model would say, so that no model is needed."""
import json
from http.server import BaseHTTPRequestHandler, HTTPServer

SCRIPT = ["Hello", "A large one, 2 of them", "Yes, please"]


class User(BaseHTTPRequestHandler):
    def do_POST(self):
        history = json.loads(self.rfile.read(int(self.headers["content-length"])))["history"]
        said = len(history) // 2
        body = json.dumps({"result": SCRIPT[said] if said < len(SCRIPT) else "###STOP###"}).encode()
        self.send_response(200)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


HTTPServer(("127.0.0.1", 8123), User).serve_forever()
