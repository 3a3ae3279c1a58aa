"""Which label means member."""

from collections.abc import Collection

from gaussdp.errors import DomainError

_MEMBER = {"1", "true", "t", "yes", "y", "in", "member"}
_NONMEMBER = {"0", "false", "f", "no", "n", "out", "nonmember", "non-member"}


def member_label(labels: Collection[str], member_value: str | None) -> str:
    """The label that means member, among the one or two distinct labels found.

    Args:
        labels: the distinct labels, as text.
        member_value: the one that means member; None recognises 1/0, true/false, yes/no, in/out, member/nonmember.
    """
    found = ", ".join(repr(label) for label in sorted(labels)[:4])
    if len(labels) > 2:
        raise DomainError(
            None, problem="member labels must be two-valued", got=f"{found}{', ...' if len(labels) > 4 else ''}"
        )
    if member_value is not None:
        wanted = [label for label in labels if label == member_value or plain(label) == plain(member_value)]
        if not wanted:
            raise DomainError(
                None, problem=f"no row has the member label {member_value!r}", advice=f"the labels are {found}"
            )
        return wanted[0]
    members = [label for label in labels if plain(label) in _MEMBER]
    others = [label for label in labels if plain(label) in _NONMEMBER]
    if len(members) + len(others) < len(labels) or max(len(members), len(others)) > 1:
        raise DomainError(
            None, problem=f"which label means member is unclear among {found}", advice="say so with a member value"
        )
    if not members or not others:
        missing = "member" if not members else "nonmember"
        raise DomainError(
            None, problem=f"the scores hold no {missing}: every label is {found}", advice="an audit compares two sides"
        )
    return members[0]


def plain(label: str) -> str:
    """The label without case, spaces and a trailing .0."""
    return label.strip().lower().removesuffix(".0")


def means_member(label: str, member_value: str | None) -> bool:
    """Whether a label means member, where the others are not known yet; any other label than the member's means not."""
    if member_value is not None:
        return plain(label) == plain(member_value)
    if plain(label) not in _MEMBER | _NONMEMBER:
        raise DomainError(
            None, problem=f"whether {label!r} means member is unclear", advice="say so with a member value"
        )
    return plain(label) in _MEMBER
