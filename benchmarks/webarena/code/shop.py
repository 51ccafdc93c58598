"""The shop of WebArena, in the task's own daemon, told the address at which it is reached."""

import os
import subprocess
import sys
import time
import urllib.error
import urllib.request
from urllib.parse import urlsplit

IMAGE, NAME, PATIENCE = "shopping_admin_final_0719", "shopping_admin", 600
MAGENTO = "/var/www/magento2/bin/magento"
SQL = ["mysql", "-u", "magentouser", "-pMyPassword", "magentodb", "-e"]
PATHS = "('web/secure/base_url', 'web/unsecure/base_url')"


def start():
    """Start the shop, tell it its address, and wait until it serves its administration, or end the script."""
    url = os.environ["SHOPPING_ADMIN"]
    place = urlsplit(url)
    base = f"{place.scheme}://{place.netloc}"
    run("run", "--detach", "--name", NAME, "--pull", "never", "--publish", f"{place.port or 80}:80", IMAGE)
    patiently("its database", lambda: docker("exec", NAME, *SQL, "SELECT 1;") == 0)
    patiently("Magento", lambda: docker("exec", NAME, MAGENTO, "config:show", "web/unsecure/base_url") == 0)
    run("exec", NAME, MAGENTO, "setup:store-config:set", f"--base-url={base}")
    run("exec", NAME, *SQL, f"UPDATE core_config_data SET value='{base}/' WHERE path IN {PATHS};")
    for setting in ("password_is_forced", "password_lifetime"):
        run("exec", NAME, MAGENTO, "config:set", f"admin/security/{setting}", "0")
    run("exec", NAME, MAGENTO, "cache:flush")
    patiently(url, lambda: status(url) < 400)


def status(url):
    try:
        with urllib.request.urlopen(url, timeout=30) as answer:
            return answer.status
    except urllib.error.HTTPError as error:
        return error.code
    except OSError:
        return 599


def patiently(what, holds):
    end = time.monotonic() + PATIENCE
    while not holds():
        if time.monotonic() > end:
            docker("logs", "--tail", "20", NAME)
            sys.exit(f"{IMAGE}: {what} is not ready after {PATIENCE} s")
        time.sleep(2)


def run(*words):
    if docker(*words):
        sys.exit(f"`docker {' '.join(words)}` failed: there is no shop to work in")


def docker(*words):
    return subprocess.run(["docker", *words], check=False, stdout=sys.stderr).returncode
