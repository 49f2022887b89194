"""A change of a package's keys needs a new version of the format, which every package carries."""

import hashlib
import io
import json
import zipfile
from dataclasses import replace

from unit.package import test_host
from unit.package.test_hwx import example

from hwc.package import OperatorWork, Work, to_bytes
from hwc.package.hwx import FORMAT_VERSION
from hwc.shapes.products import Product
from isa.target import load_target

DIGESTS = {
    3: "48ff25bfc3a375b3bb79c296540d011ed3fba99abc416192dbd75d41a9962fa1",
    4: "1b65305e34264ea388598f14afc9c91afae419bac54445851f566e4f6d98f13a",
    5: "d230f037a6463b4eb0565871bbaa6ea03cb733d254dfa7fb364e1182021f42d7",
    6: "480b831b0304956ad854f5911f364a8ecf5eae189d0debeddcfb5d2333eafa91",
    7: "68506dec3370c4915ba934adbd8acff4ad445aa2f4a2d87421ab9850b6f295fd",
    8: "0e0bdbdb3a2f169c167402325a6a6d1eab5e53b801b25473426e6bc63736c28d",
    9: "c3d868a3bafd45aa4721be42c1275df71ba75a0f4261a9fd461bda8a7ac4f221",
    10: "2ea9ff0f10fdcc2f30a401e309a2798d6e6abaf93c91ef2bdd408847af393ea5",
}
"""Digest of the keys of each version of the format; up to 4 without those of steps on the host."""


def keys(value):
    """The keys and kinds of a JSON value; a list stands for each kind of its elements, once."""
    if isinstance(value, dict):
        return {name: keys(item) for name, item in value.items()}
    if isinstance(value, list):
        kinds = {json.dumps(keys(item), sort_keys=True) for item in value}
        return [json.loads(kind) for kind in sorted(kinds)]
    return type(value).__name__


def layout(target):
    """What a reader of packages has to know: the members' keys, and those of the target.

    Two packages have them all: one with steps on the machine, one with a step on the host.
    """
    found = []
    host = test_host.package(target=target)
    counted = OperatorWork("Conv", 1, (Product(2, (host.symbols[0],)),))
    work = Work(tuple((counted,) for _ in host.steps))
    for package in (example(target=target), replace(host, work=work)):
        with zipfile.ZipFile(io.BytesIO(to_bytes(package))) as members:
            names = [name for name in members.namelist() if name.endswith(".json")]
            found.append({name: keys(json.loads(members.read(name))) for name in names})
    return found


def digest(target):
    return hashlib.sha256(json.dumps(layout(target), sort_keys=True).encode()).hexdigest()


def test_the_keys_are_those_of_the_version():
    found = digest(load_target("accel").to_dict())
    assert max(DIGESTS) == FORMAT_VERSION and DIGESTS[FORMAT_VERSION] == found, (
        f"the keys of a package differ from version {max(DIGESTS)} of the format, so "
        "that packages of that version would be read wrongly: raise FORMAT_VERSION in "
        f'hwc/package/hwx.py and add to DIGESTS in this file: "{found}"'
    )


def test_the_digest_sees_a_new_key_of_the_target():
    target = load_target("accel").to_dict()
    assert digest({**target, "new_key": 1}) != digest(target)
