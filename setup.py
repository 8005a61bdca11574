"""What there is to say about a build that setup.cfg cannot say."""

import re
import shutil
import subprocess
from pathlib import Path

from setuptools import setup
from setuptools.command.build_py import build_py


class PackageOnly(build_py):
    """Build the package as it is now and nothing else."""

    def run(self) -> None:
        """Build into an empty directory.

        Setuptools never removes a module from build/lib, so that one which has been deleted from
        the source since the last build would still be in the next wheel.
        """
        if not self.editable_mode:
            shutil.rmtree(self.build_lib, ignore_errors=True)
        super().run()

    def find_package_modules(self, package: str, package_dir: str) -> list[tuple[str, str, str]]:
        """Leave out this file, which lies in the package's directory but is none of its modules."""
        modules = super().find_package_modules(package, package_dir)
        return [found for found in modules if Path(found[2]) != Path("setup.py")]


def description() -> str:
    """Return the README as a registry can show it, where links to other files lead nowhere."""
    text = (Path(__file__).parent / "README.md").read_text("utf-8")
    text = re.sub(r"!\[[^]]*\]\((?!https?:)[^)]*\)\n*", "", text)

    def named(link: re.Match[str]) -> str:
        shown, path = link[1], link[2]
        return path if shown == path else f"{shown} ({path})"

    text = re.sub(r"\[([^]]*)\]\((?!https?:|#)([^)]*)\)", named, text)
    return f"{text}\nFiles named here, such as docs/index.md, are in the source distribution.\n"


def addresses() -> dict[str, str]:
    """Return the links of a registry's page, if the clone has an address that a browser opens."""
    command = ["git", "-C", str(Path(__file__).parent), "remote", "get-url", "origin"]
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    except OSError:
        return {}
    source = done.stdout.strip().removesuffix(".git")
    if done.returncode or not source.startswith("https://"):
        return {}
    pages = {"Documentation": "docs/index.md", "Changelog": "CHANGELOG.md"}
    return {"Source": source, **{name: f"{source}/blob/HEAD/{pages[name]}" for name in pages}}


setup(
    cmdclass={"build_py": PackageOnly},
    project_urls=addresses(),
    long_description=description(),
    long_description_content_type="text/markdown",
)
