"""slime: one file per split, since ``--prompt-data`` takes one; ``metadata`` is a struct."""

from ecomrlve.outputs.layout import Layout
from ecomrlve.outputs.targets.base import RECIPE, Target, columns

TARGET = Target(
    Layout(columns("prompt", "label", "metadata", "tools", recipe=RECIPE)),
    """\
**slime** takes one file (`--target slime` writes one per split):

```
--prompt-data OUT/data/train-00000-of-00001.parquet --input-key prompt --apply-chat-template
--label-key label --metadata-key metadata --custom-rm-path ecomrlve.outputs.rewards.slime.custom_rm
```
""",
    one_file=True,
)
