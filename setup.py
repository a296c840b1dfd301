"""The one thing that pyproject.toml can't say: a package found elsewhere than its name says, beside those that are found."""

from setuptools import find_packages, setup

setup(packages=[*find_packages(include=["loco", "loco.*"]), "loco.presets"])
