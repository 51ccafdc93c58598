"""In the place of accelerate: one process, no GPU."""


class DistributedType:
    FSDP = MULTI_GPU = DEEPSPEED = None


class Accelerator:
    num_processes, process_index, local_process_index = 1, 0, 0
    is_main_process = is_local_main_process = True
    device = "cpu"

    def __init__(self, *_args, **_more):
        pass

    def wait_for_everyone(self):
        pass

    def free_memory(self):
        pass
