"""The one thing that pyproject.toml can't say: packages found elsewhere than their names say, beside those that are found."""

from setuptools import find_packages, setup

setup(packages=[*find_packages(include=["loco", "loco.*"]), "loco.presets", "loco.workflows"])
