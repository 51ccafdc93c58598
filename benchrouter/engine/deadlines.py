"""How long we wait for an engine, in seconds: the one table."""

from __future__ import annotations

CONNECT = 5.0  # the first answer of an engine that is running
CALL = 120.0  # one ordinary request on a busy machine: create, start, inspect, remove, tag
STREAM = 900.0  # silence in the middle of a pull, a build, a load
STOP_CHECK = 30.0  # from KILL until the container is seen to be gone
CANCEL_GRACE = 3.0  # from TERM to KILL when the person at the terminal waits for the end
DRAIN = 5.0  # output still on its way after the main process has ended
GIVE_BACK = 120.0  # a chown or a removal through a container
SWEEP = 30.0  # everything that a sweep does together
REGISTRY = 4.0  # does a registry answer at all
BUILD_STOP = 5.0  # from TERM to KILL of a builder's process group
CLAIM = 20.0  # waiting for another workspace that is tagging the same key
PULL_TRIES = 4  # attempts for one image
PULL_WAIT = 1.0  # before the second attempt; doubled each time, with jitter
NETWORK = 600.0  # waiting for a free range while other jobs have all of them
RELAY_HEAD = 60.0  # from a connection to the relay until its request's head is complete
RELAY_CONNECT = 30.0  # the relay's own connection to the endpoint
DAEMON = 120.0  # a job's own Docker daemon, from its start to its first answer
PRELOAD = 3600.0  # loading the images of a job, or of a seed
LATE = 3.0  # a container that a stopped client has asked for, until it appears
SIDECARS_UP = 900.0  # Compose: creating and starting, and waiting for what `depends_on` waits for
SIDECARS_HEALTHY = 300.0  # beyond what a sidecar's own health check takes to make up its mind
POST_START = 600.0  # one command inside a sidecar
