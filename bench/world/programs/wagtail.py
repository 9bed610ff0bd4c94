"""Wagtail: pages of a site, edited in its admin; and Django's own admin for its users."""

from __future__ import annotations

from collections.abc import Sequence

from bench.task.script import Look, Script, click, fill, first
from bench.world.program import Home, Program

DB = "db.sqlite3"
_MAKE = """
from django.contrib.auth.models import User
User.objects.create_superuser('mia', 'mia@example.org', 'lighthouse')
User.objects.create_user('tom', 'tom@example.org', 'anchorage')
from wagtail.models import Page
from home.models import HomePage
home = HomePage.objects.first()
home.add_child(instance=HomePage(title='Opening hours', slug='opening-hours'))
home.add_child(instance=HomePage(title='Old news', slug='old-news'))
"""


def _start(home: Home) -> Sequence[str]:
    home.run("wagtail", "start", "harbour", ".")
    with (home.folder / "harbour" / "settings" / "dev.py").open("a") as settings:
        settings.write(
            "\nWAGTAIL_ENABLE_UPDATE_CHECK = False\nWAGTAIL_ENABLE_WHATS_NEW_BANNER = False\n"
            "DATABASES['default']['OPTIONS'] = {'init_command': 'PRAGMA synchronous=OFF'}\n"
        )
    home.run("python", "manage.py", "migrate", "--verbosity", "0")
    home.run("python", "manage.py", "shell", "-c", _MAKE)
    return [home.program("python"), "manage.py", "runserver", "--noreload", f"127.0.0.1:{home.port}"]


PROGRAM = Program("wagtail", _start, "/admin/login/")


def _page(home: Home, title: str) -> list[tuple[object, ...]]:
    return home.rows(DB, "select title, live from wagtailcore_page where title = ?", title)


@PROGRAM.task("log in as mia with the password lighthouse", "/admin/login/", expected="mia", asks=1)
def log_in() -> Script:
    yield [
        fill({"Enter your username|Username": "mia", "Enter password|Password": "lighthouse"}),
        click("Sign in", kind="button"),
    ]
    return first((yield Look(r"\b(mia)\b")))


@PROGRAM.task(
    "name the page Opening hours Opening times and publish it", "/admin/pages/4/edit/",
    lambda home: _page(home, "Opening times") == [("Opening times", 1)], asks=1,
)  # fmt: skip
def publish_a_page() -> Script:
    yield fill({"Title.*|Page title.*": "Opening times"})
    yield click("More actions")
    yield click("Publish", kind="button")
    return "published"


@PROGRAM.task(
    "make a draft named Ferries below the home page", "/admin/pages/add/home/homepage/3/",
    lambda home: _page(home, "Ferries") == [("Ferries", 0)],
)  # fmt: skip
def make_a_draft() -> Script:
    yield fill({"Title.*|Page title.*": "Ferries"})
    yield click("Save draft")
    return "made"


@PROGRAM.task(
    "delete the page Old news", "/admin/pages/5/delete/", lambda home: not _page(home, "Old news"), asks=1
)
def delete_a_page() -> Script:
    yield click("Yes, delete it|Yes, delete.*")
    return "deleted"


@PROGRAM.task(
    "in the admin of Django: give tom the first name Tom and the e-mail tom@harbour.example", "/django-admin/auth/user/2/change/",
    lambda home: home.rows(DB, "select first_name, email from auth_user where username = 'tom'") == [("Tom", "tom@harbour.example")],
    asks=1,
)  # fmt: skip
def change_a_user() -> Script:
    yield fill({"First name:": "Tom", "Email address:": "tom@harbour.example"})
    yield click("Save", kind="button")
    return "changed"
