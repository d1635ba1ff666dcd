"""Places that hold files by name: a folder, a prefix of a bucket, a folder of an SFTP server.

Files come from a place, answers go to it, and machines share their snapshots in one. All work in a
place is done in steps, and a crash may follow any step.

Reading order: `contract` (the methods of every place), `folder`, `bucket` and `sftp` (the places;
the libraries of the last two are extras), `opening` (the place of a URL; imports its library);
then the work in a place: `incoming` finds complete files, takes them and puts their answers.
"""

from feedtool.places.contract import Entry, Moved, Place, PlaceRefused
from feedtool.places.opening import open_place

__all__ = ["Entry", "Moved", "Place", "PlaceRefused", "open_place"]
