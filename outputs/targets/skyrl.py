"""SkyRL: ``env_class`` names the registered environment; every other column reaches it as an extra."""

from ecomrlve.outputs.layout import Layout
from ecomrlve.outputs.targets.base import Target, columns

TARGET = Target(
    Layout(columns("prompt", "data_source", "env_class", "reward_spec", "extra_info")),
    """\
**SkyRL**: call `ecomrlve.outputs.rewards.skyrl.register()` inside the Ray entry point, then

```
data.train_data="['OUT/data/train-00000-of-00010.parquet', …]" environment.env_class=ecomrlve
```
""",
)
