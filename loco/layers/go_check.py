"""What is wrong with a Go template expression whatever the service: names that don't exist, arguments too few or many."""

from loco.layers.go_fields import ANY, ROOT, SCALAR, Shape, fields_of
from loco.layers.go_tokens import FUNCTIONS, Call, Expression, Literal
from loco.spec.suggest import close_to

Problem = tuple[str, str]  # what is wrong, and what to write instead


def problems_of(expression: Expression) -> list[Problem]:
    """Everything that is wrong with the names in an expression."""
    problems: list[Problem] = []
    _walk(expression, problems)
    return problems


def _walk(expression: Expression, problems: list[Problem]) -> Shape | None:
    """The shape of an expression's value, None where it isn't known, with problems added to the list."""
    if isinstance(expression, Literal):
        return SCALAR
    if isinstance(expression, Call):
        return _walk_call(expression, problems)
    shape = _walk(expression.base, problems) if expression.base is not None else ROOT
    way = "(…)" if expression.base is not None else ""
    for name in expression.names:
        if shape is None:
            return None
        below = member(shape, name)
        if below is None:
            problems.append(unknown_field(shape, name, way))
            return None
        shape, way = below, f"{way}.{name}"
    return shape


def _walk_call(call: Call, problems: list[Problem]) -> Shape | None:
    shapes = [_walk(argument, problems) for argument in call.arguments]
    fewest, most = FUNCTIONS[call.function]
    if not fewest <= len(shapes) <= most:
        wanted = str(fewest) if fewest == most else f"at least {fewest}"
        message = (
            f"{call.function} takes {wanted} argument{'' if wanted.endswith('1') else 's'}, and gets {len(shapes)}"
        )
        problems.append((message, "the function with its arguments, as in docs/templates.md"))
        return None
    if call.function != "index":
        return None if call.function in ("or", "and") else SCALAR
    shape = shapes[0]
    for _ in shapes[1:]:
        shape = shape.of if shape is not None and isinstance(shape.of, Shape) else None
    return shape


def member(shape: Shape, name: str) -> Shape | None:
    """The shape of a field, None where there is no such field."""
    if shape.kind == "map" and isinstance(shape.of, Shape):
        return shape.of
    found = fields_of(shape).get(name)
    return found[1] if found is not None else None


def unknown_field(shape: Shape, name: str, way: str) -> Problem:
    """What to say of a name that a shape doesn't have.

    Args:
        way: the names before it, ``.Spec.Model``.
    """
    known = fields_of(shape)
    holder = way or "a service"
    if not known:
        why = "is free-form" if shape == ANY else "is a list" if shape.kind == "list" else "is a plain value"
        return f"there is no {way}.{name}: {holder} {why}", f"{way} with index" if shape.kind == "list" else way
    near = close_to(name, known)
    if near is not None:
        return f"there is no {way}.{name}; the nearest known field is {way}.{near}", f"{way}.{near}"
    return f"there is no {way}.{name}", f"one of the known fields of {holder}: {', '.join(sorted(known))}"
