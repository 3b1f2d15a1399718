"""The page in Chromium: nothing for axe to find, every control by keyboard, no console message."""

import shutil

import pytest
from report.accounts import training_account
from report.test_html import hostile_account

from stagelight.report.html import page_html

pytestmark = pytest.mark.browser

CHROMIUM = shutil.which("chromium") or "/usr/bin/chromium"
FLAGS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


@pytest.fixture(scope="module")
def browser():
    playwright = pytest.importorskip("playwright.sync_api")
    with playwright.sync_playwright() as running:
        browser = running.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield browser
        browser.close()


@pytest.fixture
def opened(browser, tmp_path):
    """Opens an account's page; fails at the end if the console said anything or a request left the file."""
    said: list[str] = []

    def open_page(account=None, **options):
        path = tmp_path / "report.html"
        path.write_text(page_html(account or training_account()), "utf-8")
        page = browser.new_page(**({"viewport": {"width": 1280, "height": 900}} | options))
        page.on("console", lambda message: said.append(message.text))
        page.on("pageerror", lambda error: said.append(str(error)))
        page.on(
            "request", lambda request: None if request.url.startswith(("file:", "data:")) else said.append(request.url)
        )
        page.goto(path.as_uri())
        return page

    yield open_page
    for context in browser.contexts:
        context.close()
    assert said == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1280, 390])
def test_axe_finds_nothing(opened, scheme, width):
    from axe_playwright_python.sync_playwright import Axe

    page = opened(color_scheme=scheme, viewport={"width": width, "height": 900})
    page.evaluate("document.querySelectorAll('details').forEach((fold) => { fold.open = true; })")
    found = Axe().run(page).response["violations"]
    assert [(rule["id"], [node["html"] for node in rule["nodes"]]) for rule in found] == []


@pytest.mark.parametrize("width", [1280, 390, 320])
def test_the_page_itself_never_scrolls_sideways(opened, width):
    page = opened(viewport={"width": width, "height": 900})
    assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_a_hostile_ledger_runs_nothing(opened):
    page = opened(hostile_account())
    page.on("dialog", lambda dialog: pytest.fail("a script of the ledger ran"))
    assert page.evaluate("document.images.length") == 0
    assert page.locator(".timeline canvas").count() == 1


def test_every_control_is_reached_by_keyboard(opened):
    page = opened()
    page.evaluate("document.querySelectorAll('details').forEach((fold) => { fold.open = true; })")
    controls = "a[href], button:not([hidden]), input, summary, canvas, [tabindex='0']"
    count = page.evaluate(
        f"[...document.querySelectorAll({controls!r})].map((one, n) => one.dataset.control = n).length"
    )
    reached: set[str] = set()
    for _ in range(count + 5):
        page.keyboard.press("Tab")
        number = page.evaluate("document.activeElement.dataset.control")
        if number is not None:
            reached.add(number)
    assert len(reached) == count


def test_focus_is_visible_on_what_tab_reaches(opened):
    page = opened()
    page.keyboard.press("Tab")
    page.keyboard.press("Tab")
    assert page.evaluate("getComputedStyle(document.activeElement).outlineStyle") == "solid"


def test_a_span_is_chosen_and_read_out_by_keyboard(opened):
    page = opened()
    canvas, readout = page.locator(".timeline canvas").first, page.locator(".readout")
    canvas.focus()
    page.keyboard.press("ArrowRight")
    assert readout.inner_text() == "train_step: trace of 500.0 ms, at 1.000 s, thread 0"
    page.keyboard.press("End")
    assert readout.inner_text().startswith("loss: compile of 100.0 ms, avoidable, at 6.050 s")
    page.keyboard.press("ArrowLeft")
    assert readout.inner_text().startswith("loss: trace")
    page.keyboard.press("Home")
    assert readout.inner_text().startswith("train_step: trace")
    page.keyboard.press("ArrowDown")
    assert page.evaluate("document.activeElement.getAttribute('aria-label')").startswith("Timeline of thread 1")


def test_zoom_and_reset_redraw_the_lanes(opened):
    page = opened()
    canvas = page.locator(".timeline canvas").first
    image = "document.querySelector('.timeline canvas').toDataURL()"
    whole = page.evaluate(image)
    canvas.focus()
    page.keyboard.press("+")
    near = page.evaluate(image)
    assert near != whole
    page.get_by_role("button", name="Whole run").press("Enter")
    assert page.evaluate(image) == whole


def test_columns_of_numbers_sort_by_keyboard(opened):
    page = opened()
    button = page.get_by_role("button", name="compiles").first
    names = "[...document.querySelectorAll('#functions table')[0].tBodies[0].rows].map((row) => row.cells[0].innerText)"
    button.press("Enter")
    assert page.evaluate(names) == ["epoch.loss", "train_step", "evaluate", "add"]
    button.press("Enter")
    assert page.evaluate(names)[0] in ("evaluate", "add")
    assert page.locator("th[aria-sort]").count() == 1


def test_the_filter_leaves_the_functions_that_hold_all_words(opened):
    page = opened()
    page.get_by_role("searchbox").fill("weak train.py")
    assert page.locator("section.function:visible").count() == 1
    assert page.locator(".tools [role=status]").inner_text() == "1 of 5 functions"
    page.get_by_role("searchbox").fill("")
    assert page.locator("section.function:visible").count() == 5


def test_one_button_opens_and_closes_all_functions(opened):
    page = opened()
    page.get_by_role("button", name="Open all").press("Enter")
    assert page.locator("section.function > details[open]").count() == 5
    page.get_by_role("button", name="Close all").press("Enter")
    assert page.locator("section.function > details[open]").count() == 0


def test_a_link_to_a_function_opens_it(opened):
    page = opened()
    page.get_by_role("button", name="Open all").press("Enter")
    page.get_by_role("button", name="Close all").press("Enter")
    page.get_by_role("link", name="evaluate").press("Enter")
    page.wait_for_function("document.querySelector('section.function > details[open]') !== null")
    assert "evaluate" in page.evaluate("document.activeElement.textContent")


def test_the_button_switches_the_theme_and_redraws(opened):
    page = opened(color_scheme="light")
    background, image = (
        "getComputedStyle(document.body).backgroundColor",
        "document.querySelector('canvas').toDataURL()",
    )
    before = page.evaluate(background), page.evaluate(image)
    page.get_by_role("button", name="Switch to dark colours").press("Enter")
    after = page.evaluate(background), page.evaluate(image)
    assert before[0] != after[0]
    assert before[1] != after[1]
    assert page.get_by_role("button", name="Switch to light colours").count() == 1


def test_without_script_the_page_still_reads(opened, browser, tmp_path):
    path = tmp_path / "plain.html"
    path.write_text(page_html(training_account()), "utf-8")
    page = browser.new_context(java_script_enabled=False).new_page()
    page.goto(path.as_uri())
    assert page.get_by_text("The drawing needs the page's own script").is_visible()
    assert page.get_by_text("batch['image']").first.is_visible()
    assert not page.locator("#theme").is_visible()
