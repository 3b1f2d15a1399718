"""Add up the counts of several pytest runs, from their JUnit files, into one closing line."""

import sys
import xml.etree.ElementTree as ElementTree


def main(paths: list[str]) -> None:
    """Print ``N passed, N failed, N skipped`` for all files together."""
    total = failed = skipped = 0
    for path in paths:
        for suite in ElementTree.parse(path).getroot().iter("testsuite"):
            total += int(suite.get("tests"))
            failed += int(suite.get("failures")) + int(suite.get("errors"))
            skipped += int(suite.get("skipped"))
    print(f"total: {total - failed - skipped} passed, {failed} failed, {skipped} skipped")


if __name__ == "__main__":
    main(sys.argv[1:])
