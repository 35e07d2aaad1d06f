# SPDX-License-Identifier: Apache-2.0
# ruff: noqa: SIM905 - a long list of words reads best as words
"""The names of other packages that mean something to us, by the names users reach them by."""

from __future__ import annotations

import re
from functools import cache

from typedtensors.ops import Framework
from typedtensors.shapes import DType
from typedtensors_mypy.source import keras_names

# Known by name even where their sources lie among the user's: an editable install, a checkout.
_PACKAGES = frozenset("jaxtyping typedtensors torch numpy jax tensorflow keras typing".split())

# Whatever else a module imports, it holds no array that we would know of.
_MAKE_ARRAYS = _PACKAGES - {"typing"} | {"einops", "fancy_einsum", "torchmetrics"}

_DTYPE = re.compile(r"^(?:jaxtyping(?:\._\w+)*|typedtensors)\.(\w+)$")
_DTYPES = frozenset(
    "Bool Complex Complex64 Complex128 Float Float16 Float32 Float64 BFloat16 "
    "Float8e4m3b11fnuz Float8e4m3fn Float8e4m3fnuz Float8e5m2 Float8e5m2fnuz "
    "Inexact Int Int2 Int4 Int8 Int16 Int32 Int64 Integer Key Num Real Shaped "
    "UInt UInt2 UInt4 UInt8 UInt16 UInt32 UInt64".split()
)

_TORCH_ARRAYS = (
    "torch.Tensor torch._tensor.Tensor torch.sparse.Tensor torch.nn.Parameter "
    "torch.nn.parameter.Parameter"
)
_ARRAYS = {
    **dict.fromkeys(_TORCH_ARRAYS.split(), Framework.TORCH),
    **dict.fromkeys("numpy.ndarray numpy.typing.NDArray".split(), Framework.NUMPY),
    **dict.fromkeys("jax.Array jax.numpy.ndarray jaxtyping.Array".split(), Framework.JAX),
    **dict.fromkeys("tensorflow.Tensor tensorflow.Variable".split(), Framework.TENSORFLOW),
}
_ARRAY_NAMES = frozenset(name.rpartition(".")[2] for name in _ARRAYS)
# Points where hooks may look at what goes through a model, and a module of modules that has some.
_STANDS_FOR = {
    "transformer_lens.hook_points.HookPoint": "torch.nn.Identity",
    "transformer_lens.hook_points.HookedRootModule": "torch.nn.Module",
}
# The class whose methods and operators are a framework's ops.
ARRAY_CLASS = {
    Framework.TORCH: "torch.Tensor",
    Framework.NUMPY: "numpy.ndarray",
    Framework.JAX: "jax.Array",
    Framework.TENSORFLOW: "tensorflow.Tensor",
}
# Attributes of arrays that are ops; `.size` is one in NumPy, and a method in torch.
_COMMON_PROPERTIES = frozenset("shape T ndim real imag".split())
ARRAY_PROPERTIES = {
    Framework.TORCH: _COMMON_PROPERTIES | {"mT", "H", "mH"},
    Framework.NUMPY: _COMMON_PROPERTIES | {"size"},
    Framework.JAX: _COMMON_PROPERTIES | {"mT", "size"},
    Framework.TENSORFLOW: frozenset({"shape", "ndim"}),
}
SILENT_PROPERTIES = frozenset(
    "device grad grad_fn is_cuda is_leaf itemsize layout name names nbytes requires_grad "
    "is_sparse flat base strides flags".split()
)
# As are these of a distribution: what it was made from, and what is known of its draws.
OBJECT_PROPERTIES = {
    "torch.distributions.Distribution": frozenset(
        "batch_shape event_shape mean variance stddev mode loc scale low high probs logits "
        "concentration concentration0 concentration1 rate df covariance_matrix precision_matrix "
        "scale_tril base_dist".split()
    )
}
# Methods that torch's arrays have, and hardly anything else: what they are called on is one.
OF_TORCH_ONLY = frozenset(
    "expand expand_as gather masked_fill permute reshape_as unflatten unsqueeze view "
    "view_as".split()
)
# Classes of objects whose methods are ops, and of which nothing else matters.
OBJECTS = frozenset({"numpy.random.Generator"})
SPLITTING = frozenset("split chunk tensor_split unbind hsplit vsplit dsplit unsafe_chunk".split())
RESHAPING_IN_PLACE = frozenset(
    "as_strided_ resize_ resize_as_ set_ squeeze_ swapaxes_ swapdims_ t_ transpose_ "
    "unsqueeze_".split()
)
# Managers in whose block something is meant to fail.
ASSERT_RAISES = "unittest.TestCase.assertRaises"
EXPECTING = frozenset(
    {"pytest.raises", ASSERT_RAISES}
    | {"numpy.testing.assert_raises", "numpy.testing.assert_raises_regex"}
)
# Managers after whose block control goes on where an exception has ended it.
SUPPRESSING = EXPECTING | {"contextlib.suppress"}
# What an op raises that does not fit, and what that is.
FAILURES = frozenset({"BaseException", "Exception", "RuntimeError", "TypeError", "ValueError"})
# Methods of a module after which it may compute something else.
CHANGING_MODULES = frozenset(
    "__init__ register_forward_hook register_forward_pre_hook add_hook __setattr__".split()
)
# Methods that every module has, and that give the module itself.
MODULE_METHODS = frozenset(
    "to cuda cpu eval train half float double bfloat16 requires_grad_ apply share_memory "
    "to_empty type xpu".split()
)

# Methods of modules that change nothing.
MODULE_READERS = frozenset(
    "parameters named_parameters buffers named_buffers modules named_modules children "
    "named_children state_dict load_state_dict zero_grad".split()
)

ATTRIBUTE_SETTERS = frozenset({"register_buffer", "register_parameter", "add_module"})

_SCALARS = frozenset({"int", "float", "bool", "str"})
_STREAMS = (
    "List Sequence MutableSequence Iterable Iterator Generator AsyncIterator AsyncIterable "
    "AsyncGenerator Collection Set FrozenSet list set frozenset deque"
)
_GENERIC_FORMS = {
    **dict.fromkeys(_STREAMS.split(), "stream"),
    **dict.fromkeys("Final ClassVar Required NotRequired ReadOnly".split(), "same"),
    **dict.fromkeys("dict Dict Mapping MutableMapping".split(), "mapping"),
    **dict.fromkeys("tuple Tuple".split(), "tuple"),
    "Union": "union",
    "Optional": "optional",
    "Callable": "callable",
    "PyTree": "tree",
    "DataLoader": "loader",
}
_GENERIC_HOMES = (
    *("jaxtyping", "typing", "typing_extensions"),
    *("builtins", "collections", "torch.utils.data"),
)

# Decorators that make a context manager of a generator.
MANAGERS = frozenset({"contextlib.contextmanager", "contextlib.asynccontextmanager"})
PROPERTIES = frozenset({"builtins.property", "functools.cached_property"})
# What writes a constructor from the fields of a class, and what describes one of them.
_RECORD_MAKERS = re.compile(
    r"^(?:dataclasses|attrs?|flax\.struct|chex|pydantic\.dataclasses)\."
    r"(?:dataclass|define|frozen|mutable|attrs|s)$"
)
_NAMED_TUPLES = frozenset({"typing.NamedTuple", "typing_extensions.NamedTuple"})
_TYPED_DICTS = frozenset({"typing.TypedDict", "typing_extensions.TypedDict"})
_RECORD_BASES = _NAMED_TUPLES | {
    "pydantic.BaseModel", "pydantic.main.BaseModel", "pydantic_settings.BaseSettings"
}  # fmt: skip
_FIELDS = re.compile(
    r"^(?:dataclasses|attrs?|flax\.struct|pydantic(?:\.fields)?)\.(?:field|ib|attrib|Field)$"
)
# Decorators that leave a call of the function what it was.
_TRANSPARENT = re.compile(
    r"""^(?:
        torch\.(?:no_grad|inference_mode|enable_grad|compile|set_grad_enabled|jit\.\w+|autocast)
      | torch\.(?:amp|cuda\.amp|compiler|utils\._contextlib|autograd\.grad_mode)\.\w+
      | (?:jaxtyping|beartype|typedtensors|typeguard)(?:\.\w+)*
      | functools\.(?:cache|lru_cache|wraps)
      | tensorflow\.function | jax\.(?:jit|checkpoint) | numba\.\w+
      | (?:typing|typing_extensions)\.(?:final|override|no_type_check)
      | abc\.abstractmethod | builtins\.staticmethod
    )$""",
    re.VERBOSE,
)
# Those of them that other decorators are made of: a call gives the function, or takes options.
KEEPING_DECORATORS = frozenset(
    "jaxtyping.jaxtyped beartype.beartype typeguard.typechecked typedtensors.jaxtyped "
    "typedtensors.typechecked functools.cache functools.lru_cache".split()
)
_MODULE_BASES = re.compile(
    r"^(?:torch\.nn\.(?:modules\.\w+\.)?Module"
    r"|(?:pytorch_lightning|lightning)(?:\.\w+)*\.LightningModule)$"
)
_PLAIN_BASES = re.compile(
    r"^(?:(?:typing|typing_extensions|abc|builtins|enum|collections\.abc|torch\.utils\.data)\.\w+"
    r"|tensorflow\.Module|huggingface_hub\.(?:hub_mixin\.)?(?:PyTorch)?ModelHubMixin)$"
)
_TORCH_HOME = re.compile(r"^(torch\.utils\.data|torch\.nn)\.(?:modules\.)?[a-z_]+\.(?=[A-Z])")

_NEW_AXES = frozenset("numpy.newaxis torch.newaxis tensorflow.newaxis jax.numpy.newaxis".split())
_FLOATS = frozenset(
    f"{home}.{name}" for home in ("math", "numpy", "torch") for name in ("pi", "e", "inf", "nan")
)
_DTYPE_HOMES = ("torch", "numpy", "jax.numpy", "tensorflow")
_ELEMENT_TYPES = frozenset(
    "float16 float32 float64 bfloat16 int8 int16 int32 int64 uint8 uint16 uint32 uint64 "
    "bool bool_ complex64 complex128".split()
)
_TORCH_ALIASES = {
    "half": "float16",
    "float": "float32",
    "double": "float64",
    "short": "int16",
    "int": "int32",
    "long": "int64",
    "cfloat": "complex64",
    "cdouble": "complex128",
}


def is_known(package: str) -> bool:
    """Whether the names of a package mean to us what they are, wherever its files are."""
    return package in _PACKAGES


def original(name: str) -> str:
    """The name of what a library's name is as far as shapes go, in a library that is known."""
    if name.startswith("beartype.typing."):
        return name.removeprefix("beartype.")
    return _STANDS_FOR.get(name, name)


def makes_arrays(name: str) -> bool:
    """Whether what a library calls `name` may be or give an array, or say that something is one."""
    return name.partition(".")[0] in _MAKE_ARRAYS


def defines_dtypes(name: str) -> bool:
    """Whether a name is in a library that specs are written with: jaxtyping, or ours."""
    return name.partition(".")[0] in {"jaxtyping", "typedtensors"}


@cache
def jaxtyping_dtype(name: str) -> str | None:
    """`Float` for the name of jaxtyping's `Float`, or of ours, which is the same object."""
    match = _DTYPE.match(name)
    return match[1] if match and match[1] in _DTYPES else None


def array_framework(name: str) -> Framework | None:
    """The framework whose array class has this name."""
    return _ARRAYS.get(name)


def is_array_annotation(dtype: str, array: str) -> bool:
    """Whether names are spelled as those of `Float[Tensor, ...]` are, under any of their homes."""
    return _last(dtype) in _DTYPES and _last(array) in _ARRAY_NAMES


def is_array_name(name: str) -> bool:
    """Whether a name is spelled as a class of arrays is: `Tensor`, `torch.Tensor`."""
    return _last(name) in _ARRAY_NAMES


def _last(name: str) -> str:
    return name.rpartition(".")[2]


def scalar(name: str) -> str | None:
    """`int` for the name of the built-in class of scalars."""
    root, _, last = name.rpartition(".")
    return last if root == "builtins" and last in _SCALARS else None


def generic(name: str) -> str | None:
    """What the arguments of a generic type are: `stream`, `tuple`, `union`, ..."""
    root, _, last = name.rpartition(".")
    return _GENERIC_FORMS.get(last) if root.startswith(_GENERIC_HOMES) else None


def is_transparent(name: str) -> bool:
    """Whether a decorator leaves a call of the function what it was."""
    return _TRANSPARENT.match(name) is not None


def makes_records(name: str) -> bool:
    """Whether a decorator writes the constructor of a class from its fields."""
    return _RECORD_MAKERS.match(name) is not None


def is_record_base(name: str) -> bool:
    """Whether a library's base class writes the constructor of a class from its fields."""
    return name in _RECORD_BASES


def is_named_tuple(name: str) -> bool:
    """Whether a base class makes tuples of its subclasses' objects."""
    return name in _NAMED_TUPLES


def is_typed_dict(name: str) -> bool:
    """Whether objects of the classes under a library's class are dicts of their fields."""
    return name in _TYPED_DICTS


def describes_field(name: str) -> bool:
    """Whether a call says what a field is, its default among it."""
    return _FIELDS.match(name) is not None


@cache
def forward_of(name: str) -> str | None:
    """The method that calling an object calls, of a library's base of all modules."""
    if keras_names.kind_of(name) is keras_names.Kind.LAYER:
        return "call"
    return "forward" if _MODULE_BASES.match(name) else None


def is_module_base(name: str) -> bool:
    """Whether a class is a library's base of all modules: calling one calls its `forward`."""
    return forward_of(name) is not None


@cache
def is_plain_base(name: str) -> bool:
    """Whether a library's class gives its subclasses nothing that shapes depend on."""
    known = is_module_base(name) or keras_names.kind_of(name) is not None
    return known or _PLAIN_BASES.match(name) is not None


@cache
def short_name(name: str) -> str:
    """The name that torch documents for what it defines in a module of its own."""
    return _TORCH_HOME.sub(r"\1.", name)


def is_new_axis(name: str) -> bool:
    """Whether a name is a library's word for the `None` that puts an axis into an index."""
    return name in _NEW_AXES


def is_float_constant(name: str) -> bool:
    """Whether a name is that of a float."""
    return name in _FLOATS


def dtype_named(name: str) -> DType | None:
    """The dtype that a library's name is."""
    home, _, last = name.rpartition(".")
    if home not in _DTYPE_HOMES:
        return None
    known = _TORCH_ALIASES.get(last, last) if home == "torch" else last
    return DType.exactly(known) if known in _ELEMENT_TYPES else None
