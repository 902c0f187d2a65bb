"""The house: what ships, which way imports run, and what no code of ours may use."""

import ast
import configparser
import subprocess
import sys
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
LAYERS = ("grammars", "difficulty", "generator", "outputs")
FOLDERS = ("ecomrlve", *LAYERS)
# The standard library, and what `setup.cfg` installs.
INSTALLED = {"numpy", "faker", "networkx", "polars", "pyarrow", "click", "rich", "ecomrlve"}
# These read the clock to show progress; nothing of theirs reaches a task or a row.
# The terminal says how long is left; a simulation reports what a decision costs.
# Fuzzing measures verdicts, and stops when its time is up.
MAY_TELL_TIME = {
    Path("ecomrlve/commands/terminal.py"),
    Path("difficulty/simulation.py"),
    Path("outputs/fuzzing/timing.py"),
}
# Whoever only generates need not install what fuzzing needs.
FUZZING, FOR_FUZZING = Path("outputs/fuzzing"), {"hypothesis"}
# Somebody else's verifier may raise anything; what it raises is what fuzzing looks for.
MAY_CATCH_ALL = {Path("outputs/fuzzing/verifier.py")}
DOOR = (Path("difficulty/randomness.py"), Path("generator/randomness.py"))


@lru_cache(maxsize=1)
def sources() -> tuple[Path, ...]:
    """Every module of ours, by its path from the root; the links in ecomrlve/ are not followed twice."""
    found = []
    for folder in FOLDERS:
        for path in sorted((ROOT / folder).rglob("*.py")):
            inside = path.relative_to(ROOT)
            if inside.parts[:2] not in {("ecomrlve", layer) for layer in LAYERS}:
                found.append(inside)
    return tuple(found)


@lru_cache(maxsize=512)
def tree(path: Path) -> ast.Module:
    """A module's syntax tree."""
    return ast.parse((ROOT / path).read_text(encoding="utf-8"), str(path))


def module_name(path: Path) -> str:
    """The name under which a module is imported."""
    parts = path.with_suffix("").parts
    parts = parts if parts[0] == "ecomrlve" else ("ecomrlve", *parts)
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def imports(path: Path) -> Iterator[tuple[str, int]]:
    """(module, line) of everything a module imports, inside functions too."""
    for node in ast.walk(tree(path)):
        if isinstance(node, ast.Import):
            yield from ((alias.name, node.lineno) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}:{node.lineno}: a relative import"
            yield node.module or "", node.lineno
            yield from ((f"{node.module}.{alias.name}", node.lineno) for alias in node.names)


@lru_cache(maxsize=1)
def setup() -> configparser.ConfigParser:
    """setup.cfg."""
    parser = configparser.ConfigParser()
    parser.read(ROOT / "setup.cfg", encoding="utf-8")
    return parser


# --- what ships ------------------------------------------------------------------------------------------------------


def test_packages_are_the_folders() -> None:
    listed = [line for line in setup()["options"]["packages"].split("\n") if line and not line.startswith("#")]
    folders = {module_name(path.parent / "__init__.py") for path in sources()}
    assert sorted(listed) == sorted(folders)
    assert listed == sorted(listed), "keep the list sorted"
    for path in {ROOT / path.parent for path in sources()}:
        assert (path / "__init__.py").exists(), f"{path} has no __init__.py"


def test_package_folders_are_the_layers() -> None:
    pairs = dict(line.split(" = ") for line in setup()["options"]["package_dir"].strip().split("\n"))
    assert pairs == {"ecomrlve": "ecomrlve", **{f"ecomrlve.{layer}": layer for layer in LAYERS}}
    for layer in LAYERS:
        link = ROOT / "ecomrlve" / layer
        assert link.is_symlink() and link.readlink() == Path("..") / layer


def test_every_file_would_ship() -> None:
    """Whatever lies in a package is code, `py.typed`, or a table that the package data patterns name."""
    tracked = subprocess.run(
        ["git", "ls-files", *FOLDERS], cwd=ROOT, capture_output=True, text=True, check=False
    ).stdout.split("\n")
    if not any(tracked):
        pytest.skip("not a git checkout")
    for name in filter(None, tracked):
        path = Path(name)
        if path.suffix == ".py" or path.name == "py.typed" or (ROOT / path).is_symlink():
            continue
        assert path.suffix == ".toml" and "data" in path.parts, f"{name} would not ship"
        # The table belongs to a package: the folder above data/ holds code.
        home = Path(*path.parts[: path.parts.index("data")])
        assert (ROOT / home / "__init__.py").exists() and home / "__init__.py" in sources(), name


def test_data_is_read_through_the_package() -> None:
    for path in sources():
        for node in ast.walk(tree(path)):
            assert not (isinstance(node, ast.Name) and node.id == "__file__"), f"{path}:{node.lineno}: __file__"


# --- which way imports run -------------------------------------------------------------------------------------------


def layer_of(name: str) -> int:
    """The place of a module in the order of layers; the command line and the rest of ecomrlve come last."""
    part = name.split(".")[1] if "." in name else ""
    return LAYERS.index(part) if part in LAYERS else len(LAYERS)


def test_imports_run_one_way() -> None:
    for path in sources():
        name = module_name(path)
        for target, line in imports(path):
            if target.split(".")[0] != "ecomrlve" or target in ("ecomrlve", "ecomrlve.__version__"):
                continue
            if target.startswith(("ecomrlve.errors", "ecomrlve.check")):
                continue
            assert layer_of(target) <= layer_of(name), f"{path}:{line} imports {target}"


def test_verifiers_import_themselves_and_the_standard_library() -> None:
    own = "ecomrlve.generator.verifiers"
    checked = 0
    for path in sources():
        if module_name(path).startswith(own):
            checked += 1
            for target, line in imports(path):
                known = target.startswith(own) or target.split(".")[0] in sys.stdlib_module_names
                assert known, f"{path}:{line} imports {target}"
    assert checked > 5


def test_nothing_is_imported_that_is_not_installed() -> None:
    for path in sources():
        for target, line in imports(path):
            top = target.split(".")[0]
            known = INSTALLED | FOR_FUZZING if path.is_relative_to(FUZZING) else INSTALLED
            assert top in sys.stdlib_module_names or top in known, f"{path}:{line} imports {target}"


def test_imports_make_no_circle() -> None:
    """Modules import each other in one order (what is imported inside a function does not count)."""
    edges: dict[str, set[str]] = {}
    names = {module_name(path): path for path in sources()}
    for name, path in names.items():
        body = [node for node in tree(path).body if isinstance(node, ast.Import | ast.ImportFrom)]
        targets = set()
        for node in body:
            if isinstance(node, ast.ImportFrom):
                inner = {f"{node.module}.{alias.name}" for alias in node.names}
                targets |= {inner_name for inner_name in inner if inner_name in names} or {node.module or ""}
            else:
                targets |= {alias.name for alias in node.names}
        edges[name] = {target for target in targets if target in names and target not in (name, "ecomrlve")}
    done: set[str] = set()
    while len(done) < len(edges):
        ready = {name for name, targets in edges.items() if name not in done and targets <= done}
        assert ready, f"a circle among {sorted(set(edges) - done)}"
        done |= ready


def rooms(layer: str) -> dict[str, set[str]]:
    """The folders and loose modules of a layer, and which of the others each imports."""
    found: dict[str, set[str]] = {}
    for path in sources():
        if path.parts[0] == layer and path != Path(layer, "__init__.py"):
            room = path.parts[1].removesuffix(".py")
            names = (target.split(".") for target, _ in imports(path) if target.startswith(f"ecomrlve.{layer}."))
            found.setdefault(room, set()).update(name[2] for name in names if name[2] != room)
    return found


@pytest.mark.parametrize(("layer", "loose"), [("generator", 8), ("grammars", 0)])
def test_rooms_lie_one_above_the_other(layer: str, loose: int) -> None:
    """No two rooms import each other, not even by way of others; few modules lie outside of any room."""
    above = rooms(layer)
    modules = [path for path in sources() if path.parent == Path(layer) and path.name != "__init__.py"]
    assert len(modules) <= loose
    below: set[str] = set()
    while len(below) < len(above):
        ready = {room for room, targets in above.items() if room not in below and targets <= below}
        assert ready, f"a circle among {sorted(above.keys() - below)}"
        below |= ready


def test_the_top_folders_cannot_be_imported_twice() -> None:
    for layer in LAYERS:
        done = subprocess.run(
            [sys.executable, "-c", f"import {layer}"], cwd=ROOT, capture_output=True, text=True, check=False
        )
        assert done.returncode and f"ecomrlve.{layer}" in done.stderr


# --- what no code may use --------------------------------------------------------------------------------------------

_CLOCKS = {"now", "utcnow", "today", "time_ns", "perf_counter", "monotonic", "localtime", "gmtime", "fromtimestamp"}


def faults(path: Path) -> Iterator[str]:
    """Uses of chance, clocks, hashes and set order that could reach a task."""
    # How an object hashes within its process is its own affair.
    own = [node for node in ast.walk(tree(path)) if isinstance(node, ast.FunctionDef) and node.name == "__hash__"]
    inside = {id(node) for function in own for node in ast.walk(function)}
    for node in ast.walk(tree(path)):
        where = f"{path}:{getattr(node, 'lineno', 0)}"
        if isinstance(node, ast.Call):
            called = ast.unparse(node.func)
            if called == "hash" and id(node) not in inside:
                yield f"{where}: hash() differs between processes"
            if called.startswith(("random.", "np.random.")) and path not in DOOR:
                yield f"{where}: {called}: draw through difficulty.randomness"
            if isinstance(node.func, ast.Attribute) and path not in MAY_TELL_TIME:
                clock = node.func.attr in _CLOCKS or called == "time.time"
                # `today` is a day of the world where it is handed on; only calling it asks a clock.
                if clock and called.split(".")[0] in ("time", "datetime", "date"):
                    yield f"{where}: {called}() reads the clock"
            if called in ("eval", "exec", "os.urandom", "uuid.uuid4", "uuid.uuid1") or called.startswith("secrets."):
                yield f"{where}: {called}"
        if isinstance(node, ast.For | ast.comprehension) and isinstance(node.iter, ast.Set | ast.SetComp):
            yield f"{path}: a loop over a set: {ast.unparse(node.iter)}"
        if isinstance(node, ast.ExceptHandler):
            caught = "" if node.type is None else ast.unparse(node.type)
            if caught in ("", "Exception", "BaseException") and path not in MAY_CATCH_ALL:
                yield f"{where}: a broad except"


def test_no_global_chance_no_clock_no_hash() -> None:
    assert not [fault for path in sources() for fault in faults(path)]


def test_randomness_has_one_door() -> None:
    for path in sources():
        for target, line in imports(path):
            top = target.split(".")[0]
            assert top not in ("random", "secrets", "uuid", "locale"), f"{path}:{line} imports {target}"


def test_nothing_is_left_to_do() -> None:
    for path in sources():
        text = (ROOT / path).read_text(encoding="utf-8")
        for mark in ("TODO", "FIXME", "XXX", "NotImplementedError", "breakpoint(", "/work", 'print("debug'):
            assert mark not in text, f"{path} holds {mark}"


def test_the_page_on_environments_names_the_rooms() -> None:
    """docs/environments.md lists the shared rooms of both layers, and no other."""
    page = (ROOT / "docs" / "environments.md").read_text(encoding="utf-8")
    listed = {line.split("`")[1] for line in page.split("\n") if line.startswith(("| `generator/", "| `grammars/"))}
    named = {"environments", "verifiers", "proofs"}
    there = {
        f"{layer}/{room}"
        for layer in ("generator", "grammars")
        for room in rooms(layer)
        if (ROOT / layer / room).is_dir() and room not in named
    }
    assert listed == there


def test_the_page_of_errors_lists_all() -> None:
    """Every error of ours is drawn in the tree of ecomrlve/errors.py."""
    page = ast.get_docstring(tree(Path("ecomrlve/errors.py"))) or ""
    made = {
        node.name
        for path in sources()
        for node in ast.walk(tree(path))
        if isinstance(node, ast.ClassDef)
        and any(isinstance(base, ast.Name) and base.id.endswith("Error") for base in node.bases)
    }
    assert made <= {word.strip("├└─│ `,") for word in page.split()}, made


def test_the_command_line_lists_its_commands() -> None:
    from ecomrlve import cli

    page = ast.get_docstring(tree(Path("ecomrlve/cli.py"))) or ""
    assert page.split("``")[1].removeprefix("ecomrlve ").split(" | ") == sorted(cli._COMMANDS)
