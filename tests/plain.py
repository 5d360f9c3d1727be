"""What a reader sees of a text: a no-break space is a space, and spaces in a row are one."""


def plain(text: str) -> str:
    return " ".join(text.split())
