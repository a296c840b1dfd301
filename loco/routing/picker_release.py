"""Which release the endpoint picker is of, and so what form its config and flags have."""

from dataclasses import dataclass
from typing import Any

from loco.layers import Resolved
from loco.model import Finding
from loco.pods.reading import PICKER_TEMPLATE, in_template
from loco.routing.picker_versions import DEFAULT_FORM, VERSION, Release, release_of

CODE = "LOCO-PICKER-VERSION"
_ANNOTATION = ("router", "scheduler", "annotations", VERSION)
_ANNOTATION_PATH = f'spec.router.scheduler.annotations["{VERSION}"]'
# Images whose tags are releases in the count of the annotation: one project, before and after its change of name.
_COUNTED = ("llm-d-inference-scheduler", "llm-d-router-endpoint-picker")
_AS_WRITTEN: Release = (0, 0, 0)


@dataclass(frozen=True, slots=True)
class PickerRelease:
    """The release, None where the annotation names none.

    Attributes:
        number: what config and flags are brought to; below every change where they stay as they are written.
        text: the same for messages.
    """

    number: Release
    text: str


def picker_release(
    picker: dict[str, Any], number: int, resolved: Resolved
) -> tuple[PickerRelease | None, list[Finding]]:
    """The release of a picker's container, which is ``number`` of its pod, and what there is to say of it.

    It is the pod's annotation. But a preset's annotation says nothing of an image that somebody else has written: its
    own tag does, if it is one of the same project; else config and flags stay as they are. Profiles that follow the
    reference believe the annotation, whatever the image.
    """
    scheduler = resolved.spec.router.scheduler if resolved.spec.router else None
    stated = ((scheduler.annotations if scheduler else None) or {}).get(VERSION)
    release = release_of(stated)
    if release is None:
        message = "this is no version of the endpoint picker, which says what form its config has"
        cure, origin = "0.10.0, or the release that the image holds", resolved.origin_at(*_ANNOTATION)
        return None, [Finding("LOCO-VALUE", "error", _ANNOTATION_PATH, message, cure, origin, resolved.subject, stated)]
    believed = PickerRelease(release, stated or "unknown")
    image = str(picker.get("image") or "")
    where = ("containers", number, "image")
    if not _is_presets(resolved, _ANNOTATION) or _is_presets(resolved, (*PICKER_TEMPLATE, *where)):
        return believed, []
    tag = _tag_of(image)
    tagged = release_of(tag) if tag else None
    if tagged == release:
        return believed, []
    cure = f'router: {{scheduler: {{annotations: {{{VERSION}: "{tag.lstrip("v") if tagged and tag else "0.10.0"}"}}}}}}'
    if resolved.profile.settings.picker_version == "annotation":
        message = f"config and flags are brought to the form of release {stated}, by the preset's annotation {VERSION}"
        taken = believed
    elif tagged is not None and tag is not None:
        message = f"config and flags are brought to the form of release {tag}, by the tag of this image"
        taken = PickerRelease(tagged, tag)
    else:
        message = (
            "the release of this image is unknown, so config and flags stay as they are written, whatever it reads"
        )
        cure += ", or the release that the image holds"
        taken = PickerRelease(_AS_WRITTEN, "unknown")
    return taken, [
        in_template(resolved, where, message, cure, place=PICKER_TEMPLATE, code=CODE, severity="warning", value=image)
    ]


def unread_default(release: PickerRelease, resolved: Resolved, number: int) -> list[Finding]:
    """A warning where nobody writes a config, and the release is older than the form of loco's own."""
    if release.number >= DEFAULT_FORM or release.number == _AS_WRITTEN:
        return []
    message = (
        f"loco's own config has the form of release 0.9 and later, which the picker of {release.text} doesn't read"
    )
    cure = "router: {scheduler: {config: {inline: …}}} in the form of that release, or the preset's image"
    where = ("containers", number, "image")
    return [in_template(resolved, where, message, cure, place=PICKER_TEMPLATE, code=CODE, severity="warning")]


def _is_presets(resolved: Resolved, path: tuple[str | int, ...]) -> bool:
    return resolved.origin_at(*path).layer.startswith("preset:")


def _tag_of(image: str) -> str | None:
    """The tag of an image whose tags count as the annotation does."""
    name, _, tag = image.partition("@")[0].rpartition("/")[2].partition(":")
    return tag if name in _COUNTED and tag else None
