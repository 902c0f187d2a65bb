"""TRL: the prompt, and the ground truth as ``label``; the other columns reach the reward function and are ignored."""

from ecomrlve.outputs.layout import Layout
from ecomrlve.outputs.targets.base import RECIPE, Target, columns

TARGET = Target(
    Layout(columns("prompt", "label", recipe=RECIPE)),
    """\
**TRL**

```python
from datasets import load_dataset
from ecomrlve.outputs.rewards.trl import reward
from trl import GRPOTrainer

GRPOTrainer(model=..., reward_funcs=reward, train_dataset=load_dataset("OUT", split="train"), args=...)
```
""",
)
