"""The files that describe how to install and start agree with each other and with the settings."""

from __future__ import annotations

import ast
import json
import os
import re
import subprocess
import sys
import threading
import tomllib
from collections import defaultdict
from functools import cache
from http.server import BaseHTTPRequestHandler, HTTPServer
from importlib.metadata import packages_distributions
from importlib.util import find_spec
from typing import Any

import pytest
import yaml

from cli.doctor import own_version
from scripts import check
from scripts.shell import ROOT
from server import VERSION
from server.extras.tools.packages import BROWSER_USE_PACKAGE, BROWSER_USE_PACKAGES
from server.settings import Settings

SETTINGS = {name.upper() for name in Settings.model_fields}


NOT_IMPORTED = {"uvloop", "httptools", "uv", "tzdata"}
"""uvicorn's event loop and parser, a program, and the time zones of systems that have none."""


@cache
def top_level_imports() -> set[str]:
    """The first names of what the product imports."""
    names = set()
    for path in (
        path
        for folder in ("pilothouse", "server", "cli", "wording", "migrations")
        for path in (ROOT / folder).rglob("*.py")
    ):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Import):
                names |= {alias.name.partition(".")[0] for alias in node.names}
            elif isinstance(node, ast.ImportFrom) and node.module:
                names.add(node.module.partition(".")[0])
    return names


def pins(name: str) -> dict[str, str]:
    lines = (ROOT / name).read_text().splitlines()
    words = [
        line.removesuffix(" \\").split(" ;")[0] for line in lines if line and not line.startswith((" ", "#"))
    ]
    assert all(re.fullmatch(r"[a-z0-9._-]+(\[[a-z,]+\])?==\S+", word) for word in words)
    return dict(word.split("==") for word in words)


class TestPins:
    def test_every_python_package_has_one_exact_version_in_both_locks(self) -> None:
        locked, dev_locked = pins("requirements.txt"), pins("requirements-dev.txt")
        assert locked.items() <= dev_locked.items()

    def test_a_wheel_is_built_with_the_locked_version_of_its_builder(self) -> None:
        (builder,) = tomllib.loads((ROOT / "pyproject.toml").read_text())["build-system"]["requires"]
        assert f"\n{builder} " in (ROOT / "requirements-dev.txt").read_text()

    def test_every_wanted_python_package_is_locked(self) -> None:
        wanted = re.findall(r"(?m)^([a-z][a-z0-9-]*)", (ROOT / "requirements.in").read_text())
        assert set(wanted) <= set(pins("requirements.txt"))

    def test_every_wanted_python_package_is_imported(self) -> None:
        """A package that nothing imports is installed for nothing, whatever the documents say of it."""
        modules = defaultdict(set)
        for module, packages in packages_distributions().items():
            for package in packages:
                modules[re.sub(r"[-_.]+", "-", package).lower()].add(module)
        wanted = re.findall(r"(?m)^([a-z][a-z0-9-]*)", (ROOT / "requirements.in").read_text())
        assert {name for name in wanted if not modules[name] & top_level_imports()} == NOT_IMPORTED

    @pytest.mark.parametrize("lock", ["requirements.txt", "requirements-dev.txt"])
    def test_pip_checks_the_hash_of_every_package(self, lock: str) -> None:
        packages = re.split(r"(?m)^(?=[a-z])", (ROOT / lock).read_text())[1:]
        assert packages
        assert [text for text in packages if not re.search(r"\n    --hash=sha256:[0-9a-f]{64}", text)] == []

    def test_browser_use_and_all_below_it_have_one_exact_version(self) -> None:
        locked = pins(str(BROWSER_USE_PACKAGES.relative_to(ROOT)))
        assert f"browser-use[cli]=={locked['browser-use']}" == BROWSER_USE_PACKAGE
        assert {"mcp", "pydantic", "anthropic"} <= set(locked)

    def test_the_mcp_server_is_pinned_exactly_and_locked_at_that_version(self) -> None:
        wanted = json.loads((ROOT / "package.json").read_text())["dependencies"]["@playwright/mcp"]
        locked = json.loads((ROOT / "package-lock.json").read_text())["packages"]
        assert re.fullmatch(r"\d+\.\d+\.\d+", wanted)
        assert locked["node_modules/@playwright/mcp"]["version"] == wanted

    @pytest.mark.parametrize("lock", ["package-lock.json", "web/package-lock.json"])
    def test_a_lock_made_on_one_system_holds_the_packages_for_all(self, lock: str) -> None:
        packages = json.loads((ROOT / lock).read_text())["packages"]
        known = {name.rpartition("node_modules/")[2] for name in packages}
        optional = {name for package in packages.values() for name in package.get("optionalDependencies", {})}
        assert optional <= known

    @pytest.mark.parametrize("lock", ["package-lock.json", "web/package-lock.json"])
    def test_no_lock_names_a_registrys_address(self, lock: str) -> None:
        packages = json.loads((ROOT / lock).read_text())["packages"]
        assert [name for name, package in packages.items() if "resolved" in package] == []


class TestVersion:
    def test_server_and_project_have_one(self) -> None:
        assert tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["version"] == VERSION

    def test_the_command_line_of_a_checkout_knows_its_own(self) -> None:
        assert own_version("no-such-package") == VERSION


class TestCommands:
    def test_ci_runs_the_whole_test_command(self) -> None:
        script = ROOT / ".ci" / "run"
        assert os.access(script, os.X_OK)
        assert "make test" in script.read_text()

    def test_every_make_command_that_the_docs_name_exists(self) -> None:
        targets = set(re.findall(r"(?m)^([a-z0-9]+):", (ROOT / "Makefile").read_text()))
        pages = [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")]
        named = {name for page in pages for name in re.findall(r"`make ([a-z0-9]+)", page.read_text())}
        assert named
        assert named <= targets

    def test_make_test_all_runs_every_check_and_make_test_all_but_the_cluster(self) -> None:
        recipes = dict(
            re.findall(r"(?m)^(test|test-all):.*\n.*\n\t@\$\(CHECK\) (.*)$", (ROOT / "Makefile").read_text())
        )
        every = [name for name in check.CHECKS if name not in ("daily", "story")]
        assert sorted(recipes["test-all"].split()) == sorted(every)
        assert recipes["test"].split() == [name for name in every if name != "cluster"]


@pytest.fixture(scope="module")
def compose() -> dict[str, Any]:
    return yaml.safe_load((ROOT / "docker-compose.yml").read_text())


@pytest.fixture(scope="module")
def kubernetes() -> dict[tuple[str, str], dict[str, Any]]:
    """By kind and name."""
    found = yaml.safe_load_all((ROOT / "deploy" / "kubernetes" / "pilothouse.yaml").read_text())
    return {(one["kind"], one["metadata"]["name"]): one for one in found}


class TestKubernetes:
    SECRET = {"AUTH_TOKEN": "secret", "DATABASE_URL": "postgresql://user:password@host:5432/name"}

    def pods(self, kubernetes: dict[tuple[str, str], dict[str, Any]]) -> dict[str, dict[str, Any]]:
        return {
            name: one["spec"]["template"]["spec"]
            for (kind, name), one in kubernetes.items()
            if kind in ("Deployment", "Job")
        }

    @pytest.mark.parametrize("name", ["web", "worker", "migrate"])
    def test_each_process_gets_settings_that_exist_and_fit_together(
        self, kubernetes: dict[tuple[str, str], dict[str, Any]], name: str
    ) -> None:
        (container,) = self.pods(kubernetes)[name]["containers"]
        own = {one["name"]: str(one.get("value", "")) for one in container.get("env", [])}
        assert set(own) - {"POD_IP"} <= SETTINGS
        assert container["envFrom"] == [
            {"configMapRef": {"name": "pilothouse"}},
            {"secretRef": {"name": "pilothouse"}},
        ]
        shared = kubernetes["ConfigMap", "pilothouse"]["data"]
        assert set(shared) <= SETTINGS
        values = {**shared, **self.SECRET, **own}
        values |= {"WORKER_URL": own.get("WORKER_URL", "").replace("$(POD_IP)", "10.0.0.7")}
        settings = Settings.model_validate({key.lower(): value for key, value in values.items() if value})
        assert settings.is_shared
        assert settings.role == own.get("ROLE", "all")
        if name == "worker":
            assert settings.own_address == "http://10.0.0.7:8000"

    def test_commands_ports_and_probes_are_those_of_the_product(
        self, kubernetes: dict[tuple[str, str], dict[str, Any]]
    ) -> None:
        pods = self.pods(kubernetes)
        (job,) = pods["migrate"]["containers"]
        assert job["command"][-4:] == ["python", "-m", "server", "migrate"]
        port = int(kubernetes["ConfigMap", "pilothouse"]["data"]["PORT"])
        for name in ("web", "worker"):
            (container,) = pods[name]["containers"]
            assert "command" not in container
            assert [one["containerPort"] for one in container["ports"]] == [port]
            assert container["livenessProbe"]["httpGet"]["path"] == "/api/health"
            assert container["readinessProbe"]["httpGet"]["path"] == "/api/ready"
            assert (
                pods[name]["terminationGracePeriodSeconds"] > Settings.model_fields["drain_timeout"].default
            )

    def test_the_objects_name_each_other(self, kubernetes: dict[tuple[str, str], dict[str, Any]]) -> None:
        pods = self.pods(kubernetes)
        for (kind, name), one in kubernetes.items():
            if kind == "Service":
                labels = kubernetes["Deployment", name]["spec"]["template"]["metadata"]["labels"]
                assert one["spec"]["selector"] == labels
                (container,) = pods[name]["containers"]
                ports = {port["name"] for port in container["ports"]}
                assert {port["targetPort"] for port in one["spec"]["ports"]} <= ports
        claims = {
            volume["persistentVolumeClaim"]["claimName"]
            for pod in pods.values()
            for volume in pod.get("volumes", [])
            if "persistentVolumeClaim" in volume
        }
        assert claims == {"data"}
        assert ("PersistentVolumeClaim", "data") in kubernetes
        assert kubernetes["PersistentVolumeClaim", "data"]["spec"]["accessModes"] == ["ReadWriteMany"]
        (rule,) = kubernetes["Ingress", "pilothouse"]["spec"]["rules"]
        assert rule["host"] in kubernetes["ConfigMap", "pilothouse"]["data"]["PUBLIC_URL"]
        assert rule["http"]["paths"][0]["backend"]["service"]["name"] == "web"

    def test_no_process_has_more_rights_than_it_needs(
        self, kubernetes: dict[tuple[str, str], dict[str, Any]], dockerfile: str
    ) -> None:
        pods = self.pods(kubernetes)
        for pod in pods.values():
            for container in pod["containers"]:
                rights = container["securityContext"]
                assert rights == {"allowPrivilegeEscalation": False, "capabilities": {"drop": ["ALL"]}}
        for name in ("web", "worker", "migrate"):
            user = pods[name]["securityContext"]["runAsUser"]
            assert f"--uid {user}" in dockerfile

    def test_nothing_secret_is_in_the_file(self, kubernetes: dict[tuple[str, str], dict[str, Any]]) -> None:
        assert not [name for kind, name in kubernetes if kind == "Secret"]
        assert not {"AUTH_TOKEN", "DATABASE_URL"} & set(kubernetes["ConfigMap", "pilothouse"]["data"])


@pytest.fixture(scope="module")
def dockerfile() -> str:
    return (ROOT / "Dockerfile").read_text().replace("\\\n", " ")


class TestContainer:
    def test_the_image_has_its_modules_compiled(self, dockerfile: str) -> None:
        compiled = re.findall(r"^RUN python -m compileall -q (.+)$", dockerfile, re.M)
        copied = re.findall(r"^COPY (pilothouse|server|cli|wording|migrations) \1$", dockerfile, re.M)
        assert [set(one.split()) for one in compiled] == [set(copied)]
        assert dockerfile.index("compileall") > dockerfile.rindex("COPY ")

    @pytest.mark.parametrize("name", ["server", "migrate", "web", "worker", "browser"])
    def test_compose_gives_its_services_only_settings_that_exist(
        self, compose: dict[str, Any], name: str
    ) -> None:
        assert set(compose["services"][name]["environment"]) <= SETTINGS

    def test_compose_does_not_start_without_a_password(self, compose: dict[str, Any]) -> None:
        environment = compose["services"]["server"]["environment"]
        assert environment["AUTH_TOKEN"].startswith("${AUTH_TOKEN:?")
        assert "${POSTGRES_PASSWORD:?" in environment["DATABASE_URL"]

    def test_compose_publishes_on_loopback_unless_told_otherwise(self, compose: dict[str, Any]) -> None:
        services = compose["services"]
        assert services["server"]["ports"] == ["${PUBLISH:-127.0.0.1:8000}:8000"]
        assert services["balancer"]["ports"] == services["server"]["ports"]
        assert [name for name, service in services.items() if "ports" in service] == ["server", "balancer"]

    def test_the_server_waits_for_the_migration_and_that_for_the_database(
        self, compose: dict[str, Any]
    ) -> None:
        services = compose["services"]
        assert services["server"]["depends_on"] == {
            "migrate": {"condition": "service_completed_successfully"}
        }
        assert services["migrate"]["depends_on"] == {"database": {"condition": "service_healthy"}}
        assert services["migrate"]["command"] == ["python", "-m", "server", "migrate"]
        assert "pg_isready" in services["database"]["healthcheck"]["test"]

    def test_what_must_last_is_on_volumes(self, compose: dict[str, Any]) -> None:
        mounts = [
            mount.split(":")
            for service in compose["services"].values()
            for mount in service.get("volumes", [])
        ]
        assert {source for source, _ in mounts} == set(compose["volumes"])
        assert ["data", compose["services"]["server"]["environment"]["DATA_DIR"]] in mounts

    def test_a_stop_leaves_time_to_drain(self, compose: dict[str, Any]) -> None:
        grace = int(compose["services"]["server"]["stop_grace_period"].removesuffix("s"))
        assert grace > Settings.model_fields["drain_timeout"].default

    def test_without_a_profile_compose_starts_one_server_with_its_database(
        self, compose: dict[str, Any]
    ) -> None:
        services = compose["services"]
        assert [name for name in services if "profiles" not in services[name]] == [
            "server", "migrate", "database",
        ]  # fmt: skip
        assert "REDIS_URL" not in services["server"]["environment"]

    def test_the_scaled_services_fit_together(self, compose: dict[str, Any]) -> None:
        services = compose["services"]
        scaled = {name: one for name, one in services.items() if one.get("profiles") == ["scale"]}
        assert set(scaled) == {"web", "worker", "balancer", "valkey"}
        for role in ("web", "worker"):
            environment = services[role]["environment"]
            values = {
                name.lower(): re.sub(r"\$\{.*?\}", "secret", value) for name, value in environment.items()
            }
            settings = Settings.model_validate(values)
            assert (settings.role, settings.is_shared) == (role, True)
            assert settings.redis_url == "redis://valkey:6379/0"
            assert int(services[role]["stop_grace_period"].removesuffix("s")) > settings.drain_timeout
            assert set(services[role]["depends_on"]) == {"migrate", "valkey"}
        # Named alone it starts all the others, and not the server that would use the database alone.
        assert services["balancer"]["depends_on"] == ["web", "worker"]
        assert "reverse_proxy" in compose["configs"]["balancer"]["content"]
        assert "dynamic a web 8000" in compose["configs"]["balancer"]["content"]

    def test_the_browsers_of_compose_are_a_host_that_workers_can_use(self, compose: dict[str, Any]) -> None:
        services = compose["services"]
        host = services["browser"]
        assert host["profiles"] == ["browsers"]
        assert host["command"] == ["python", "-m", "server.browser.host"]
        assert find_spec("server.browser.host")
        secret = "s" * 16
        given = {name.lower(): value for name, value in host["environment"].items()}
        of_host = Settings.model_validate(given | {"browser_secret": secret, "auth_token": "t" * 16})
        pool = f"http://browser:{of_host.port}"
        wanted = Settings.model_validate({"browser_pool": pool, "browser_secret": secret})
        assert wanted.browser_hosts == (pool,)
        assert "ports" not in host
        assert f"127.0.0.1:{of_host.port}/api/ready" in host["healthcheck"]["test"][-1]
        # Each host has its own folder; that of the servers has their secrets.
        assert host["volumes"] == ["profiles:/data"]

    def test_the_image_runs_as_a_user_and_reports_its_health(self, dockerfile: str) -> None:
        lines = dockerfile.splitlines()
        user, health, command = (
            next(number for number, line in enumerate(lines) if line.startswith(word))
            for word in ("USER pilothouse", "HEALTHCHECK", "CMD")
        )
        assert user < command
        assert "/api/health" in lines[health]

    def test_the_images_settings_exist(self, dockerfile: str) -> None:
        pairs = " ".join(re.findall(r"(?m)^ENV (.*)$", dockerfile)).split()
        names = {pair.split("=")[0] for pair in pairs}
        assert "DATA_DIR" in names
        assert {name for name in names if not name.startswith("PYTHON")} <= SETTINGS

    def test_no_line_of_an_env_file_takes_a_setting_of_the_image_away(
        self, compose: dict[str, Any], dockerfile: str
    ) -> None:
        pairs = " ".join(re.findall(r"(?m)^ENV (.*)$", dockerfile)).split()
        needed = dict(pair.split("=") for pair in pairs if pair.split("=")[0] in SETTINGS)
        given = compose["services"]["server"]["environment"]
        assert needed.items() <= given.items()

    def test_the_health_check_asks_the_server_itself_whatever_proxy_is_set(self, dockerfile: str) -> None:
        command = json.loads(re.findall(r"(?m)^HEALTHCHECK .*?CMD (\[.*\])$", dockerfile)[0])
        found: list[str] = []

        class Health(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                found.append(self.path)
                self.send_response(200 if len(found) == 1 else 503)
                self.end_headers()

            def log_message(self, *_: object) -> None:
                return

        with HTTPServer(("127.0.0.1", 0), Health) as server:
            threading.Thread(target=server.serve_forever, daemon=True).start()
            env = {"PORT": str(server.server_port), "http_proxy": "http://127.0.0.1:9"}
            codes = [
                subprocess.run([sys.executable, *command[1:]], env=env, check=False).returncode
                for _ in range(2)
            ]
            server.shutdown()
        assert (found, codes) == (["/api/health"] * 2, [0, 1])

    def test_the_image_is_made_of_files_that_exist_and_are_let_through(self, dockerfile: str) -> None:
        let_through = {
            line[1:] for line in (ROOT / ".dockerignore").read_text().splitlines() if line[:1] == "!"
        }
        copied = {
            name
            for line in re.findall(r"(?m)^COPY (?!--from)(.*)$", dockerfile)
            for name in line.split()[:-1]
        }
        assert [name for name in copied if not (ROOT / name).exists()] == []
        assert {name.split("/")[0] for name in copied} == let_through
