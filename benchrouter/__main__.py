"""`python -m benchrouter` is the `benchrouter` command."""

from benchrouter.faces.app import main

main()
