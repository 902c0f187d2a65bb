"""Demonstrations for a supervised warm start: the prompt and the oracle's reply as one conversation."""

from ecomrlve.outputs.layout import Layout, Leaf
from ecomrlve.outputs.targets.base import RECIPE, Target, columns

TARGET = Target(
    Layout(columns("label", messages=Leaf("demonstration", list), recipe=RECIPE)),
    """\
**A warm start**: `messages` ends with a reply worth full marks, so any trainer of chat demonstrations reads it.

```python
from datasets import load_dataset
from trl import SFTConfig, SFTTrainer

rows = load_dataset("OUT", split="train").select_columns("messages")
SFTTrainer(model=..., train_dataset=rows, args=SFTConfig(assistant_only_loss=True))
```
""",
)
