"""What could be a secret isn't shown, and everything else is."""

import time
from typing import Any

import pytest

from loco.cli.diff.shown import shown

HIDDEN = "(hidden)"


@pytest.mark.parametrize(
    ("path", "value", "expected"),
    [
        ("spec.replicas", 2, 2),
        ("spec.auth.apiKey", "sk-pasted", HIDDEN),
        ("spec.auth.apiKey", {"secretRef": {"name": "openai", "key": "token"}}, {"secretRef": {"name": "openai", "key": "token"}}),
        ("spec.template.containers[main].env[HF_TOKEN].value", "hf_pasted", HIDDEN),
        ("spec.template.containers[main].env", [{"name": "HF_TOKEN", "value": "x"}, {"name": "A", "value": "b"}], [{"name": "HF_TOKEN", "value": HIDDEN}, {"name": "A", "value": "b"}]),
        ("spec.url", "https://me:pasted@example.com", f"https://{HIDDEN}@example.com"),
        ("args", ["--api-key", "pasted", "--port", "80"], ["--api-key", HIDDEN, "--port", "80"]),
        ("args", ["--api-key=pasted", "--max-num-batched-tokens=8192"], [f"--api-key={HIDDEN}", "--max-num-batched-tokens=8192"]),
        ("args", ["--max-num-batched-tokens", "8192", "--api-key", "--port"], ["--max-num-batched-tokens", "8192", "--api-key", "--port"]),
        ("args", ["--tokenizer", "org/model", "--tokenizer=org/model"], ["--tokenizer", "org/model", "--tokenizer=org/model"]),
        ("command", ["sh", "-c", 'export HF_TOKEN=pasted\nKEY=$HF_TOKEN KEY="$A" run'], ["sh", "-c", f'export HF_TOKEN={HIDDEN}\nKEY=$HF_TOKEN KEY="$A" run']),
        ('data["c.yaml"]', "level: info\napi_key: sk-pasted\n  password: 'a b'\nmax_tokens: 8192\n", f"level: info\napi_key: {HIDDEN}\n  password: {HIDDEN}\nmax_tokens: 8192\n"),
        ('data["c.yaml"]', "Authorization: Bearer pasted\nkeys: {a_key: pasted, b: c}\ntoken:\n  from: file\n", f"Authorization: {HIDDEN}\nkeys: {{a_key: {HIDDEN}, b: c}}\ntoken:\n  from: file\n"),
        ('data["c.json"]', '{"apiKey": "pa,sted", "tokenizer": "org/model", "max_tokens": 4}', f'{{"apiKey": {HIDDEN}, "tokenizer": "org/model", "max_tokens": 4}}'),
        ('data["c.toml"]', 'secret = "pasted too"\nkey=$KEY\napi_key: ${KEY}\nurl = "http://a"\n', f'secret = {HIDDEN}\nkey=$KEY\napi_key: ${{KEY}}\nurl = "http://a"\n'),
        ("credentials.openai.token", {"config": "openaiToken"}, {"config": "openaiToken"}),
    ],
)  # fmt: skip
def test_shown(path: str, value: Any, expected: Any) -> None:
    assert shown(value, path) == expected


@pytest.mark.parametrize("text", ["A", "key", "a-", "token.", 'key="'])
def test_long_text_takes_no_time(text: str) -> None:
    """Such as a certificate, or an adapter in base64; what takes the square of its length would take hours."""
    long = text * (300_000 // len(text))
    begin = time.process_time()
    assert shown(f"{long} api_key=pasted", "data.x").endswith(f" api_key={HIDDEN}")
    assert time.process_time() - begin < 5
