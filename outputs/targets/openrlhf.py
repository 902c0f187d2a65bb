"""OpenRLHF: only the prompt, one label and ``datasource`` (so spelt) reach the reward function."""

from ecomrlve.outputs.layout import Layout, Leaf
from ecomrlve.outputs.targets.base import RECIPE, Target, columns

TARGET = Target(
    Layout(columns("prompt", "label", datasource=Leaf("data_source"), recipe=RECIPE)),
    """\
**OpenRLHF** reads a folder (no comma in its path, please: it takes those for more folders):

```
--data.prompt_dataset OUT --data.input_key prompt --data.label_key label --data.apply_chat_template
--reward.remote_url $(python -c 'import ecomrlve.outputs.rewards.openrlhf as m; print(m.__file__)')
```
""",
)
