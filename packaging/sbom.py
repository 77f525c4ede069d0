"""Reads the output of `cargo metadata` and writes a software bill of materials (CycloneDX 1.5) of the binary."""

import json
import sys


def main():
    metadata = json.load(sys.stdin)
    packages = {package["id"]: package for package in metadata["packages"]}
    nodes = {node["id"]: node for node in metadata["resolve"]["nodes"]}
    root = next(id for id, package in packages.items() if package["name"] == "casebook")
    linked = closure(root, nodes)
    bill = {
        "bomFormat": "CycloneDX",
        "specVersion": "1.5",
        "version": 1,
        "metadata": {"component": component(packages[root], "application")},
        "components": [component(packages[id], "library") for id in sorted(linked - {root})],
        "dependencies": [
            {"ref": reference(packages[id]), "dependsOn": sorted(reference(packages[other]) for other in linked_by(nodes[id]))}
            for id in sorted(linked)
        ],
    }
    json.dump(bill, sys.stdout, indent=1)
    print()


def closure(root, nodes):
    """The packages that are linked into the binary: not those of build scripts and tests."""
    found, waiting = set(), [root]
    while waiting:
        package = waiting.pop()
        if package not in found:
            found.add(package)
            waiting.extend(linked_by(nodes[package]))
    return found


def linked_by(node):
    return [one["pkg"] for one in node["deps"] if any(kind["kind"] is None for kind in one["dep_kinds"])]


def reference(package):
    return f"pkg:cargo/{package['name']}@{package['version']}"


def component(package, kind):
    component = {"type": kind, "name": package["name"], "version": package["version"], "bom-ref": reference(package)}
    if kind == "library":
        component["purl"] = reference(package)
    if package["license"]:
        component["licenses"] = [{"expression": package["license"].replace("/", " OR ")}]
    return component


main()
