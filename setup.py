"""The two things about a build that setup.cfg cannot say."""

import shutil
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


setup(cmdclass={"build_py": PackageOnly})
