"""The batch pipeline around the kernels: configuration, storage, task farm, report, command line."""
