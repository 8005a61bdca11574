"""The one build step that setup.cfg cannot say."""

import shutil

from setuptools import setup
from setuptools.command.build_py import build_py


class FreshBuild(build_py):
    """Build into an empty directory.

    Setuptools copies modules into build/lib and never removes one there, so that a module which
    has been deleted from the source since the last build would still be in the next wheel.
    """

    def run(self) -> None:
        """Clear what the last build left, then build."""
        if not self.editable_mode:
            shutil.rmtree(self.build_lib, ignore_errors=True)
        super().run()


setup(cmdclass={"build_py": FreshBuild})
