"""verl: its five columns; files are given as a list."""

from ecomrlve.outputs.layout import Layout
from ecomrlve.outputs.targets.base import Target, columns

TARGET = Target(
    Layout(columns("prompt", "data_source", "ability", "reward_model", "extra_info")),
    """\
**verl** takes a list of files:

```
data.train_files="[$(ls OUT/data/train-*.parquet | paste -sd,)]" data.prompt_key=prompt
reward.custom_reward_function.path=$(python -c 'import ecomrlve.outputs.rewards.verl as m; print(m.__file__)')
reward.custom_reward_function.name=compute_score
```
""",
)
