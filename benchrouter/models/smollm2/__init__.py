"""The embedded model `smollm2`: SmolLM2-135M-Instruct on this machine's CPU, behind an OpenAI-compatible endpoint.

`doit models install smollm2` fetches it (`install`), a run starts it (`server`): an HTTP server of ours that takes
requests in turn, and one child process with the model in it (`worker`, `worker.mjs`), which may die and is begun again.
"""
