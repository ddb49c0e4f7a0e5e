# The extension module that cffi generates from the library's public header; cffi publishes no types for one.
from typing import Any

ffi: Any
lib: Any
