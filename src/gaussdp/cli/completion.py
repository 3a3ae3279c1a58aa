"""gaussdp completion: the script that teaches a shell our options."""

import click
from click.shell_completion import get_completion_class

SHELLS = ("bash", "zsh", "fish")


@click.command()
@click.argument("shell", type=click.Choice(SHELLS))
@click.pass_context
def completion(ctx: click.Context, shell: str) -> None:
    """Print the completion script for your shell.

    \b
    Examples:
      eval "$(gaussdp completion bash)"
      gaussdp completion fish > ~/.config/fish/completions/gaussdp.fish
    """
    script = get_completion_class(shell)
    if script is None:
        raise click.UsageError(f"this version of click has no completion for {shell}")
    click.echo(script(ctx.find_root().command, {}, "gaussdp", "_GAUSSDP_COMPLETE").source())
