from server.ops.lazy_packages import delay_packages

VERSION = "0.1.0"

delay_packages()  # before any module below imports a library
