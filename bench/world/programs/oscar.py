"""django-oscar: a shop with a basket, a checkout and a dashboard, on the settings that its manual gives."""

from __future__ import annotations

from collections.abc import Sequence

from bench.task.script import Look, Script, click, fill, first
from bench.world.program import Home, Program

DB = "db.sqlite3"
_SETTINGS = """
from oscar.defaults import *
import os
BASE = os.path.dirname(os.path.abspath(__file__))
SECRET_KEY, DEBUG, ALLOWED_HOSTS, ROOT_URLCONF, SITE_ID = 'k' * 50, True, ['*'], 'urls', 1
USE_TZ, TIME_ZONE, LANGUAGE_CODE, STATIC_URL, MEDIA_URL = True, 'UTC', 'en-gb', '/static/', '/media/'
DEFAULT_AUTO_FIELD = 'django.db.models.AutoField'
DATABASES = {'default': {'ENGINE': 'django.db.backends.sqlite3', 'NAME': os.path.join(BASE, 'db.sqlite3'), 'ATOMIC_REQUESTS': True, 'OPTIONS': {'init_command': 'PRAGMA synchronous=OFF'}}}
import oscar
INSTALLED_APPS = oscar.INSTALLED_APPS
MIDDLEWARE = [
    'django.contrib.sessions.middleware.SessionMiddleware', 'django.middleware.common.CommonMiddleware',
    'django.middleware.csrf.CsrfViewMiddleware', 'django.contrib.auth.middleware.AuthenticationMiddleware',
    'django.contrib.messages.middleware.MessageMiddleware', 'oscar.apps.basket.middleware.BasketMiddleware',
    'django.contrib.flatpages.middleware.FlatpageFallbackMiddleware',
]
AUTHENTICATION_BACKENDS = ('oscar.apps.customer.auth_backends.EmailBackend', 'django.contrib.auth.backends.ModelBackend')
TEMPLATES = [{'BACKEND': 'django.template.backends.django.DjangoTemplates', 'APP_DIRS': True, 'DIRS': [], 'OPTIONS': {'context_processors': [
    'django.template.context_processors.debug', 'django.template.context_processors.request',
    'django.contrib.auth.context_processors.auth', 'django.contrib.messages.context_processors.messages',
    'oscar.apps.search.context_processors.search_form', 'oscar.apps.checkout.context_processors.checkout',
    'oscar.apps.communication.notifications.context_processors.notifications', 'oscar.core.context_processors.metadata']}}]
HAYSTACK_CONNECTIONS = {'default': {'ENGINE': 'haystack.backends.simple_backend.SimpleEngine'}}
EMAIL_BACKEND = 'django.core.mail.backends.dummy.EmailBackend'
OSCAR_DEFAULT_CURRENCY, OSCAR_SHOP_NAME, OSCAR_ALLOW_ANON_CHECKOUT = 'EUR', 'Harbour shop', True
THUMBNAIL_DUMMY = True
"""
_URLS = """
from django.apps import apps
from django.contrib import admin
from django.urls import include, path
urlpatterns = [path('i18n/', include('django.conf.urls.i18n')), path('admin/', admin.site.urls), path('', include(apps.get_app_config('oscar').urls[0]))]
"""
_MANAGE = """
import os, sys
os.environ['DJANGO_SETTINGS_MODULE'] = 'shop_settings'
from django.core.management import execute_from_command_line
execute_from_command_line(sys.argv)
"""
_MAKE = """
from decimal import Decimal
from django.contrib.auth.models import User
from django.contrib.sites.models import Site
from oscar.core.loading import get_model
from oscar.apps.catalogue.categories import create_from_breadcrumbs
get = get_model
User.objects.create_superuser('mia', 'mia@example.org', 'lighthouse')
get('address', 'Country').objects.create(iso_3166_1_a2='DE', iso_3166_1_a3='DEU', iso_3166_1_numeric='276', printable_name='Germany', name='Germany', is_shipping_country=True)
get('address', 'Country').objects.create(iso_3166_1_a2='NL', iso_3166_1_a3='NLD', iso_3166_1_numeric='528', printable_name='Netherlands', name='Netherlands', is_shipping_country=True)
kind = get('catalogue', 'ProductClass').objects.create(name='Goods', requires_shipping=True, track_stock=True)
partner = get('partner', 'Partner').objects.create(name='Quay', code='quay')
for title, price, stock, place in (('Brass compass', '24.90', 5, 'Navigation'), ('Sextant', '189.00', 1, 'Navigation'), ('Signal flag', '7.50', 40, 'Deck'), ('Rope 20 m', '18.20', 12, 'Deck'), ('Deck brush', '11.00', 9, 'Deck')):
    product = get('catalogue', 'Product').objects.create(title=title, product_class=kind, upc=title[:6], description=f'{title} for boats.')
    product.categories.add(create_from_breadcrumbs(place))
    get('partner', 'StockRecord').objects.create(product=product, partner=partner, partner_sku=title, price_currency='EUR', price=Decimal(price), num_in_stock=stock)
"""


def _start(home: Home) -> Sequence[str]:
    for file, text in (("shop_settings.py", _SETTINGS), ("urls.py", _URLS), ("manage.py", _MANAGE)):
        home.write(file, text)
    home.run("python", "manage.py", "migrate", "--verbosity", "0")
    home.run("python", "manage.py", "shell", "-c", _MAKE)
    return [home.program("python"), "manage.py", "runserver", "--noreload", f"127.0.0.1:{home.port}"]


PROGRAM = Program("oscar", _start)


def _basket(home: Home) -> dict[str, int]:
    query = (
        "select p.title, l.quantity from basket_line l join catalogue_product p on p.id = l.product_id "
        "join basket_basket b on b.id = l.basket_id where b.status = 'Open'"
    )
    return dict(home.rows(DB, query))


@PROGRAM.task("what does the sextant cost?", "/catalogue/", expected="189.00")
def find_a_price() -> Script:
    yield click("Sextant")
    return first((yield Look(r"189\.00")))


@PROGRAM.task(
    "put a signal flag into the basket",
    "/catalogue/",
    lambda home: _basket(home) == {"Signal flag": 1},
    asks=1,
)
def put_into_the_basket() -> Script:
    yield click("Signal flag")
    yield click("Add to basket", kind="button")
    return "put in"


@PROGRAM.task(
    "I need 3 of the flags in the basket", "/basket/", lambda home: _basket(home) == {"Signal flag": 3}
)
def change_the_quantity() -> Script:
    yield fill({"Quantity.*|": "3"}, near="Signal flag")
    yield click("Update")
    return "changed"


@PROGRAM.task("search for rope: what is it called?", "/", expected="Rope 20 m")
def search() -> Script:
    yield fill({"Search.*": "rope"}, submit=True)
    return first((yield Look(r"Rope \d+ m")))


@PROGRAM.task("make an account for ann@example.org with the password Anchorage-77", "/accounts/login/",
              lambda home: home.rows(DB, "select email from auth_user where email = 'ann@example.org'") == [("ann@example.org",)], asks=1)  # fmt: skip
def make_an_account() -> Script:
    yield [
        fill(
            {
                "Email address": "ann@example.org",
                "Password": "Anchorage-77",
                "Confirm password": "Anchorage-77",
            },
            near="Register",
        )
    ]
    yield click("Register", kind="button")
    return "made"
