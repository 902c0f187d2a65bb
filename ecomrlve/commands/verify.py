"""``ecomrlve verify``: judge a file of replies."""

from pathlib import Path

import click

from ecomrlve.cli import debug_option


@click.command()
@click.argument("shards", type=click.Path(path_type=Path))
@click.argument("replies", type=click.Path(path_type=Path))
@click.option("--out", type=click.Path(path_type=Path), required=True, help="JSON lines, or Parquet by its suffix.")
@debug_option
def command(shards: Path, replies: Path, out: Path) -> None:
    """Judge REPLIES to the tasks in SHARDS.

    REPLIES is JSON lines or Parquet with task_id and reply, several per task if you like. Lines that cannot be judged
    are listed in a .rejects.jsonl file beside the verdicts. The exit code is 1 where no line could be judged.
    """
    from rich.table import Table

    from ecomrlve.commands.terminal import Watch, tables
    from ecomrlve.errors import ShardError
    from ecomrlve.outputs.verdicts import judge_replies, rejects_file

    with Watch(None, "replies") as watch:
        tally = judge_replies(shards, replies, out, progress=watch)
    table = Table(box=None, pad_edge=False)
    names = ("correct", "partial", "wrong", "unparsed", "invalid")
    for heading in ("environment", "level", "replies", *names, "mean score"):
        table.add_column(heading, justify="left" if heading == "environment" else "right")
    for (env, level), outcomes in sorted(tally.outcomes.items()):
        replies_here = outcomes.total()
        score = tally.scores[env, level] / replies_here
        table.add_row(env, str(level), f"{replies_here:,}", *(f"{outcomes[name]:,}" for name in names), f"{score:.3f}")
    if tally.judged:
        tables().print(table)
    for reason, count in sorted(tally.rejected.items()):
        click.echo(f"{count:,} not judged: {reason} (listed in {rejects_file(out)})", err=True)
    if not tally.judged:
        raise ShardError(f"no reply in {replies} could be judged")
