"""Which keys were met among any number of rows, in the same little memory."""

from zlib import crc32


class Footprints:
    """A Bloom filter of 2 MiB with a single hash: what was met is known to be so.

    Of a few other keys it seems so too, of the same ones each time.
    """

    SIZE = 1 << 24

    def __init__(self) -> None:
        self._bits = bytearray()

    def add(self, key: str) -> None:
        """Notes one."""
        if not self._bits:
            self._bits = bytearray(self.SIZE >> 3)
        place = crc32(key.encode("utf-8", "surrogatepass")) % self.SIZE
        self._bits[place >> 3] |= 1 << (place & 7)

    def __contains__(self, key: str) -> bool:
        if not self._bits:
            return False
        place = crc32(key.encode("utf-8", "surrogatepass")) % self.SIZE
        return bool(self._bits[place >> 3] & 1 << (place & 7))
