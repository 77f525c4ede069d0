"""wheel.py BINARY VERSION PLATFORM DIRECTORY: writes a Python wheel that installs the binary as `casebook`.

A wheel is a zip file with three files of metadata. PyPI has another project named `casebook`, so this is `casebook-cli`.
"""

import base64
import hashlib
import os
import sys
import time
import zipfile

METADATA = """\
Metadata-Version: 2.4
Name: casebook-cli
Version: {version}
Summary: Tests of command-line programs and conversational agents
License-Expression: MIT OR Apache-2.0
License-File: LICENSE-MIT
License-File: LICENSE-APACHE
Requires-Python: >=3.8
Description-Content-Type: text/markdown

{readme}"""

WHEEL = """\
Wheel-Version: 1.0
Generator: casebook
Root-Is-Purelib: false
Tag: {tag}
"""

README = """\
# Casebook

Casebook runs test suites written in YAML: commands with their output, exit code and files, and conversations with agents.

    casebook init
    casebook run
"""


def main(binary, version, platform, directory):
    tag = f"py3-none-{platform}"
    info = f"casebook_cli-{version}.dist-info"
    files = [
        (f"casebook_cli-{version}.data/scripts/casebook", read(binary), 0o755),
        (f"{info}/METADATA", METADATA.format(version=version, readme=README).encode(), 0o644),
        (f"{info}/WHEEL", WHEEL.format(tag=tag).encode(), 0o644),
        (f"{info}/licenses/LICENSE-MIT", read("LICENSE-MIT"), 0o644),
        (f"{info}/licenses/LICENSE-APACHE", read("LICENSE-APACHE"), 0o644),
    ]
    record = "".join(f"{name},sha256={digest(data)},{len(data)}\n" for name, data, _ in files)
    record += f"{info}/RECORD,,\n"
    files.append((f"{info}/RECORD", record.encode(), 0o644))
    path = os.path.join(directory, f"casebook_cli-{version}-{tag}.whl")
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as wheel:
        for name, data, mode in files:
            wheel.writestr(entry(name, mode), data)


def entry(name, mode):
    # The format of a zip file starts in 1980.
    seconds = max(int(os.environ.get("SOURCE_DATE_EPOCH", "0")), 315532800)
    info = zipfile.ZipInfo(name, time.gmtime(seconds)[:6])
    info.compress_type = zipfile.ZIP_DEFLATED
    info.external_attr = (0o100000 | mode) << 16
    return info


def digest(data):
    return base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()


def read(path):
    with open(path, "rb") as file:
        return file.read()


main(*sys.argv[1:])
