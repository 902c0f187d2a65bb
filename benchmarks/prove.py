"""The laws by the hundred thousand: `ecomrlve truth`, run from a checkout.

python benchmarks/prove.py --count 800000 --out docs/truth.md
python benchmarks/prove.py --count 2000 --env PD --levels 4-8 --workers 1
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from ecomrlve.commands.truth import command

if __name__ == "__main__":
    command()
