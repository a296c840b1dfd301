"""Gateways that are there, and would or would not take a route: a table."""

import pytest

from tests.cli.pretended_cluster import (
    ACCEPTED,
    CLASS,
    LLM,
    SELECTOR,
    Case,
    assert_said,
    gateway,
    listener,
    route,
)

CASES: dict[str, Case] = {
    "a gateway": (
        [route(", sectionName: a"), route(", sectionName: b").replace("name: r,", "name: s,")],
        [LLM],
        "",
        [("LOCO-MISSING", "error", "no Gateway shared in infra (likewise for HTTPRoute/llm/s)", "platform: {gateway:")],
    ),
    "a gateway that may not be read": (
        [route()],
        [LLM],
        "Gateway",
        [("LOCO-UNCHECKED", "warning", "could not check Gateway shared in infra")],
    ),
    "all is well with a gateway": ([route(", sectionName: http, port: 80")], [LLM, gateway(), ACCEPTED], "", []),
    "a listener": (
        [route(", sectionName: https, port: 443")],
        [LLM, gateway(), ACCEPTED],
        "",
        [("LOCO-MISSING", "error", "no listener called https and on port 443; it has http on 80")],
    ),
    "a gateway class": (
        [route()],
        [LLM, gateway()],
        "",
        [("LOCO-MISSING", "error", "no GatewayClass envoy, which Gateway shared in infra names")],
    ),
    "a gateway class that may not be read": (
        [route()],
        [LLM, gateway()],
        "GatewayClass",
        [("LOCO-UNCHECKED", "warning", "could not check GatewayClass envoy: forbidden")],
    ),
    "a gateway class without a controller": (
        [route()],
        [LLM, gateway(), CLASS.replace("STATE", "Unknown")],
        "",
        [("LOCO-GATEWAY", "error", "isn't accepted by its controller example.com/envoy: told")],
    ),
    "a gateway that its controller refuses": (
        [route()],
        [
            LLM,
            gateway().replace("spec:", 'status: {conditions: [{type: Programmed, status: "False"}]}, spec:'),
            ACCEPTED,
        ],
        "",
        [("LOCO-GATEWAY", "warning", "Gateway shared in infra is not Programmed")],
    ),
    "routes of its own namespace only": (
        [route()],
        [LLM, listener(""), ACCEPTED],
        "",
        [("LOCO-GATEWAY", "error", "listener http: admits routes of its own namespace infra only")],
    ),
    "a route in the gateway's namespace": (
        [route().replace("namespace: llm", "namespace: infra")],
        [LLM.replace("name: llm", "name: infra"), listener(""), ACCEPTED],
        "",
        [],
    ),
    "other kinds of routes only": (
        [route()],
        [LLM, listener(", allowedRoutes: {kinds: [{kind: GRPCRoute}], namespaces: {from: All}}"), ACCEPTED],
        "",
        [("LOCO-GATEWAY", "error", "takes GRPCRoute only")],
    ),
    "another protocol": (
        [route()],
        [LLM, gateway().replace("protocol: HTTP", "protocol: TLS"), ACCEPTED],
        "",
        [("LOCO-GATEWAY", "error", "takes TLSRoute only")],
    ),
    "other hosts": (
        [route().replace("spec: {", "spec: {hostnames: [a.b.example.com, x.org],")],
        [LLM, gateway(", hostname: '*.example.net'"), ACCEPTED],
        "",
        [("LOCO-GATEWAY", "error", "serves *.example.net only, and not a.b.example.com, x.org")],
    ),
    "hosts by wildcard": (
        [route().replace("spec: {", "spec: {hostnames: [a.b.example.com],")],
        [LLM, gateway(", hostname: '*.example.com'"), ACCEPTED],
        "",
        [],
    ),
    "namespaces by label": (
        [route()],
        [
            LLM,
            listener(
                SELECTOR.replace(
                    "RULE",
                    "matchLabels: {kubernetes.io/metadata.name: llm}, matchExpressions: "
                    "[{key: team, operator: In, values: [search]}, {key: x, operator: DoesNotExist}]",
                )
            ),
            ACCEPTED,
        ],
        "",
        [],
    ),
    "other namespaces by label": (
        [route()],
        [
            LLM,
            listener(SELECTOR.replace("RULE", "matchExpressions: [{key: team, operator: NotIn, values: [search]}]")),
            ACCEPTED,
        ],
        "",
        [("LOCO-GATEWAY", "error", "admits namespaces by labels that llm doesn't have")],
    ),
    "labels that may not be read": (
        [route()],
        [listener(SELECTOR.replace("RULE", "matchLabels: {a: b}")), ACCEPTED],
        "Namespace",
        [("LOCO-UNCHECKED", "warning", "could not check Namespace llm: forbidden")],
    ),
    "a gateway of the plan itself": (
        [route(), LLM, listener(""), LLM.replace("name: llm", "name: infra")],
        [ACCEPTED],
        "",
        [("LOCO-GATEWAY", "error", "admits routes of its own namespace infra only")],
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_what_is_said(name: str) -> None:
    assert_said(CASES[name])
