"""Which rights a job's own daemon gets, and what of the host decides it."""

from __future__ import annotations

from benchrouter.engine.container_config import create_config
from benchrouter.engine.container_spec import ContainerSpec, Device, Privileges
from benchrouter.engine.dind.capabilities import FEWEST, NAMES, NEEDED, bounding_set, known_to_kernel
from benchrouter.engine.dind.runtime import Runtime, choose, refuses_privileges

ALL = frozenset(NAMES)
PLAIN = ("io.containerd.runc.v2", "runc")


def test_sysbox_comes_first_whatever_the_host_can_give() -> None:
    assert choose((*PLAIN, "sysbox-runc"), (ALL, ALL)).runtime is Runtime.SYSBOX
    assert choose(("sysbox-runc",), None, "refused").privileges == Privileges(runtime="sysbox-runc")


def test_privileged_where_the_host_has_every_capability_that_its_kernel_knows() -> None:
    choice = choose(PLAIN, (ALL, ALL))
    assert (choice.runtime, choice.capabilities, choice.why) == (Runtime.PRIVILEGED, (), "")
    assert choice.privileges == Privileges(privileged=True, own_cgroups=True)


def test_a_capability_newer_than_the_kernel_is_not_missing() -> None:
    old = frozenset(NAMES[:38])
    assert choose(PLAIN, (old, old)).runtime is Runtime.PRIVILEGED


def test_the_list_of_what_the_host_has_where_it_lacks_one() -> None:
    choice = choose(PLAIN, (ALL - {"SYS_RESOURCE"}, ALL))
    assert choice.runtime is Runtime.CAPABILITIES
    assert choice.capabilities == tuple(name for name in NEEDED if name != "SYS_RESOURCE")
    assert "SYS_RESOURCE" in choice.why
    assert choice.privileges.unconfined


def test_the_list_holds_nothing_that_a_daemon_does_not_need() -> None:
    asked = set(choose(PLAIN, (ALL, ALL), "no").capabilities)
    assert not asked & {"DAC_READ_SEARCH", "SYS_MODULE", "SYS_RAWIO", "SYS_BOOT", "SYS_TIME", "BPF", "SYSLOG"}
    assert asked >= set(FEWEST)


def test_where_the_host_is_not_known_the_engines_answer_decides() -> None:
    assert choose(PLAIN, None).runtime is Runtime.PRIVILEGED
    refused = choose(PLAIN, None, "unable to apply caps")
    assert (refused.runtime, refused.capabilities) == (Runtime.CAPABILITIES, FEWEST)
    assert "unable to apply caps" in refused.why


def test_the_words_of_an_engine_that_cannot_give_all() -> None:
    assert refuses_privileges("starting container x: runc create failed: unable to apply caps: operation not permitted")
    assert refuses_privileges("authorization denied: privileged containers are not allowed")
    assert not refuses_privileges("no space left on device")


def test_reads_the_bounding_set_of_a_process() -> None:
    status = "Name:\tcat\nCapEff:\t0000000000000000\nCapBnd:\t000001fffeffffff\nSeccomp:\t0\n"
    assert bounding_set(status) == ALL - {"SYS_RESOURCE"}
    assert bounding_set("Name:\tcat\n") is None
    assert known_to_kernel("40\n") == ALL
    assert known_to_kernel("37\n") == frozenset(NAMES[:38])


def test_rights_in_the_words_of_the_engine() -> None:
    rights = Privileges(
        capabilities=("SYS_ADMIN",),
        unconfined=True,
        devices=(Device("/dev/loop3", "/dev/seed"),),
        device_rules=("b 7:* rwm",),
    )
    host = _config(rights)["HostConfig"]
    assert (host["CapDrop"], host["CapAdd"]) == (["ALL"], ["SYS_ADMIN"])
    assert host["MaskedPaths"] == host["ReadonlyPaths"] == []
    assert host["Devices"] == [
        {"PathOnHost": "/dev/loop3", "PathInContainer": "/dev/seed", "CgroupPermissions": "r"}
    ]
    assert host["DeviceCgroupRules"] == ["b 7:* rwm"]
    assert "Privileged" not in host
    assert _config(Privileges(privileged=True))["HostConfig"]["Privileged"] is True


def test_an_ordinary_container_is_told_nothing_of_rights() -> None:
    host = _config(Privileges())["HostConfig"]
    assert not {"Privileged", "CapAdd", "CapDrop", "SecurityOpt", "MaskedPaths", "Devices", "Runtime"} & set(host)


def test_storage_is_a_volume_that_goes_with_its_container_and_that_a_sweep_would_find() -> None:
    mounts = _config(Privileges(), volumes=("/var/lib/docker",))["HostConfig"]["Mounts"]
    assert mounts == [
        {"Type": "volume", "Target": "/var/lib/docker", "VolumeOptions": {"NoCopy": True, "Labels": {"l": "1"}}}
    ]


def _config(privileges: Privileges, volumes: tuple[str, ...] = ()) -> dict[str, dict[str, object]]:
    spec = ContainerSpec(
        "n", "i", ("/bin/sh",), (), "/", {}, (), labels={"l": "1"}, privileges=privileges, volumes=volumes
    )
    return create_config(spec)
