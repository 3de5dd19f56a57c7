"""Labels that would like to be something else."""

from __future__ import annotations

HOSTILE = [
    "</script><script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    "\"double\" and 'single'",
    "\U0001f468‍\U0001f469‍\U0001f467 family",
    "مرحبا بالعالم",
    "\u202eevil",
    "x" * 10_000,
    "\x00\x1b[31mred\x07",
    "=cmd|' /C calc'!A0",
    "{{ 7 * 7 }}{% raw %}",
    "<!-- --><![CDATA[",
    "[bold red]markup[/bold red]",
    "&lt;b&gt;",
    "\ud800",
    "\u2028\u2029",
    "",
]


def hostile_clusterings() -> tuple[dict[str, str], dict[str, str]]:
    """Three points with each label; the third of each goes astray."""
    true = {f"{label}-{i}": label for label in HOSTILE for i in range(3)}
    pred = {
        point: HOSTILE[(k + (i == 2)) % len(HOSTILE)]
        for (k, i), point in zip(((k, i) for k in range(len(HOSTILE)) for i in range(3)), true, strict=True)
    }
    return true, pred
