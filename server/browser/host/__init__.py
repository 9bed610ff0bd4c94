"""Browser hosts: machines that run browsers for workers, and the tunnel between both."""
