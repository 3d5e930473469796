"""Writes extracts of OpenStreetMap in PBF: what tests need of the format, by struct and zlib."""

import struct
import zlib


def varint(value):
    value &= (1 << 64) - 1
    out = bytearray()
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    return bytes([*out, value])


def zigzag(value):
    return varint(value * 2 if value >= 0 else -value * 2 - 1)


def field(number, data):
    """Bytes of a field that has a length."""
    return varint(number << 3 | 2) + varint(len(data)) + data


def number(key, value):
    return varint(key << 3) + varint(value)


def differences(values):
    return b"".join(zigzag(b - a) for a, b in zip([0, *values], values))


class Strings:
    def __init__(self):
        self.all = [b""]

    def __getitem__(self, text):
        text = text.encode()
        if text not in self.all:
            self.all.append(text)
        return self.all.index(text)

    def table(self):
        return field(1, b"".join(field(1, text) for text in self.all))


def block(kind, data, compressed=True):
    packed = number(2, len(data)) + field(3, zlib.compress(data)) if compressed else field(1, data)
    head = field(1, kind.encode()) + number(3, len(packed))
    return struct.pack(">I", len(head)) + head + packed


def header(features=("OsmSchema-V0.6", "DenseNodes")):
    return block("OSMHeader", b"".join(field(4, feature.encode()) for feature in features))


def fixed(degrees):
    return round(degrees * 1e7)


def dense_nodes(nodes, compressed=True):
    """@param nodes  (id, longitude, latitude)"""
    dense = (field(1, differences([n for n, _, _ in nodes])) + field(8, differences([fixed(lat) for _, _, lat in nodes])) +
             field(9, differences([fixed(lon) for _, lon, _ in nodes])))
    return block("OSMData", Strings().table() + field(2, field(2, dense)), compressed)


def plain_nodes(nodes):
    """Nodes one by one, with a tag each."""
    strings = Strings()
    all_nodes = b""
    for node, lon, lat in nodes:
        tags = field(2, varint(strings["source"])) + field(3, varint(strings["survey"]))
        all_nodes += field(1, varint(1 << 3) + zigzag(node) + tags + varint(8 << 3) + zigzag(fixed(lat)) + varint(9 << 3) + zigzag(fixed(lon)))
    return block("OSMData", strings.table() + field(2, all_nodes))


def ways(all_ways):
    """@param all_ways  (id, nodes, tags)"""
    strings = Strings()
    group = b""
    for way, nodes, tags in all_ways:
        keys = b"".join(varint(strings[key]) for key in tags)
        values = b"".join(varint(strings[value]) for value in tags.values())
        group += field(3, number(1, way) + field(2, keys) + field(3, values) + field(8, differences(nodes)))
    return block("OSMData", strings.table() + field(2, group))


def in_parts(items, size):
    return [items[k:k + size] for k in range(0, len(items), size)]


def extract(nodes, all_ways, size=8000):
    """A file with `size` entities a block."""
    return (header() + b"".join(dense_nodes(part) for part in in_parts(nodes, size)) +
            b"".join(ways(part) for part in in_parts(all_ways, size)))


def starts_of(data):
    """Where the blocks of a file begin, and its size."""
    starts = [0]
    while starts[-1] < len(data):
        at = starts[-1]
        size = struct.unpack(">I", data[at:at + 4])[0]
        head = data[at + 4:at + 4 + size]
        bytes_of_size = head[3 + head[1]:]
        starts.append(at + 4 + size + sum((byte & 127) << 7 * k for k, byte in enumerate(bytes_of_size)))
    return starts
