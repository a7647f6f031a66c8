"""A newcomer's variables lead to nothing that was there before."""

from pathlib import Path

from tools.clean_room import newcomer


def test_nothing_of_the_old_home_is_in_reach(tmp_path: Path) -> None:
    old = {
        "HOME": "/home/me",
        "PYTHONPATH": "/home/me/lib",
        "UV_CACHE_DIR": "/home/me/.cache/uv",
        "XDG_CACHE_HOME": "/home/me/.cache",
        "XDG_STATE_HOME": "/home/me/.state",
        "PIP_CONFIG_FILE": "/home/me/pip.conf",
        "VIRTUAL_ENV": "/home/me/env",
        "SEMILAR_HOME": "/home/me/.semilar",
        "MAKEFLAGS": "-j8",
    }
    kept = newcomer(tmp_path / "new", {**old, "PATH": "/bin", "PIP_CERT": "/etc/certificates"})
    assert not [value for value in kept.values() if "/home/me" in value or value == "-j8"]
    assert (kept["PATH"], kept["PIP_CERT"]) == ("/bin", "/etc/certificates")
    for name in ("HOME", "UV_CACHE_DIR", "PIP_CACHE_DIR", "XDG_CACHE_HOME", "TMPDIR"):
        assert Path(kept[name]).is_dir()
        assert Path(kept[name]) == tmp_path / "new" or not list(Path(kept[name]).iterdir())
