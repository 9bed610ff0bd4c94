"""What the person wants the agent to know: standing instructions, and notes about sites. Never consent: the gate reads none."""
