"""``loco check --context``: what a plan counts on, asked of a cluster. Only reads, and keeps no secret value."""
