"""Counts and seconds, in words of constant width and honest precision."""


def seconds_text(seconds: float) -> str:
    """A duration with three digits that mean something.

    >>> seconds_text(0.0000042), seconds_text(0.0123), seconds_text(1.5), seconds_text(75.0), seconds_text(7500.0)
    ('4.2 µs', '12.3 ms', '1.50 s', '75.0 s', '2 h 05 min')
    """
    if seconds <= 0:
        return "0 s"
    if seconds < 0.9995e-3:
        return f"{seconds * 1e6:.1f} µs" if seconds < 99.95e-6 else f"{seconds * 1e6:.0f} µs"
    if seconds < 0.9995:
        return f"{seconds * 1e3:.1f} ms" if seconds < 0.09995 else f"{seconds * 1e3:.0f} ms"
    if seconds < 9.995:
        return f"{seconds:.2f} s"
    if seconds < 600:
        return f"{seconds:.1f} s"
    minutes = round(seconds / 60)
    return f"{minutes} min" if minutes < 120 else f"{minutes // 60:,} h {minutes % 60:02d} min"


def counted(number: int, noun: str, plural: str = "") -> str:
    """A number with its noun.

    >>> counted(1, "trace"), counted(1200, "trace"), counted(2, "miss", "misses")
    ('1 trace', '1,200 traces', '2 misses')
    """
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {plural or noun + 's'}"


def share_text(part: float, whole: float) -> str:
    """A part of a whole in percent, never rounded to all or nothing.

    >>> share_text(1, 3), share_text(1, 1000), share_text(0, 3)
    ('33 %', '<1 %', '0 %')
    """
    if whole <= 0 or part <= 0:
        return "0 %"
    percent = 100 * part / whole
    if percent < 1:
        return "<1 %"
    return f"{percent:.0f} %" if percent <= 99 or part >= whole else ">99 %"
