"""What the trained taggers share: pieces and features, the network, from answers to spans."""
