"""How throughput grows with the number of clients, by Gunther's Universal Scalability Law."""
