"""What the Census Bureau's product means: allocations, mechanisms of geounits, their pairs and families."""
