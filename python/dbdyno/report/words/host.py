"""What the facts of a host are called, group by group."""

from __future__ import annotations

from collections.abc import Mapping

from dbdyno.report.language import message

LIMITS = message("Limits of dbdyno and its generator")
CLIENT = message("Client")
KERNEL_SETTINGS = message("Kernel settings")

LABELS: Mapping[str, Mapping[str, str]] = {
    message("Processors"): {
        "cpu_model": message("model"),
        "cpu_vendor": message("vendor"),
        "cpu_architecture": message("architecture"),
        "cpu_count": message("CPUs"),
        "cpu_usable_count": message("CPUs that dbdyno may use"),
        "cpu_sockets": message("sockets"),
        "cpu_cores": message("cores"),
        "cpu_threads_per_core": message("threads per core"),
        "cpu_caches": message("caches"),
        "numa_nodes": message("NUMA nodes"),
        "numa": message("CPUs and memory of each node"),
        "cpu_governor": message("frequency governor"),
        "cpu_frequency_driver": message("frequency driver"),
        "cpu_frequency_max_mhz": message("highest frequency"),
        "cpu_turbo": message("turbo"),
        "cpu_idle_driver": message("idle driver"),
        "cpu_isolated": message("isolated CPUs"),
        "cpu_tickless": message("tickless CPUs"),
        "cpu_microcode": message("microcode"),
        "cpu_flags": message("flags that matter"),
        "cpu_vulnerabilities": message("vulnerabilities"),
    },
    message("Memory"): {
        "memory_total_bytes": message("memory"),
        "memory_available_bytes": message("available"),
        "memory_modules": message("modules"),
        "swap_total_bytes": message("swap"),
        "swap_used_bytes": message("swap in use"),
        "swappiness": message("swappiness"),
        "transparent_huge_pages": message("transparent huge pages"),
        "transparent_huge_pages_defrag": message("transparent huge pages, defragmentation"),
        "huge_pages_total": message("huge pages"),
        "huge_pages_free": message("huge pages free"),
        "huge_page_size_bytes": message("size of a huge page"),
    },
    message("Storage"): {
        "disks": message("disks"),
        "work_file_system": message("file system of the result and of private servers' data"),
        "work_mount_options": message("mount options"),
        "work_file_system_total_bytes": message("size of the file system"),
        "work_file_system_free_bytes": message("free"),
        "work_disks": message("disks below it"),
        "work_disk_model": message("their model"),
        "work_disk_size_bytes": message("their size"),
        "work_disk_scheduler": message("I/O scheduler"),
        "work_disk_rotational": message("rotational"),
        "work_disk_write_cache": message("write cache"),
        "probe_write_mib_per_s": message("probe: sequential write"),
        "probe_written_bytes": message("probe: written"),
        "probe_fsync_median_ms": message("probe: write of 4 KiB and fsync, median"),
        "probe_fsync_p99_ms": message("probe: write of 4 KiB and fsync, p99"),
        "probe_fsync_count": message("probe: number of fsyncs"),
    },
    message("System"): {
        "distribution": message("distribution"),
        "kernel": message("kernel"),
        "kernel_build": message("kernel build"),
        "kernel_parameters": message("kernel parameters"),
        "system_vendor": message("vendor"),
        "system_product": message("product"),
        "firmware_version": message("firmware"),
        "virtual_machine": message("virtual machine"),
        "container": message("container"),
        "tuning_profile": message("tuned profile"),
        "clock_source": message("clock source"),
        "clock_synchronised": message("clock synchronised"),
        "time_zone": message("time zone"),
        "uptime_s": message("up for"),
        "boot_id": message("boot ID"),
    },
    LIMITS: {
        "control_group_cpu_limit_cores": message("CPUs of the control group"),
        "control_group_memory_limit_bytes": message("memory of the control group"),
        "control_group_task_limit": message("threads of the control group"),
        "process_open_files_limit": message("open files"),
        "process_threads_limit": message("threads of the user"),
        "process_locked_memory_limit_bytes": message("locked memory"),
        "process_stack_limit_bytes": message("stack"),
    },
    message("Load before the first trial"): {
        "load_average_1_minute": message("load average, 1 minute"),
        "load_average_5_minutes": message("load average, 5 minutes"),
        "load_average_15_minutes": message("load average, 15 minutes"),
        "cpu_busy_cores": message("busy CPUs"),
        "other_processes_cpu_cores": message("of these, other programs"),
        "other_processes_busiest": message("the busiest"),
    },
    CLIENT: {
        "dbdyno_version": message("dbdyno"),
        "python_version": message("Python"),
        "rustc_version": message("Rust compiler"),
        "tls_library": message("TLS"),
        "c_library": message("C library"),
        "client_libraries": message("libraries"),
        "locale": message("locale"),
    },
    message("Network"): {
        "network_interfaces": message("interfaces"),
        "server_round_trip_ms": message("time in which a server accepts a connection, median"),
        "tcp_congestion_control": message("congestion control"),
    },
    KERNEL_SETTINGS: {"kernel_settings": message("settings")},
}
"""Every fact has its place here, and a test sees to that."""
